import type { Branch } from "../../api/contract/branches.ts";
import type { BranchVerb } from "../../resources/requests.ts";
import { isUnderWay } from "../requests/records.ts";
import { noteFound, requireAbsence } from "../shared/require-absence.ts";
import { soughtBranch } from "../shared/sought.ts";
import type { BranchContext, BranchRun } from "./context.ts";
import { haveBack, restsExpired } from "./expiry.ts";
import { findBranch, listBranches } from "./observe.ts";
import { isGoing } from "./remove.ts";
import { asksToRestore, endRequestsOfLost, isRestoring, refuseRequests, runBranchRequests } from "./requests.ts";
import { recordBranch, requireClaimOnRef } from "./settle.ts";
import { isWork } from "./work.ts";

/**
 * After the end of a ttl. A branch that was deleted softly is kept by the platform for a while, and can be had back until that is over: the object, which
 * forgot all else of it, still knows its id.
 */

/**
 * Whether the object is at the end of its ttl. An edit is no end of that while a restoration is under way: the platform may keep the branch already, which is
 * then the one that the edit is of.
 */
export function hasEnded(run: BranchRun): boolean {
  const mayBeKept = run.status.current.id !== undefined && isRestoring(run);
  return restsExpired(run) || (mayBeKept && run.status.condition("Expired") !== undefined);
}

/** Whether nothing is left to be found out of a branch at its end: nobody asks for it any more, and of what was asked of it all is known. */
export function isAtRest(run: BranchRun): boolean {
  const { id, requests = [] } = run.status.current;
  if (requests.some((record) => isUnderWay(record) && isWork(record))) return false;
  return id === undefined || !(asksToRestore(run) || isRestoring(run));
}

/** Nothing can be asked of what is gone, and what stands there must not be carried out on what is made in its place. */
export function refuseAfterEnd(run: BranchRun): Promise<void> {
  return refuseRequests(run, () => run.environment.clock.now(), "the ttl of the branch ended, and it was deleted");
}

/**
 * Has the platform keep the branch after all, where that is asked for; nothing else is carried out before it does.
 *
 * @returns the branch, which the object has again with a ttl that begins anew; undefined where it stays as it ended
 */
export async function comeBack(run: BranchRun, context: BranchContext): Promise<Branch | undefined> {
  const { id } = run.status.current;
  const found = id === undefined ? undefined : findBranch(await listBranches(run, context, 0), { ref: "", id });
  if (found === undefined) {
    if (id !== undefined) requireAbsence(run, soughtBranch({ ref: "", id }), "end");
    run.status.update({ id: undefined, deletionScheduledAt: undefined });
    await endRequestsOfLost(run, context, { branchId: id, why: "the ttl of the branch ended, and it is gone" });
    if (id !== undefined) noteFound(run, soughtBranch({ ref: "", id })); // nobody looks for it any more
    return undefined;
  }
  noteFound(run, soughtBranch({ ref: found.project_ref, id: found.id }));
  requireClaimOnRef(run, context, found.project_ref);
  const kept = await runBranchRequests(run, context, found, "restore" satisfies BranchVerb);
  if (isGoing(kept)) {
    if (isAtRest(run)) await refuseAfterEnd(run);
    return undefined;
  }
  haveBack(run, context, kept); // also where it was not this object that had it kept
  return recordBranch(run, context, kept);
}
