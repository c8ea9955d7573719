import type { Clock } from "../base/clock.ts";

interface SlotWaiter {
  readonly group: string;
  readonly start: (slot: Disposable | undefined) => void;
}

/** How many do something at once: one of a group, and a few over all, so that one group can hold up the others only so much. First come, first served. */
export class Slots {
  readonly #most: number;
  readonly #clock: Clock;
  readonly #taken = new Set<string>();
  readonly #waiting = new Set<SlotWaiter>();

  constructor(most: number, clock: Clock) {
    this.#most = most;
    this.#clock = clock;
  }

  /** A slot, to be disposed of; undefined where there was none within `waitMs` milliseconds, or the signal aborted. */
  async take(
    group: string,
    { waitMs, signal }: { readonly waitMs: number; readonly signal: AbortSignal },
  ): Promise<Disposable | undefined> {
    if (this.#isFree(group)) return this.#occupy(group);
    const { promise, resolve } = Promise.withResolvers<Disposable | undefined>();
    const waiter: SlotWaiter = { group, start: resolve };
    const giveUp = (): void => {
      if (this.#waiting.delete(waiter)) resolve(undefined);
    };
    this.#waiting.add(waiter);
    const timer = this.#clock.setTimer(waitMs, giveUp);
    signal.addEventListener("abort", giveUp, { once: true });
    try {
      return await promise;
    } finally {
      timer.cancel();
      signal.removeEventListener("abort", giveUp);
    }
  }

  #isFree(group: string): boolean {
    return this.#taken.size < this.#most && !this.#taken.has(group);
  }

  #occupy(group: string): Disposable {
    this.#taken.add(group);
    return {
      [Symbol.dispose]: () => {
        this.#taken.delete(group);
        this.#startNext();
      },
    };
  }

  #startNext(): void {
    for (const waiter of this.#waiting) {
      if (!this.#isFree(waiter.group)) continue;
      this.#waiting.delete(waiter);
      waiter.start(this.#occupy(waiter.group));
    }
  }
}
