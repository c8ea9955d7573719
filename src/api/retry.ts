import type { Random } from "../base/random.ts";
import type { RetrySafety } from "./contract/operation.ts";

/** How one sending of a request failed. 429 is none: nothing happened, and the pacer knows when to go again (call.ts). */
export type AttemptFailure =
  /** no connection, so nothing was sent; `permanent` when the next try would end the same (a certificate that is not trusted) */
  | { readonly kind: "notSent"; readonly permanent: boolean }
  /** the connection broke after sending began */
  | { readonly kind: "lost" }
  /** no answer within the time of one sending */
  | { readonly kind: "timedOut" }
  /** an answer that is not a success; `retryAfterMs` as the server asks */
  | { readonly kind: "status"; readonly status: number; readonly retryAfterMs?: number };

export type RetryDecision = { readonly action: "stop" } | { readonly action: "wait"; readonly waitMs: number };

/** Sendings of one call, refusals for rate not counted. */
const MOST_ATTEMPTS = 4;
/** Exponential backoff with full jitter (engine.md §1 says the same of keys): the wait is uniform up to 200 ms · 2^n, at most 3 s. */
const BASE_MS = 200;
const CAP_MS = 3000;
/** Answers of a proxy, or of a server that is going away: the next one may be another. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 502, 503, 504]);

/** Whether the failure proves that nothing happened remotely (engine.md §4, last lines). */
export function provesNoEffect(failure: AttemptFailure): boolean {
  switch (failure.kind) {
    case "notSent":
      return true;
    case "lost":
    case "timedOut":
      return false;
    case "status":
      return failure.status < 500 && failure.status >= 400 && failure.status !== 408;
    default:
      return failure satisfies never;
  }
}

function passes(failure: AttemptFailure): boolean {
  switch (failure.kind) {
    case "lost":
    case "timedOut":
      return true;
    case "notSent":
      return !failure.permanent;
    case "status":
      return PASSING_STATUSES.has(failure.status);
    default:
      return failure satisfies never;
  }
}

/**
 * What to do after the `attempt`th sending (1 is the first) failed. Pure; the deadline of the call is the caller's business.
 *
 * Promise: an operation that is `once` in the contract is sent again only when the failure proves that nothing happened.
 */
export function decideRetry(
  safety: RetrySafety,
  attempt: number,
  failure: AttemptFailure,
  random: Random,
): RetryDecision {
  const mayRepeat = safety !== "once" || provesNoEffect(failure);
  if (!mayRepeat || !passes(failure) || attempt >= MOST_ATTEMPTS) return { action: "stop" };
  const backoffMs = random() * Math.min(CAP_MS, BASE_MS * 2 ** (attempt - 1));
  const askedMs = failure.kind === "status" ? (failure.retryAfterMs ?? 0) : 0;
  return { action: "wait", waitMs: Math.max(backoffMs, askedMs) };
}
