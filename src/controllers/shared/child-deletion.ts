import { branchKind } from "../../resources/branch/kind.ts";
import { kinds } from "../../resources/kinds.ts";
import { projectKind } from "../../resources/project/kind.ts";
import { type ParentSpec, parentOf } from "../../resources/references.ts";
import { branchDeletionPolicy } from "./branch-retention.ts";
import { readIfExists } from "./core-objects.ts";
import { isTerminating } from "./connection-lookup.ts";
import { deletingForMs, onlyObserves } from "./deletion.ts";
import type { IdentityStatus } from "./record-identity.ts";
import type { Run } from "./run.ts";

/**
 * What the parent means for a child under deletion (engine.md §5):
 * - `delete`: nothing speaks against deleting the remote thing
 * - `keep`: the parent is kept, so is what lives in it
 * - `gone`: the parent's object is gone, and what it meant for its children has been done
 */
export type ParentVerdict = "delete" | "keep" | "gone";

/** A child by the project or branch that it lives in. */
interface ChildInPlace {
  readonly spec: ParentSpec;
  /** ref of the project or branch that it was recorded in; undefined where that is not known */
  readonly ref: string | undefined;
}

interface ParentName {
  readonly name: string;
  readonly ref: string | undefined;
}

/** Whether a parent's object stands for another project or branch: that of the child's own one is gone, and this has its name alone. */
function isAnother({ status }: { readonly status: IdentityStatus }, { ref }: ParentName): boolean {
  return ref !== undefined && status.ref !== undefined && status.ref !== ref;
}

/**
 * Decides whether a child under deletion is deleted remotely: not when its Project is deleted with Retain, or its namespace is Terminating, or the
 * definition of its kind, while its Project is Retain: nobody asked for this very object to go. One that is only observed stays as well. All is read live,
 * since a watch may lag behind the deletion that it explains.
 */
export async function parentVerdict<Status extends IdentityStatus>(
  run: Run<Status>,
  { spec, ref }: ChildInPlace,
): Promise<ParentVerdict> {
  const terminating = await isSweptAway(run);
  const parent = parentOf(spec);
  switch (parent.kind) {
    case "UnmanagedProject":
      return terminating ? "keep" : "delete";
    case "Project":
      return projectVerdict(run, { name: parent.name, ref }, terminating);
    case "Branch":
      return branchVerdict(run, { name: parent.name, ref }, terminating);
    default:
      return parent satisfies never;
  }
}

/** Whether an object goes with all of its namespace, or with all of its kind. */
async function isSweptAway<Status extends IdentityStatus>(run: Run<Status>): Promise<boolean> {
  const { environment, key, signal } = run;
  if (await isTerminating(environment, key.namespace, signal)) return true;
  const kind = kinds.find(({ type }) => type.kind === key.kind);
  return kind !== undefined && (await environment.withdrawals.explains(kind.type, deletingForMs(run), { signal }));
}

async function projectVerdict<Status extends IdentityStatus>(
  { environment, key, signal }: Run<Status>,
  parent: ParentName,
  terminating: boolean,
): Promise<ParentVerdict> {
  const { name } = parent;
  const object = await readIfExists(environment.kube, projectKind.type, { namespace: key.namespace, name }, signal);
  if (object === undefined) return "gone";
  const parsed = projectKind.parseDeleted(object);
  if (parsed.ok && isAnother(parsed.object, parent)) return "gone";
  const leaving = terminating || object.metadata.deletionTimestamp !== undefined;
  if (!leaving) return "delete";
  const deleted = parsed.ok && parsed.object.spec.deletionPolicy === "Delete";
  return deleted && !onlyObserves(environment, key.namespace, parsed.object) ? "delete" : "keep";
}

async function branchVerdict<Status extends IdentityStatus>(
  run: Run<Status>,
  parent: ParentName,
  terminating: boolean,
): Promise<ParentVerdict> {
  const { environment, key, signal } = run;
  const { name } = parent;
  const object = await readIfExists(environment.kube, branchKind.type, { namespace: key.namespace, name }, signal);
  if (object === undefined) return "gone";
  const parsed = branchKind.parseDeleted(object);
  if (!parsed.ok) return "keep";
  const { spec, status } = parsed.object;
  if (isAnother(parsed.object, parent)) return "gone";
  const leaving = terminating || object.metadata.deletionTimestamp !== undefined;
  const stays = branchDeletionPolicy(spec, status).value === "Retain";
  if (leaving && (stays || onlyObserves(environment, key.namespace, parsed.object))) return "keep";
  return parentVerdict(run, { spec, ref: status.parentRef });
}
