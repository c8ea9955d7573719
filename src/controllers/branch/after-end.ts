import type { Branch } from "../../api/contract/branches.ts";
import { standing } from "../requests/records.ts";
import type { BranchContext, BranchRun } from "./context.ts";
import { haveBack, platformNow, restsExpired } from "./expiry.ts";
import { findBranch, listBranches } from "./observe.ts";
import { isGoing } from "./remove.ts";
import { isRestoring, refuseRequests, runBranchRequests } from "./requests.ts";
import { recordBranch, requireClaimOnRef } from "./settle.ts";

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

/** Whether somebody asks for it, or did: whoever died right after that has still to take it over. */
export function mayComeBack(run: BranchRun): boolean {
  if (run.status.current.id === undefined) return false;
  return standing(run.raw.metadata, "restore") !== undefined || isRestoring(run);
}

/** Nothing can be asked of what is gone, and what stands there must not be carried out on what is made in its place. */
export function refuseAfterEnd(run: BranchRun): Promise<void> {
  return refuseRequests(run, () => run.environment.clock.now(), "the ttl of the branch ended, and it was deleted");
}

/**
 * Has the platform keep the branch after all, where that is asked for.
 *
 * @returns the branch, which the object has again with a ttl that begins anew; undefined where it stays as it ended
 */
export async function comeBack(run: BranchRun, context: BranchContext): Promise<Branch | undefined> {
  const { id } = run.status.current;
  const found = id === undefined ? undefined : findBranch(await listBranches(run, context, 0), { ref: "", id });
  if (found === undefined) {
    run.status.update({ id: undefined, deletionScheduledAt: undefined });
    await refuseRequests(run, () => platformNow(run, context), "the ttl of the branch ended, and it is gone");
    return undefined;
  }
  requireClaimOnRef(run, context, found.project_ref);
  const kept = await runBranchRequests(run, context, found);
  if (isGoing(kept)) return undefined;
  haveBack(run, context, kept); // also where it was not this object that had it kept
  return recordBranch(run, context, kept);
}
