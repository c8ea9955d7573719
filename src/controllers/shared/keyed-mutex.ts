import { orAborted } from "../../base/abort.ts";

/**
 * A lock for each key: lets what concerns one thing be done by one run at a time, the default branch of a project, say. Works within this
 * process, which is enough beside leader election; what was already sent when leadership moved is covered by create-once.ts.
 */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<void>>();

  /**
   * Does the work once everything begun earlier under the key has ended, well or not. Whoever waits goes in order of arrival.
   *
   * @param signal ends the wait, not the work
   * @throws the signal's reason, or what the work throws
   */
  async runExclusive<T>(key: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const done = Promise.withResolvers<void>();
    // Who leaves without a turn must not let the next one overtake the one at work.
    const turn = before === undefined ? done.promise : before.then(() => done.promise);
    this.#last.set(key, turn);
    void turn.then(() => {
      if (this.#last.get(key) === turn) this.#last.delete(key);
    });
    try {
      if (before !== undefined) await orAborted(before, signal);
      signal.throwIfAborted();
      return await work();
    } finally {
      done.resolve();
    }
  }

  /** Keys that somebody works on or waits for. */
  get size(): number {
    return this.#last.size;
  }
}
