import type { Clock, Timer } from "./clock.ts";

interface Pending {
  readonly dueMs: number;
  readonly sequence: number;
  readonly callback: () => void;
}

/**
 * A clock that stands still until it is told to move: the clock of tests, and of the emulator where time is driven by control calls.
 *
 * Timers fire in order of their due time, ties in order of creation, each at exactly its due time; a timer set by a callback
 * within the advanced span fires in the same call.
 */
export class ManualClock implements Clock {
  #elapsedMs = 0;
  #sequence = 0;
  readonly #startMs: number;
  readonly #pending = new Set<Pending>();

  /** @param startMs wall time at the start, milliseconds since the epoch */
  constructor(startMs = Date.UTC(2026, 0, 1)) {
    this.#startMs = startMs;
  }

  now(): number {
    return this.#startMs + this.#elapsedMs;
  }

  monotonic(): number {
    return this.#elapsedMs;
  }

  setTimer(delayMs: number, callback: () => void): Timer {
    const pending: Pending = {
      dueMs: this.#dueIn(delayMs),
      sequence: this.#sequence++,
      callback,
    };
    this.#pending.add(pending);
    return { cancel: () => void this.#pending.delete(pending) };
  }

  /** Later than now for whatever is to wait, also where numbers are too coarse for so short a delay: who waits again for the rest gets on. */
  #dueIn(delayMs: number): number {
    const nowMs = this.#elapsedMs;
    return delayMs > 0 ? Math.max(nowMs + delayMs, nowMs * (1 + Number.EPSILON)) : nowMs;
  }

  /** How many timers wait. */
  get pendingTimers(): number {
    return this.#pending.size;
  }

  /** Milliseconds until the next timer is due, or undefined when none waits. */
  msToNextTimer(): number | undefined {
    const next = this.#next();
    return next === undefined ? undefined : next.dueMs - this.#elapsedMs;
  }

  /** Moves time by `ms` and fires what became due, synchronously and in order. */
  advance(ms: number): void {
    const target = this.#elapsedMs + ms;
    for (let next = this.#next(); next !== undefined && next.dueMs <= target; next = this.#next()) {
      this.#elapsedMs = Math.max(this.#elapsedMs, next.dueMs);
      this.#pending.delete(next);
      next.callback();
    }
    this.#elapsedMs = target;
  }

  /**
   * As `advance`, but lets promise continuations run between timers, so that code which awaits a timer and then sets another one
   * is carried along.
   */
  async advanceAsync(ms: number): Promise<void> {
    const target = this.#elapsedMs + ms;
    await settle();
    for (let next = this.#next(); next !== undefined && next.dueMs <= target; next = this.#next()) {
      this.#elapsedMs = Math.max(this.#elapsedMs, next.dueMs);
      this.#pending.delete(next);
      next.callback();
      await settle();
    }
    this.#elapsedMs = target;
  }

  #next(): Pending | undefined {
    let first: Pending | undefined;
    for (const pending of this.#pending) {
      if (
        first === undefined ||
        pending.dueMs < first.dueMs ||
        (pending.dueMs === first.dueMs && pending.sequence < first.sequence)
      ) {
        first = pending;
      }
    }
    return first;
  }
}

/** Lets every queued microtask and one round of the event loop's immediates run. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
