import type { Branch } from "../../api/contract/branches.ts";
import { isApiError } from "../../api/errors.ts";
import { UnderWayError } from "../shared/deletion-failures.ts";
import { explain, waiting } from "../shared/failures.ts";
import { pollDelayMs } from "../shared/polling.ts";
import { requireAbsence } from "../shared/require-absence.ts";
import type { Sought } from "../shared/sought.ts";
import type { BranchRun } from "./context.ts";
import { branchesIfThere, type BranchesOf, findBranch, forgetList } from "./observe.ts";
import { patchBranch } from "./patch.ts";

/** What is to go, as it was just read. */
export interface DoomedBranch {
  readonly branch: Branch;
  /** for how long it has been due to go, milliseconds: how patiently it is waited for */
  readonly elapsedMs: number;
  /** the platform is to keep it for a while, where it does so at all */
  readonly soft: boolean;
  /** as the object looks for it */
  readonly sought: Sought;
}

/** States of a branch's project in which its deletion has begun. */
const GOING: ReadonlySet<string> = new Set(["GOING_DOWN", "REMOVED"]);

/**
 * Deletes a branch and waits until it is gone from the list; one whose deletion the platform has scheduled counts as gone. A persistent
 * one is made non-persistent first, since the platform refuses its deletion (K-25).
 *
 * @returns when the platform will delete it, as it says; undefined where it is gone
 * @throws WaitingError Deleting until it is gone
 */
export async function removeBranch(run: BranchRun, of: BranchesOf, doomed: DoomedBranch): Promise<string | undefined> {
  const { branch, elapsedMs, sought } = doomed;
  if (isGoing(branch)) return branch.deletion_scheduled_at ?? undefined;
  const isTaken = isOnItsWayOut(branch) || (await requestDeletion(run, of, doomed));
  if (isTaken) run.environment.absences.taken(run.raw.metadata.uid, sought);
  const list = await branchesIfThere(run, of, 0);
  const left = findBranch(list ?? [], { ref: branch.project_ref, id: branch.id });
  // Where its project is not found, whether it is kept for a while is for the next look to tell.
  if (list === undefined || (left !== undefined && !isGoing(left))) {
    throw new UnderWayError("the branch is being deleted", pollDelayMs(elapsedMs));
  }
  if (left === undefined) requireAbsence(run, sought, "letGo");
  return left?.deletion_scheduled_at ?? undefined;
}

/** Whether its deletion has begun, or is to begin. */
export function isOnItsWayOut(branch: Branch): boolean {
  return isGoing(branch) || GOING.has(branch.preview_project_status ?? "");
}

/** Whether its deletion is scheduled (behaviour.md, branch states): the platform will see to it. */
export function isGoing({ deletion_scheduled_at: at }: Branch): boolean {
  return at !== undefined && at !== null;
}

async function unpersist(run: BranchRun, of: BranchesOf, branch: Branch): Promise<void> {
  const doing = "make the branch non-persistent, so that it can be deleted";
  await patchBranch(run, of, { branch, body: { persistent: false }, doing });
  run.wrote("Deleting", `made the branch ${branch.project_ref} non-persistent, so that it can be deleted`);
}

/** @returns whether the platform has agreed to it */
async function requestDeletion(
  run: BranchRun,
  of: BranchesOf,
  { branch, elapsedMs, soft }: DoomedBranch,
): Promise<boolean> {
  if (branch.persistent) await unpersist(run, of, branch);
  const { project_ref: ref } = branch;
  const options = { ...run.call, parentRef: of.projectRef };
  try {
    const query = soft ? { force: false } : {};
    await of.session.client.branches.delete({ branch_id_or_ref: ref, ...query }, options);
    run.wrote("Deleting", `asked for the branch ${ref} to be deleted`);
    return true;
  } catch (error) {
    // As for a project that is still provisioned (facts.md §5): it is asked again.
    if (isApiError(error, "BAD_REQUEST")) {
      const message = `the platform cannot delete the branch yet: ${error.message}`;
      throw waiting("Deleting", message, pollDelayMs(elapsedMs));
    }
    if (!isApiError(error, "GONE")) throw explain(error, "delete the branch");
    return false;
  } finally {
    forgetList(run, of);
  }
}
