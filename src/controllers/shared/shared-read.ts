import { type ApiLane, priorityOf } from "../../api/lanes.ts";
import { orAborted } from "../../base/abort.ts";
import type { Clock, Timer } from "../../base/clock.ts";

/** How long a read is put off for writes that are under way, milliseconds: as long as a run waits for budget (run.ts). */
const PUT_OFF_MS = 1000;

/**
 * One list that many objects need, read once and shared (engine.md §3).
 *
 * Guarantees: however many ask, one read serves all who accept its age; a list whose read began before our last write to its endpoint is answered to who asked
 * but not kept; a failed read keeps nothing and is never taken for an empty list. A read of those who let it wait for writes begins when none is under way, or
 * `PUT_OFF_MS` after the first of them asked: so one serves all whose writes ended by then.
 */
export class SharedRead<T> {
  readonly #clock: Clock;
  readonly #read: Fetch<T>;
  #entry: (Started & { readonly value: T }) | undefined;
  #flight: (Started & { readonly lane: ApiLane; readonly promise: Promise<T> }) | undefined;
  #writes = 0;
  #underWay = 0;
  /** a read that waits for writes to end */
  #putOff: { lane: ApiLane; readonly promise: Promise<T>; readonly begin: () => void } | undefined;
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
    const { lane, after = 0, sinceMs = 0 } = options;
    const serves = ({ startedAtMs, nth }: Started): boolean =>
      startedAtMs > oldestMs && startedAtMs >= sinceMs && nth > after;
    const entry = this.#entry;
    if (entry !== undefined && serves(entry)) return entry.value;
    const flight = this.#flight;
    if (flight !== undefined && serves(flight) && priorityOf(flight.lane) >= priorityOf(lane)) {
      return orAborted(flight.promise, options.signal);
    }
    const read = options.afterWrites === true && this.#underWay > 0 ? this.#startLater(lane) : this.#start(lane);
    return orAborted(read, options.signal);
  }

  /** A write of ours to the endpoint is under way until this is disposed: after `wrote`, where it had an effect. */
  underWay(): Disposable {
    this.#underWay += 1;
    return {
      [Symbol.dispose]: () => {
        this.#underWay -= 1;
        if (this.#underWay === 0) this.#putOff?.begin();
      },
    };
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

  #startLater(lane: ApiLane): Promise<T> {
    const waiting = this.#putOff;
    if (waiting !== undefined) {
      if (priorityOf(lane) > priorityOf(waiting.lane)) waiting.lane = lane;
      return waiting.promise;
    }
    const { promise, resolve } = Promise.withResolvers<T>();
    const putOff = {
      lane,
      promise,
      begin: () => {
        timer.cancel();
        this.#putOff = undefined;
        resolve(this.#start(putOff.lane));
      },
    };
    const timer: Timer = this.#clock.setTimer(PUT_OFF_MS, putOff.begin);
    this.#putOff = putOff;
    return promise;
  }

  #start(lane: ApiLane): Promise<T> {
    const startedAtMs = this.#clock.monotonic();
    const writes = this.#writes;
    const nth = ++this.#reads;
    const promise = this.#read(lane)
      .then((value) => {
        // A read that was overtaken by a later one must not take its place.
        const newest = this.#entry === undefined || this.#entry.nth < nth;
        if (this.#writes === writes && newest) this.#entry = { value, startedAtMs, nth };
        return value;
      })
      .finally(() => {
        if (this.#flight?.promise === promise) this.#flight = undefined;
      });
    this.#flight = { startedAtMs, nth, lane, promise };
    return promise;
  }
}

/** When a read began: monotonic milliseconds, and how many had begun then. */
interface Started {
  readonly startedAtMs: number;
  readonly nth: number;
}

/** Fetches the list; not tied to one caller's signal, since others may wait for it too. Bounded by the request's own deadline. */
export type Fetch<T> = (lane: ApiLane) => Promise<T>;

export interface ReadOptions {
  readonly lane: ApiLane;
  readonly signal: AbortSignal;
  /** only a list that began to be read after this moment, as `mark` tells it */
  readonly after?: number;
  /** only a list that began to be read at this monotonic time or later, milliseconds */
  readonly sinceMs?: number;
  /** whether a read may wait a moment for writes of ours that are under way, which would drop it: then it shows what came of them too */
  readonly afterWrites?: boolean;
}
