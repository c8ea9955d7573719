import type { Store } from "../../kube/store.ts";
import type { KubeObject } from "../../resources/meta.ts";
import type { Environment } from "../environment.ts";
import { objectNameOf } from "../shared/ownership.ts";
import { outputPlace, PUBLISHED_INDEX } from "../indexes.ts";
import { keyOf, wakeWaiting } from "../watching.ts";
import { isForeignWrite, isOwnedBy } from "./marks.ts";

/**
 * Outputs that somebody else deletes or edits are put back: their object runs. When somebody else's object goes that stood in the place of one, who found
 * it there goes on. What the operator writes itself wakes nobody.
 */
export function wireOutputs(
  environment: Environment,
  { coreSecrets, configMaps }: { readonly coreSecrets: Store; readonly configMaps: Store },
): void {
  for (const store of [coreSecrets, configMaps]) {
    const wakeOwners = (object: KubeObject): void => {
      for (const user of usersOf(environment, object)) {
        if (!isOwnedBy(object.metadata, user.metadata.uid)) continue;
        environment.enqueue(keyOf(user), { lane: "change", wasReady: true });
      }
    };
    store.addHandler({
      added: () => undefined,
      updated: (before, now) => {
        if (isForeignWrite(before.metadata, now.metadata)) wakeOwners(before);
      },
      deleted: (object) => {
        wakeOwners(object);
        wakeWaiting(usersOf(environment, object), environment.enqueue);
      },
    });
  }
}

/** Projects and Branches that name the object as an output. */
function usersOf({ objects }: Environment, { kind, metadata }: KubeObject): readonly KubeObject[] {
  const place = outputPlace(kind, objectNameOf(metadata));
  return [objects.projects, objects.branches].flatMap(({ reader }) => reader.byIndex(PUBLISHED_INDEX, place));
}
