import { type ApiLane, priorityOf } from "../../api/lanes.ts";
import { orAborted } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";

/**
 * One list that many objects need, read once and shared (engine.md §3).
 *
 * Guarantees: however many ask, one read serves all who accept its age; a list whose read began before our last write to its endpoint is answered to who asked
 * but not kept; a failed read keeps nothing and is never taken for an empty list.
 */
export class SharedRead<T> {
  readonly #clock: Clock;
  readonly #read: Fetch<T>;
  /** `readAtMs` is the monotonic time at which the read began */
  #entry: { readonly value: T; readonly readAtMs: number; readonly nth: number } | undefined;
  #flight:
    | { readonly startedAtMs: number; readonly nth: number; readonly lane: ApiLane; readonly promise: Promise<T> }
    | undefined;
  #writes = 0;
  #reads: number;
  #longestAgeMs = 0;

  /** @param since the mark that its own go on from, where it takes the place of one that was let go */
  constructor(clock: Clock, read: Fetch<T>, since = 0) {
    this.#clock = clock;
    this.#read = read;
    this.#reads = since;
  }

  /** The oldest list that anybody accepted, milliseconds: what is older is of no use. */
  get longestAgeMs(): number {
    return this.#longestAgeMs;
  }

  /**
   * The list, less than `maxAgeMs` old.
   *
   * @param maxAgeMs time since the start of the read at which it is too old, milliseconds; 0 reads live
   * @param options passed to the read; who joins a read that is under way shares its lane, not its signal. Nobody joins one of a less urgent
   *   lane, which may have to wait for budget that is there for the more urgent one
   */
  async get(maxAgeMs: number, options: ReadOptions): Promise<T> {
    this.#longestAgeMs = Math.max(this.#longestAgeMs, maxAgeMs);
    const oldestMs = this.#clock.monotonic() - maxAgeMs;
    const { lane, after = 0 } = options;
    const entry = this.#entry;
    if (entry !== undefined && entry.readAtMs > oldestMs && entry.nth > after) return entry.value;
    const flight = this.#flight;
    const joinable = flight !== undefined && flight.startedAtMs > oldestMs && flight.nth > after;
    if (joinable && priorityOf(flight.lane) >= priorityOf(lane)) {
      return orAborted(flight.promise, options.signal);
    }
    return orAborted(this.#start(options), options.signal);
  }

  /** This moment, told exactly: a list may be asked for that began to be read after it. */
  mark(): number {
    return this.#reads;
  }

  /** Says that we wrote to the endpoint. With `update`, the kept list becomes what the answer told; without, it is dropped. */
  wrote(update?: (list: T) => T): void {
    this.#writes += 1;
    this.#flight = undefined;
    if (update === undefined || this.#entry === undefined) this.#entry = undefined;
    else this.#entry = { ...this.#entry, value: update(this.#entry.value) };
  }

  #start(options: ReadOptions): Promise<T> {
    const startedAtMs = this.#clock.monotonic();
    const writes = this.#writes;
    const nth = ++this.#reads;
    const promise = this.#read(options.lane)
      .then((value) => {
        // A read that was overtaken by a later one must not take its place.
        const newest = this.#entry === undefined || this.#entry.nth < nth;
        if (this.#writes === writes && newest) this.#entry = { value, readAtMs: startedAtMs, nth };
        return value;
      })
      .finally(() => {
        if (this.#flight?.promise === promise) this.#flight = undefined;
      });
    this.#flight = { startedAtMs, nth, lane: options.lane, promise };
    return promise;
  }
}

/** Fetches the list; not tied to one caller's signal, since others may wait for it too. Bounded by the request's own deadline. */
export type Fetch<T> = (lane: ApiLane) => Promise<T>;

export interface ReadOptions {
  readonly lane: ApiLane;
  readonly signal: AbortSignal;
  /** only a list that began to be read after this moment, as `mark` tells it */
  readonly after?: number;
}
