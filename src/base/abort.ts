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

/**
 * Waits for work that others may share, but no longer than `signal` allows. The work itself goes on, and what becomes of it after that is
 * nobody's failure: a rejection that comes too late is not an unhandled one. Leaves no listener behind.
 *
 * @throws the signal's reason once it aborts, also where it had aborted before; else what the work rejects with
 */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([aborted.promise, work]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** A controller that aborts with its parent too. `dispose` lets go of the parent, and does not abort. */
export interface ChildController extends Disposable {
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
}

/** Derives a controller from an optional parent signal; use with `using`. AbortSignal.any would hold on to a parent that outlives it. */
export function childController(parent?: AbortSignal): ChildController {
  const controller = new AbortController();
  const onParentAbort = (): void => controller.abort(parent?.reason);
  if (parent?.aborted) onParentAbort();
  else parent?.addEventListener("abort", onParentAbort, { once: true });
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    [Symbol.dispose]: () => parent?.removeEventListener("abort", onParentAbort),
  };
}

/** A signal that aborts with the parent's reason or, after `ms` on `clock`, with a DeadlineError. `dispose` frees timer and listener. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
}

/** Derives a deadline from an optional parent signal; use with `using`. */
export function deadline(clock: Clock, ms: number, parent?: AbortSignal): Deadline {
  const child = childController(parent);
  const timer = clock.setTimer(ms, () => child.abort(new DeadlineError(ms)));
  return {
    signal: child.signal,
    [Symbol.dispose]: () => {
      timer.cancel();
      child[Symbol.dispose]();
    },
  };
}
