/** How urgent a key is (engine.md §1): someone waits for it, something under way is polled, or a periodic look. */
export type Lane = "change" | "progress" | "drift";

/** What a reconcile that did not fail answers. */
export interface Result {
  /** Milliseconds until the key should run again; absent: only when something changes. */
  readonly requeueAfterMs?: number;
  /** The lane of that later run; default `drift`. */
  readonly lane?: Lane;
}

/** The user must act: no retry until the object, or something that it refers to, changes. */
export class TerminalError extends Error {
  readonly code = "TERMINAL";
  readonly reason: string;

  /** @param reason a condition reason (CamelCase) @param message what is wrong and what to write instead; no secrets, ids or timestamps */
  constructor(reason: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "TerminalError";
    this.reason = reason;
  }
}

/** Something is under way or not there yet, and the time of the next look is known. */
export class WaitingError extends Error {
  readonly code = "WAITING";
  readonly reason: string;
  readonly retryAfterMs: number;

  /** @param retryAfterMs milliseconds until the next look */
  constructor(reason: string, message: string, retryAfterMs: number, options?: ErrorOptions) {
    super(message, options);
    this.name = "WaitingError";
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }
}

/** A failure that is expected to pass by itself: retried with backoff. Any unknown error is treated as one. */
export class TransientError extends Error {
  readonly code = "TRANSIENT";
  readonly reason: string;

  constructor(reason: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "TransientError";
    this.reason = reason;
  }
}
