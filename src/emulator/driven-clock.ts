import type { Clock, Timer } from "../base/clock.ts";

interface DrivenTimer {
  readonly dueMs: number;
  readonly callback: () => void;
  armed: Timer;
}

/**
 * A clock that runs with another one and can be pushed ahead of it, so that hours pass by a control call and never by sleeping.
 *
 * `advance` fires the timers that become due, in order of their due time. Wall time and monotonic time move together.
 */
export class DrivenClock implements Clock {
  /** Called after time jumped, with how far it is ahead now, milliseconds. */
  onAdvance: (aheadMs: number) => void = () => undefined;
  readonly #base: Clock;
  #aheadMs = 0;
  readonly #waiting = new Set<DrivenTimer>();

  constructor(base: Clock) {
    this.#base = base;
  }

  /** How far this clock is ahead of the one it runs with, milliseconds. */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  /** Begins with a lead from before; nothing waits yet. */
  setAhead(aheadMs: number): void {
    this.#aheadMs = aheadMs;
  }

  /** Whole milliseconds, as services tell time: rounded up, so that what is due by `advance` is due. */
  now(): number {
    return Math.ceil(this.#base.now() + this.#aheadMs);
  }

  monotonic(): number {
    return this.#base.monotonic() + this.#aheadMs;
  }

  setTimer(delayMs: number, callback: () => void): Timer {
    const dueMs = this.monotonic() + Math.max(0, delayMs);
    const waiting: DrivenTimer = { dueMs, callback, armed: this.#arm(dueMs, () => this.#fire(waiting)) };
    this.#waiting.add(waiting);
    return {
      cancel: () => {
        waiting.armed.cancel();
        this.#waiting.delete(waiting);
      },
    };
  }

  /** @param ms how far time jumps ahead, at least 0 */
  advance(ms: number): void {
    this.#aheadMs += Math.max(0, ms);
    this.onAdvance(this.#aheadMs);
    const inOrder = [...this.#waiting].toSorted((a, b) => a.dueMs - b.dueMs);
    for (const waiting of inOrder) {
      if (!this.#waiting.has(waiting)) continue; // cancelled by a callback before it
      waiting.armed.cancel();
      if (waiting.dueMs <= this.monotonic()) this.#fire(waiting);
      else waiting.armed = this.#arm(waiting.dueMs, () => this.#fire(waiting));
    }
  }

  #arm(dueMs: number, fire: () => void): Timer {
    return this.#base.setTimer(dueMs - this.monotonic(), fire);
  }

  #fire(waiting: DrivenTimer): void {
    this.#waiting.delete(waiting);
    waiting.callback();
  }
}
