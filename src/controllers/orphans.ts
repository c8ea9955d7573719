import type { KubeObject } from "../resources/meta.ts";
import type { Environment } from "./environment.ts";
import { type Ancestor, ancestors } from "./shared/ancestors.ts";
import { commonStatusOf } from "./shared/common-status.ts";
import { type ChildSpec, standstill } from "./shared/parents.ts";
import { isReadyNow } from "./watching.ts";

/** What lives in something that goes, has gone, or stands for nothing any more. */

/** Why nothing may be written to what lives in a Project or Branch: what it stands for is not there any more, say. */
export function standstillOf(parent: KubeObject): string | undefined {
  return standstill(commonStatusOf(parent).conditions);
}

/** The spec of a child, where it can be read; undefined of what is no child. */
export function childSpecOf({ objects }: Environment, object: KubeObject): ChildSpec | undefined {
  const { branches, functions, secrets } = objects;
  const children = [branches, functions, secrets].find(({ kind }) => kind.type.kind === object.kind);
  const parsed = children?.parse(object);
  return parsed?.ok === true ? parsed.object.spec : undefined;
}

/** Whether a child calls itself Ready in what is not there for it any more: whoever was not watching when that went was not told. */
export function isOrphaned(environment: Environment, object: KubeObject): boolean {
  const spec = childSpecOf(environment, object);
  if (spec === undefined || !isReadyNow(object)) return false;
  return ancestors(environment, object.metadata.namespace ?? "", spec).some((one) => isAway(environment, one));
}

/** Nothing is away before all that there is has been seen. */
function isAway({ objects: { projects, branches } }: Environment, ancestor: Ancestor): boolean {
  if (ancestor.kind === "UnmanagedProject") return false; // nothing tells before somebody asks
  const { reader } = ancestor.kind === "Project" ? projects : branches;
  return ancestor.raw === undefined ? reader.hasSynced : isGoing(ancestor.raw);
}

function isGoing(parent: KubeObject): boolean {
  return parent.metadata.deletionTimestamp !== undefined || standstillOf(parent) !== undefined;
}
