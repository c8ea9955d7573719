import { DeadlineError } from "../base/abort.ts";
import { causeChain, type ErrorFacts, errorFacts } from "../base/error-facts.ts";
import type { Lane } from "./lane.ts";

/** What a reconcile that did not fail answers. */
export interface Result {
  /** Milliseconds until the key should run again; absent: only when something changes. */
  readonly requeueAfterMs?: number;
  /** The lane of that later run; default `drift`, for which `requeueAfterMs` is also the interval that ageing goes by. */
  readonly lane?: Lane;
}

/** The user must act: no retry until the object, or something that it refers to, changes. */
export class TerminalError extends Error {
  readonly code = "TERMINAL";
  readonly reason: string;
  /** Milliseconds until a slow look all the same, for what can be put right where no watch sees it (a plan, a scope). */
  readonly recheckAfterMs: number | undefined;

  /** @param reason a condition reason (CamelCase) @param message what is wrong and what to write instead; no secrets, ids or timestamps */
  constructor(reason: string, message: string, options?: ErrorOptions & { readonly recheckAfterMs?: number }) {
    super(message, options);
    this.name = "TerminalError";
    this.reason = reason;
    this.recheckAfterMs = options?.recheckAfterMs;
  }
}

/** Something is under way or not there yet, and the time of the next look is known. */
export class WaitingError extends Error {
  readonly code = "WAITING";
  readonly reason: string;
  readonly retryAfterMs: number;
  /** The wait is expected to end before anybody needs to be told: the object goes on saying what it said. */
  readonly untold: boolean;

  /** @param retryAfterMs milliseconds until the next look */
  constructor(
    reason: string,
    message: string,
    retryAfterMs: number,
    options: ErrorOptions & { readonly untold?: boolean } = {},
  ) {
    super(message, options);
    this.name = "WaitingError";
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
    this.untold = options.untold ?? false;
  }
}

/** A failure that is expected to pass by itself: retried with backoff. Any unknown error is treated as one. */
export class TransientError extends Error {
  readonly code = "TRANSIENT";
  readonly reason: string;
  /** Milliseconds until the next run, where the backoff would not do. */
  readonly retryAfterMs: number | undefined;

  constructor(reason: string, message: string, options?: ErrorOptions & { readonly retryAfterMs?: number }) {
    super(message, options);
    this.name = "TransientError";
    this.reason = reason;
    this.retryAfterMs = options?.retryAfterMs;
  }
}

/** How a run ended. `message` is fit for conditions and events: it does not change by itself and holds no secret. */
export type Outcome =
  | { readonly kind: "done"; readonly result: Result }
  /** The API server refused a stale write; the next look reads what changed. */
  | { readonly kind: "conflict" }
  /** The process stops or is not certain to lead, so that a request was not started or was cut off; nothing is wrong with the key. */
  | { readonly kind: "aborted" }
  | {
      readonly kind: "waiting";
      readonly reason: string;
      readonly message: string;
      readonly retryAfterMs: number;
      /** the status stays as it is */
      readonly untold?: boolean;
    }
  /** No request budget now (engine.md §2); the run gave its worker back. */
  | { readonly kind: "rateLimited"; readonly message: string; readonly retryAfterMs: number }
  | { readonly kind: "terminal"; readonly reason: string; readonly message: string; readonly recheckAfterMs?: number }
  | { readonly kind: "transient"; readonly reason: string; readonly message: string; readonly retryAfterMs?: number }
  | { readonly kind: "deadline"; readonly message: string }
  /** A bug or a failure that nobody gave words to: retried as transient, its text goes to the log only. */
  | { readonly kind: "unexpected" };

const kindsOfOutcome = {
  done: true,
  waiting: true,
  rateLimited: true,
  terminal: true,
  transient: true,
  deadline: true,
  unexpected: true,
  conflict: true,
  aborted: true,
} as const satisfies Readonly<Record<Outcome["kind"], true>>;
/** The names of all outcomes. */
export const outcomes: readonly string[] = Object.keys(kindsOfOutcome);

/** When a key runs again. `same` is the lane that the run was in. */
export type Requeue =
  | { readonly kind: "never" }
  /** `failed`: the run counts as a failure for the backoff of later ones. */
  | { readonly kind: "after"; readonly afterMs: number; readonly lane: Lane | "same"; readonly failed?: boolean }
  | { readonly kind: "backoff" };

/** The condition that an outcome sets; Ready is summarised from the others by whoever writes the status (style.md, Conditions). */
export interface ConditionChange {
  readonly type: "Reconciling" | "Stalled";
  readonly status: "True";
  readonly reason: string;
  readonly message: string;
}

/** What follows from an outcome. */
export interface Disposition {
  readonly requeue: Requeue;
  /** Absent: the status stays as the reconciler wrote it. */
  readonly condition?: ConditionChange;
  /** Type of the event to record, with the condition's reason and message. */
  readonly event?: "Normal" | "Warning";
  /** Value of the metric label `outcome`. */
  readonly metric: Outcome["kind"];
  /** Of the run's one line; a run that changed something says so at level info at least. */
  readonly logLevel: "debug" | "warn" | "error";
}

/** True when the error is nothing but the signal's abort coming back, bare or as a client words it. */
function isAbortOf(signal: AbortSignal, error: unknown): boolean {
  return causeChain(error).some((link) => {
    if (link === signal.reason) return true;
    const { name, code } = errorFacts(link);
    return name === "AbortError" || code === "ABORTED";
  });
}

/**
 * Whose client was closed while the run goes on, as another took its place: not the process's end, and so a failure like others, which is told and which
 * a bound counts. One that came again and again must not go unheard.
 */
function isOfClosedClient(error: unknown): boolean {
  return causeChain(error).some((link) => errorFacts(link).code === "CLIENT_CLOSED");
}

const CLIENT_CLOSED: Outcome = {
  kind: "transient",
  reason: "ConnectionNotReady",
  message: "the connection was opened anew meanwhile, with another credential",
};

/**
 * Names what a failed run's error means. Told by `code` and never by text, so that no room needs another's classes: the three classes of
 * this file, the API server's `Conflict`, the pacer's `BUDGET`, a request that was not started or was cut off, a deadline; all else is
 * transient.
 *
 * @param signal the run's signal: an abort that it caused is no failure of the key
 */
export function classify(error: unknown, signal?: AbortSignal): Outcome {
  if (signal?.aborted && isAbortOf(signal, error)) {
    return signal.reason instanceof DeadlineError
      ? { kind: "deadline", message: signal.reason.message }
      : { kind: "aborted" };
  }
  const facts = errorFacts(error);
  switch (facts.code ?? "") {
    case "Conflict":
      return { kind: "conflict" };
    case "NotLeader":
      return { kind: "aborted" };
    case "NOT_STARTED":
    case "ABORTED":
      return isOfClosedClient(error) ? CLIENT_CLOSED : { kind: "aborted" };
    case "DEADLINE":
      return { kind: "deadline", message: facts.message };
    case "BUDGET":
      return { kind: "rateLimited", message: facts.message, retryAfterMs: facts.retryAfterMs ?? 1000 };
    default:
      return classifySpoken(facts);
  }
}

/**
 * The reason for a failure of one of our clients that nobody gave words to. Their codes, and what the apiserver calls a failure (`Forbidden`,
 * `Expired`), are words of other tables, some of which mean another thing in that of reasons: codes of the Management API's client are in
 * capitals, those of the apiserver's are not.
 */
function reasonOfClient(code: string | undefined): string {
  return code !== undefined && /^[A-Z_]+$/.test(code) ? "ServerUnavailable" : "KubernetesError";
}

/**
 * The outcomes that carry a reason. Errors of our clients tell their `effect`, and their messages are made to be shown; an error with
 * neither reason nor effect is unexpected.
 */
function classifySpoken(facts: ErrorFacts): Outcome {
  const { code, reason: given, effect, message, retryAfterMs, recheckAfterMs, untold = false } = facts;
  const reason = effect === undefined ? given : reasonOfClient(code);
  if (reason === undefined) return { kind: "unexpected" };
  if (code === "TERMINAL") {
    return { kind: "terminal", reason, message, ...(recheckAfterMs === undefined ? {} : { recheckAfterMs }) };
  }
  if (code === "WAITING" && retryAfterMs !== undefined) {
    return { kind: "waiting", reason, message, retryAfterMs, ...(untold ? { untold } : {}) };
  }
  return { kind: "transient", reason, message, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}

/** What a user reads of an error that nobody gave words to: its own text may hold anything, and changes by itself. */
const UNEXPECTED_MESSAGE = "an unexpected error; the operator's log tells it, and the run is repeated";

/** Least time between two runs that a run asks for, milliseconds: an answer of 0 must not become a hot loop. */
const LEAST_REQUEUE_MS = 100;

const backoff: Requeue = { kind: "backoff" };
const never: Requeue = { kind: "never" };

/** A time as told, except that too short ones (and not-a-number) count as the least. */
function after(ms: number, lane: Lane | "same", failed = false): Requeue {
  const afterMs = ms >= LEAST_REQUEUE_MS ? ms : LEAST_REQUEUE_MS;
  return { kind: "after", afterMs, lane, ...(failed ? { failed } : {}) };
}

/**
 * The one place where an outcome becomes a next run, a condition, an event, a metric and a log level. Source: style.md, reconcile
 * contract; engine.md §1 (a known waiting time is used as told) and §2 (`RateLimited`).
 *
 * Whoever records the event does so when the condition is new, not at each repetition.
 */
export function disposition(outcome: Outcome): Disposition {
  const metric = outcome.kind;
  switch (outcome.kind) {
    case "done":
      return { requeue: nextLook(outcome.result), metric, logLevel: "debug" };
    case "conflict":
    case "aborted":
      return { requeue: backoff, metric, logLevel: "debug" };
    case "waiting": {
      const requeue = after(outcome.retryAfterMs, "progress");
      if (outcome.untold === true) return { requeue, metric, logLevel: "debug" };
      const condition = reconciling(outcome.reason, outcome.message);
      return { requeue, condition, event: "Normal", metric, logLevel: "debug" };
    }
    case "rateLimited": {
      const requeue = after(outcome.retryAfterMs, "same");
      return { requeue, condition: reconciling("RateLimited", outcome.message), metric, logLevel: "debug" };
    }
    case "terminal": {
      const { reason, message, recheckAfterMs } = outcome;
      const requeue = recheckAfterMs === undefined ? never : after(recheckAfterMs, "drift");
      const condition: ConditionChange = { type: "Stalled", status: "True", reason, message };
      return { requeue, condition, event: "Warning", metric, logLevel: "warn" };
    }
    case "transient": {
      const { retryAfterMs } = outcome;
      const requeue = retryAfterMs === undefined ? backoff : after(retryAfterMs, "same", true);
      const condition = reconciling(outcome.reason, outcome.message);
      return { requeue, condition, event: "Warning", metric, logLevel: "warn" };
    }
    case "deadline": {
      const condition = reconciling("DeadlineExceeded", outcome.message);
      return { requeue: backoff, condition, event: "Warning", metric, logLevel: "warn" };
    }
    case "unexpected": {
      const condition = reconciling("UnexpectedError", UNEXPECTED_MESSAGE);
      return { requeue: backoff, condition, event: "Warning", metric, logLevel: "error" };
    }
    default:
      return outcome satisfies never;
  }
}

function reconciling(reason: string, message: string): ConditionChange {
  return { type: "Reconciling", status: "True", reason, message };
}

function nextLook(result: Result): Requeue {
  if (result.requeueAfterMs === undefined) return never;
  return after(result.requeueAfterMs, result.lane ?? "drift");
}
