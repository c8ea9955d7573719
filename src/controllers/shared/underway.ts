import { durationMs } from "../../resources/duration.ts";
import type { Reason } from "../../resources/conditions.ts";
import { clusterNow } from "./cluster-time.ts";
import { kubeTime } from "./conditions.ts";
import { terminal, waiting } from "./failures.ts";
import { pollDelayMs } from "./polling.ts";
import type { Run } from "./run.ts";
import type { CommonStatus } from "./status-draft.ts";

/** Something remote that takes time. */
export interface Underway {
  /** names it, for the status: Creating, Pausing */
  readonly operation: string;
  readonly reason: Reason;
  readonly message: string;
  /** `provisioningTimeout` of the spec, as a duration */
  readonly timeout: string;
}

interface UnderwayStatus extends CommonStatus {
  readonly underway?: { readonly operation: string; readonly since: string } | undefined;
}

/** How often something that outlived its deadline is looked at, milliseconds: it is still watched (engine.md §7). */
const STUCK_LOOK_MS = 60_000;

/**
 * Notes since when something is under way and says how the run ends: waiting, or Stalled once the deadline has passed. Nothing is undone or
 * made again by itself (K-04, K-26).
 *
 * @returns the failure to end the run with
 */
export function trackUnderway<Status extends UnderwayStatus>(
  run: Run<Status>,
  { operation, reason, message, timeout }: Underway,
): Error {
  const before = run.status.current.underway;
  const nowMs = clusterNow(run.environment);
  const since = before?.operation === operation ? before.since : kubeTime(nowMs);
  run.status.underway({ operation, since });
  const elapsedMs = nowMs - Date.parse(since);
  if (elapsedMs < durationMs(timeout)) return waiting(reason, message, pollDelayMs(elapsedMs));
  return terminal(
    "DeadlineExceeded",
    `${message} since ${since}, longer than provisioningTimeout ${timeout}: see it on the platform; it is still watched, and nothing is deleted or made again`,
    { recheckAfterMs: STUCK_LOOK_MS },
  );
}
