import type { Store } from "../kube/store.ts";
import type { KubeObject } from "../resources/meta.ts";
import type { Environment } from "./environment.ts";
import { isHeldUp } from "./held-up.ts";
import { objectNameOf } from "./shared/ownership.ts";
import { parentRefIfKnown } from "./shared/parents.ts";
import { PARENT_INDEX } from "./indexes.ts";
import { isReadyNow, keyOf, wakeWaiting } from "./watching.ts";

/** How children learn of their parents: those that wait for one, those whose place is another one now, and those whose parent goes. */

/** Wakes the children of a Project or Branch that changes. @param parents the stores of both kinds */
export function wireParents(environment: Environment, parents: readonly Store[]): void {
  const { branches, functions, secrets } = environment.objects;
  for (const store of parents) {
    const wake = (object: KubeObject): void => {
      for (const children of [branches, functions, secrets]) {
        const kind: Parameters<typeof wakeWaiting>[0] = children.kind; // what is read of a status is the same for all
        const found = children.reader.byIndex(PARENT_INDEX, placeOf(object));
        wakeWaiting(kind, found, environment.enqueue, (child) => isHeldUp(environment, child));
        wakeDisplaced(environment, kind, found);
      }
    };
    store.addHandler({
      added: wake,
      updated: (before, now) => {
        wake(now);
        const goes = before.metadata.deletionTimestamp !== now.metadata.deletionTimestamp;
        if (goes) wakeOrphans(environment, now);
      },
      deleted: (object) => {
        wake(object);
        wakeOrphans(environment, object);
      },
    });
  }
}

/** What an object is to its children, as they stand in the index. */
function placeOf({ kind, metadata }: KubeObject): string {
  return `${kind}/${objectNameOf(metadata)}`;
}

/**
 * Everything that lives in a parent that goes, in its branches too: what is Ready there would call itself as declared until its drift check. To be
 * called when the parent's deletion begins and when it has gone, not at what happens between.
 */
function wakeOrphans(environment: Environment, parent: KubeObject): void {
  const { branches, functions, secrets } = environment.objects;
  for (const children of [branches, functions, secrets]) {
    const kind: Parameters<typeof isReadyNow>[0] = children.kind;
    for (const child of children.reader.byIndex(PARENT_INDEX, placeOf(parent))) {
      if (!isHeldUp(environment, child)) {
        environment.enqueue(keyOf(child), { lane: "change", wasReady: isReadyNow(kind, child) });
      }
      if (child.kind === "Branch") wakeOrphans(environment, child);
    }
  }
}

/** What was Ready in another place is not so in this one, and no drift check may ever come of it (`driftPolicy: Ignore`). */
function wakeDisplaced(
  environment: Environment,
  kind: Parameters<typeof isReadyNow>[0],
  children: Iterable<KubeObject>,
): void {
  for (const child of children) {
    if (!isDisplaced(environment, child) || !isReadyNow(kind, child)) continue;
    environment.enqueue(keyOf(child), { lane: "change", wasReady: true });
  }
}

/** Whether the parent of a child stands for another place than the child was in when it was last looked at: it was made anew. */
export function isDisplaced(environment: Environment, object: KubeObject): boolean {
  const { namespace = "" } = object.metadata;
  const differs = (spec: Parameters<typeof parentRefIfKnown>[2], known: string | undefined): boolean => {
    const ref = parentRefIfKnown(environment, namespace, spec);
    return known !== undefined && ref !== undefined && known !== ref;
  };
  const { branches, functions, secrets } = environment.objects;
  switch (object.kind) {
    case "Branch": {
      const parsed = branches.parse(object);
      return parsed.ok && differs(parsed.object.spec, parsed.object.status.parentRef);
    }
    case "EdgeFunction": {
      const parsed = functions.parse(object);
      return parsed.ok && differs(parsed.object.spec, parsed.object.status.ref);
    }
    case "Secret": {
      const parsed = secrets.parse(object);
      return parsed.ok && differs(parsed.object.spec, parsed.object.status.ref);
    }
    default:
      return false;
  }
}
