import { CredentialError } from "../../api/credentials/credentials.ts";
import { isApiError } from "../../api/errors.ts";
import { causeChain } from "../../base/error-facts.ts";
import type { Reason } from "../../resources/conditions.ts";
import { durationMs } from "../../resources/duration.ts";
import { RETRY_BOUNDS } from "../../runtime/backoff.ts";
import { type Outcome, TransientError, WaitingError } from "../../runtime/outcome.ts";
import { pollDelayMs } from "./polling.ts";

/** What a failure means for a deletion: whether it may still end by itself, and when it is looked at again. Pure. */

/** The platform does what it was asked for, and is not done yet: no failure, unless it takes for ever. */
export class UnderWayError extends WaitingError {
  /** @param retryAfterMs when it is looked at again, milliseconds */
  constructor(message: string, retryAfterMs: number) {
    super("Deleting" satisfies Reason, message, retryAfterMs);
  }
}

/** A failure of a deletion, at one moment of it. */
export interface FailedDeletion {
  readonly error: unknown;
  readonly outcome: Outcome;
  /** since when the object is being deleted, milliseconds */
  readonly elapsedMs: number;
  /** until `deletionTimeout` has passed, milliseconds */
  readonly leftMs: number;
  /** `deletionTimeout` of the spec */
  readonly timeout: string;
}

/**
 * Of a credential whose Secret is there no more, no look of its connection's finds out that it is not accepted either: what it is refused for
 * is the only news of it.
 */
export function isRefusedCredential(error: unknown): boolean {
  return causeChain(error).some(
    (link) => isApiError(link, "UNAUTHORIZED") || (link instanceof CredentialError && link.fault === "refused"),
  );
}

/** Whether a failure of a deletion tells that the platform let it in: it said what it waits for, or what it does not like. */
export function wasLetIn(outcome: Outcome): boolean {
  return (
    (outcome.kind === "waiting" || outcome.kind === "terminal") &&
    outcome.reason !== ("DeletionBlocked" satisfies Reason)
  );
}

/** A turn in a long queue comes; a platform that refuses everything, for as long as the bound, is one that refuses for ever. */
function whyRefused(error: unknown, timeout: string): string | undefined {
  const refusedForMs = causeChain(error).find((link) => isApiError(link, "BUDGET"))?.refusedForMs ?? 0;
  return refusedForMs >= durationMs(timeout) ? `the platform has answered nothing but 429 for ${timeout}` : undefined;
}

/** The same failure, to be looked at again at the bound at the latest, where its rest would pass that by. */
export function inTime({ error, outcome, elapsedMs, leftMs }: FailedDeletion): unknown {
  if (leftMs <= 0 || (outcome.kind !== "waiting" && outcome.kind !== "transient")) return error;
  const { kind, reason, message, retryAfterMs = RETRY_BOUNDS.maxMs } = outcome;
  if (retryAfterMs <= leftMs) return error;
  if (kind === "waiting") return new WaitingError(reason, message, leftMs, { cause: error });
  return new TransientError(reason, message, { cause: error, retryAfterMs: Math.min(leftMs, pollDelayMs(elapsedMs)) });
}

/** What keeps a deletion from ending; undefined while it may end by itself. */
export function whyBlocked(failed: FailedDeletion): string | undefined {
  const { outcome, leftMs } = failed;
  if ("reason" in outcome && outcome.reason === ("DeletionBlocked" satisfies Reason)) return undefined;
  if (outcome.kind === "terminal") return outcome.message;
  return leftMs <= 0 ? whyOverdue(failed) : undefined;
}

function whyOverdue({ error, outcome, timeout }: FailedDeletion): string | undefined {
  switch (outcome.kind) {
    case "done":
    case "aborted":
    case "conflict":
      return undefined;
    case "rateLimited":
      return whyRefused(error, timeout);
    case "terminal":
    case "waiting":
    case "transient":
    case "deadline":
      return outcome.message;
    case "unexpected":
      return "an unexpected error, which the operator's log tells";
    default:
      return outcome satisfies never;
  }
}
