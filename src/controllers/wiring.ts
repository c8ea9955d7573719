import type { Store } from "../kube/store.ts";
import type { KubeObject } from "../resources/meta.ts";
import type { Environment } from "./environment.ts";
import { wireClaims } from "./claims-wired.ts";
import { wireConnections } from "./connections-wired.ts";
import { isHeldUp } from "./held-up.ts";
import { wireOutputs } from "./outputs/wire.ts";
import { artifactChanged, wireFluxSources } from "./flux-sources.ts";
import { isTrue } from "./shared/conditions.ts";
import { observeObjects } from "./shared/object-metrics.ts";
import { isOrphaned } from "./orphans.ts";
import { isDisplaced, wireParents } from "./parents-wired.ts";
import { missedRedeployment, wireRedeployments } from "./redeploying.ts";
import { sourceChanged } from "./references.ts";
import { wireOwnSecrets, wireReferences } from "./references-wired.ts";
import { storeOf, type WatchedStores } from "./watched-stores.ts";
import { ownKeys } from "./watching.ts";

/** Which changes of which objects make which keys run. The handlers are synchronous and do nothing but enqueue. */

/** Attaches every handler; call once, before the watches start. */
export function wire(environment: Environment, stores: WatchedStores): void {
  observeObjects(environment.meter, stores.ours);
  forgetDeleted(environment, stores.ours);
  wireOwnKeys(environment, stores);
  wireParents(
    environment,
    ["Project", "Branch"].map((kind) => storeOf(stores.ours, kind)),
  );
  wireClaims(environment, stores.ours);
  wireConnections(environment, stores.ours);
  wireReferences(environment, stores);
  wireOwnSecrets(environment, stores.coreSecrets);
  wireOutputs(environment, stores);
  wireRedeployments(environment, storeOf(stores.ours, "Secret"));
  wireFluxSources(environment, stores.fluxSources);
}

/** What goes without us, its finalizer taken away by hand, say, is forgotten as well. */
function forgetDeleted({ memories }: Environment, stores: readonly Store[]): void {
  const nothing = (): void => undefined;
  for (const store of stores) {
    store.addHandler({
      added: nothing,
      updated: nothing,
      deleted: ({ metadata: { uid } }) => {
        for (const memory of memories) memory.forget(uid);
      },
    });
  }
}

function wireOwnKeys(environment: Environment, { ours: stores, ...referenced }: WatchedStores): void {
  const { objects, enqueue, random } = environment;
  const missedChange = (object: KubeObject): boolean =>
    sourceChanged(objects, referenced, object) ||
    artifactChanged(objects, referenced.fluxSources, object) ||
    missedRedeployment(environment, object) ||
    isOrphaned(environment, object) ||
    isDisplaced(environment, object);
  const heldUp = (object: KubeObject): boolean => isHeldUp(environment, object);
  const options = { enqueue, random, missedChange, heldUp };
  for (const kind of ["Project", "EdgeFunction", "Secret"]) storeOf(stores, kind).addHandler(ownKeys(options));
  const dueInMs = (object: KubeObject): number | undefined => untilExpiryMs(environment, object);
  storeOf(stores, "Branch").addHandler(ownKeys({ ...options, dueInMs }));
  // Sessions live in memory: after a start every connection is opened at once.
  for (const kind of ["Connection", "ClusterConnection"]) {
    storeOf(stores, kind).addHandler(ownKeys({ ...options, eager: true }));
  }
}

/** Milliseconds until the ttl of a branch ends, as far as its status says; a start must not put the end off to the next drift check. */
function untilExpiryMs({ objects, clock }: Environment, object: KubeObject): number | undefined {
  const { expiresAt, conditions } = objects.branches.kind.parseStatus(object);
  if (expiresAt === undefined || isTrue(conditions, "Expired")) return undefined;
  return Date.parse(expiresAt) - clock.now();
}
