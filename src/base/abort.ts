import type { Clock } from "./clock.ts";

/** Thrown (as an AbortSignal's reason) when a deadline passes; told apart from a shutdown by its class. */
export class DeadlineError extends Error {
  readonly code = "DEADLINE";
  readonly deadlineMs: number;

  /** @param deadlineMs the time that was allowed, milliseconds */
  constructor(deadlineMs: number) {
    super(`no result within ${deadlineMs} ms`);
    this.name = "DeadlineError";
    this.deadlineMs = deadlineMs;
  }
}

/**
 * Resolves after `ms` on `clock`; rejects with the signal's reason as soon as it aborts. Leaves neither timer nor listener behind.
 */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = (): void => {
      timer.cancel();
      reject(signal?.reason);
    };
    const timer = clock.setTimer(ms, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/** A signal that aborts with the parent's reason or, after `ms` on `clock`, with a DeadlineError. `dispose` frees timer and listener. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
}

/** Derives a deadline from an optional parent signal; use with `using`. */
export function deadline(clock: Clock, ms: number, parent?: AbortSignal): Deadline {
  const controller = new AbortController();
  const onParentAbort = (): void => controller.abort(parent?.reason);
  const timer = clock.setTimer(ms, () => controller.abort(new DeadlineError(ms)));
  if (parent?.aborted) onParentAbort();
  else parent?.addEventListener("abort", onParentAbort, { once: true });
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      timer.cancel();
      parent?.removeEventListener("abort", onParentAbort);
    },
  };
}
