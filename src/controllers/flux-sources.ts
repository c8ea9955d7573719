import type { Store, StoreReader } from "../kube/store.ts";
import type { KubeObject } from "../resources/meta.ts";
import type { Environment, ObjectStores } from "./environment.ts";
import { isHeldUp } from "./held-up.ts";
import { findFluxSource, fluxPlace, fluxSourceChanged } from "./shared/flux-types.ts";
import { FLUX_INDEX } from "./indexes.ts";
import { isReadyNow, keyOf, wakeWaiting } from "./watching.ts";

/** How functions learn that the artifact which is their source is another one now. */

/** Runs the functions that refer to a source object of Flux when it tells something new, comes or goes. */
export function wireFluxSources(environment: Environment, stores: readonly Store[]): void {
  const { objects, enqueue } = environment;
  const { functions } = objects;
  const users = ({ kind, metadata: { namespace = "", name } }: KubeObject): readonly KubeObject[] =>
    functions.reader.byIndex(FLUX_INDEX, fluxPlace({ kind, namespace, name }));
  const run = (object: KubeObject): void => {
    for (const user of users(object)) {
      enqueue(keyOf(user), { lane: "change", wasReady: isReadyNow(user) });
    }
  };
  for (const store of stores) {
    store.addHandler({
      // A start shows all of them, in any order with their users: only who may have waited for it, or was made of another artifact.
      added: (object) => {
        const found = users(object);
        wakeWaiting(found, enqueue, (user) => isHeldUp(environment, user));
        for (const user of found) {
          if (artifactChanged(objects, stores, user)) enqueue(keyOf(user), { lane: "change", wasReady: true });
        }
      },
      updated: (before, now) => {
        if (fluxSourceChanged(before, now)) run(now);
      },
      deleted: run,
    });
  }
}

/** Whether the artifact that a function was made of is another one now, which nobody may have watched become so. */
export function artifactChanged(
  { functions }: ObjectStores,
  stores: readonly Pick<StoreReader, "type" | "get">[],
  object: KubeObject,
): boolean {
  if (object.kind !== "EdgeFunction") return false;
  const { artifact: used } = functions.kind.parseStatus(object);
  if (used === undefined) return false;
  const { namespace = "" } = object.metadata;
  const now = findFluxSource(stores, { kind: used.kind, namespace, name: used.name })?.artifact;
  return now !== undefined && now.digest !== used.digest;
}
