/**
 * src/base: the few things that every room needs and that would otherwise be ambient: time, randomness, cancellation, proxies, how an
 * error is told, and the interfaces of logs and metrics. Nothing here imports another room, does I/O, or knows what Kubernetes or the
 * Management API is for.
 */

/** A pending timer. `cancel` is idempotent and harmless after the timer fired. */
export interface Timer {
  cancel(): void;
}

/**
 * Time as an argument, so that tests drive it instead of sleeping.
 *
 * `now` is wall time for what people and servers read; `monotonic` never steps backwards and is what deadlines are measured on.
 */
export interface Clock {
  /** Wall time, milliseconds since the Unix epoch. */
  now(): number;
  /** Milliseconds since an arbitrary start; never goes backwards. */
  monotonic(): number;
  /** Calls `callback` once after `delayMs` (negative counts as 0). Timers never keep a process alive by themselves. */
  setTimer(delayMs: number, callback: () => void): Timer;
}

/** Longest delay that setTimeout takes (2^31 - 1 ms); longer ones would fire at once, so they are chained. */
const LONGEST_TIMEOUT_MS = 2_147_483_647;

function setLongTimeout(delayMs: number, callback: () => void): Timer {
  let handle: NodeJS.Timeout;
  const arm = (remainingMs: number): void => {
    const step = Math.min(Math.max(0, remainingMs), LONGEST_TIMEOUT_MS);
    handle = setTimeout(() => {
      if (remainingMs > LONGEST_TIMEOUT_MS) arm(remainingMs - LONGEST_TIMEOUT_MS);
      else callback();
    }, step);
    handle.unref();
  };
  arm(delayMs);
  return { cancel: () => clearTimeout(handle) };
}

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer: setLongTimeout,
};
