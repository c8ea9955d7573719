import type { Random } from "../base/random.ts";
import type { KubeErrorCode } from "./errors.ts";
import { isKubeError } from "./errors.ts";

/** Times and sizes of a reflector; all milliseconds unless said otherwise. */
export interface ReflectorTuning {
  /** Objects a page of a list. */
  readonly pageSize: number;
  /** The server is asked to end each watch after a random time between these two, so that watches spread over its replicas. */
  readonly minWatchMs: number;
  readonly maxWatchMs: number;
  /** Silence after which a connection counts as dead. Servers send a bookmark about once a minute. */
  readonly idleMs: number;
  /** A watch that lasts this long counts as progress even without an event; one that ends sooner without any, as a failure. */
  readonly steadyWatchMs: number;
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  /** Between looks for an optional kind that is absent; spread by a quarter. */
  readonly absentPollMs: number;
  /** Streams in a row that cannot be read, after which a list is made instead: number. */
  readonly unreadableLimit: number;
  /** Failures in a row before it is worth a warning: number. */
  readonly warnAfter: number;
  /** How much later than announced the next activity may be before the loop counts as stuck. */
  readonly stuckAfterMs: number;
}

export const defaultTuning: ReflectorTuning = {
  pageSize: 500,
  minWatchMs: 300_000,
  maxWatchMs: 600_000,
  idleMs: 150_000,
  steadyWatchMs: 5_000,
  firstPauseMs: 800,
  longestPauseMs: 30_000,
  absentPollMs: 60_000,
  unreadableLimit: 3,
  warnAfter: 3,
  stuckAfterMs: 60_000,
};

/** Longest wait that a server may ask for. */
const LONGEST_ASKED_MS = 300_000;

/** What a reflector does after a failure. */
export interface Recovery {
  readonly pauseMs: number;
  /** The version is of no use any more: list again. */
  readonly relist: boolean;
  readonly smallerPages: boolean;
  readonly reason: RestartReason;
}

/** Label of the metric of restarts; `ended`: the server ended the watch as it was asked to. */
export const restartReasons = ["ended", "gone", "silent", "throttled", "unreadable", "refused", "error"] as const;
export type RestartReason = (typeof restartReasons)[number];

const reasons: Readonly<Record<KubeErrorCode, RestartReason>> = {
  AlreadyExists: "error",
  Conflict: "error",
  Forbidden: "refused",
  Gone: "gone",
  Invalid: "refused",
  NotFound: "refused",
  NotLeader: "error",
  ServerError: "error",
  Timeout: "silent",
  TooManyRequests: "throttled",
  Unauthorized: "refused",
  Unavailable: "error",
  UnexpectedResponse: "unreadable",
};

/** A pause that doubles with each failure, half of it random, so that many clients do not come back together. */
export function jittered(tuning: ReflectorTuning, failures: number, random: Random): number {
  const pauseMs = Math.min(tuning.firstPauseMs * 2 ** failures, tuning.longestPauseMs);
  return pauseMs / 2 + (random() * pauseMs) / 2;
}

/**
 * What to do after `error`: list again where the version is of no use, obey a server that asked to wait, and else pause and go on from
 * the last version.
 *
 * @param context.failures how many there were before, since the last progress
 */
export function recoveryFrom(
  error: unknown,
  context: { readonly tuning: ReflectorTuning; readonly failures: number; readonly random: Random },
): Recovery {
  const { tuning, failures, random } = context;
  const pauseMs = jittered(tuning, failures, random);
  if (!isKubeError(error)) return { pauseMs, relist: false, smallerPages: false, reason: "error" };
  const gone = error.code === "Gone";
  // The usual case of Gone, after a long absence: list at once. Again, without progress in between: slowly.
  const ownMs = gone && failures === 0 ? 0 : pauseMs;
  const askedMs = Math.min(error.retryAfterMs ?? 0, LONGEST_ASKED_MS);
  return {
    pauseMs: askedMs > 0 ? askedMs + pauseMs / 2 : ownMs,
    relist: gone || error.code === "NotFound",
    smallerPages: error.reason === "ResponseTooLarge",
    reason: reasons[error.code],
  };
}
