import type { Branch } from "../../api/contract/branches.ts";
import { isUnderWay } from "../requests/records.ts";
import { waiting } from "../shared/failures.ts";
import { pollDelayMs } from "../shared/polling.ts";
import { soughtBranch } from "../shared/sought.ts";
import { refuseAfterEnd } from "./after-end.ts";
import type { BranchContext, BranchRun } from "./context.ts";
import { platformNow, settleExpired } from "./expiry.ts";
import { removeBranch } from "./remove.ts";
import { endRequests, type EndingBranch, refuseRequests } from "./requests.ts";
import { isWork } from "./work.ts";

/**
 * Ends a branch whose ttl is over or whose object is deleted. A merge, push or reset may be under way then, and the platform does not say what becomes
 * of one whose branch is deleted: half a merge is possible. So the deletion waits for those that this object asked for, but not for ever.
 */

/** How long the end of a ttl waits for an action run, milliseconds. */
const LONGEST_WAIT_MS = 3_600_000;

/** The bound of that wait. */
interface Patience {
  /** for how long the branch has been due to go, milliseconds */
  readonly elapsedMs: number;
  /** for how long it may still be waited, milliseconds; asked while something is waited for */
  readonly leftMs: () => number;
  /** the same, for people */
  readonly atMost: string;
}

/**
 * Follows what was asked of the branch, and refuses what was not sent. What is under way when it was waited for long enough ends as Unknown.
 *
 * @throws WaitingError Deleting while an action run of this object's is under way
 */
export async function awaitWork(run: BranchRun, ending: EndingBranch, patience: Patience): Promise<void> {
  const { why } = ending;
  await endRequests(run, ending);
  const left = (run.status.current.requests ?? []).filter(isUnderWay);
  const work = left.find(isWork);
  const leftMs = work === undefined ? 0 : patience.leftMs();
  if (work !== undefined && leftMs > 0) {
    const { elapsedMs, atMost } = patience;
    const message = `${why}: the branch is deleted once its ${work.verb} ${work.id} is done, which is waited for ${atMost}`;
    throw waiting("Deleting", message, Math.min(leftMs, pollDelayMs(elapsedMs)));
  }
  if (left.length > 0) await refuseRequests(run, () => platformNow(run, ending), `${why}, and the branch is deleted`);
}

/**
 * Deletes a branch whose ttl ended.
 *
 * @throws WaitingError Deleting until it is gone
 */
export async function endBranch(
  run: BranchRun,
  context: BranchContext,
  { remote, elapsedMs }: { readonly remote: Branch; readonly elapsedMs: number },
): Promise<void> {
  const { object, place } = context;
  const { environment, raw } = run;
  const ending: EndingBranch = { object, place, remote, why: "the ttl of the branch ended" };
  await awaitWork(run, ending, {
    elapsedMs,
    leftMs: () => environment.deletions.leftOfEndMs(raw.metadata.uid, elapsedMs, LONGEST_WAIT_MS),
    atMost: "for an hour at most",
  });
  const soft = object.spec.softDelete === true;
  const keptUntil = await removeBranch(run, place, {
    branch: remote,
    elapsedMs,
    soft,
    sought: soughtBranch({ ref: remote.project_ref, id: remote.id }),
  });
  await settleExpired(run, context, keptUntil === undefined ? undefined : { id: remote.id, until: keptUntil });
  await refuseAfterEnd(run);
}
