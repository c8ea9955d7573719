import type { ApiLane } from "../lanes.ts";

/** One use of a window. */
export interface RequestSlot {
  readonly lane: ApiLane;
}

interface Answered {
  readonly lane: ApiLane;
  readonly atMs: number;
}

/**
 * Beyond the window, milliseconds: pays for clocks that run at slightly different speeds (100 ppm are 6 ms a minute) and for timers
 * that fire a millisecond early.
 */
const MARGIN_MS = 25;

/**
 * A strict sliding window. A slot is held from the moment of taking until `windowMs` after its answer or failure, not after sending: the
 * server counts arrivals, and an arrival is somewhere between the two. So within any `windowMs` no more than the capacity arrive,
 * however the server's fixed windows lie (facts.md, head: "Windows are fixed, begin at the first request of a scope, and count arrivals").
 *
 * Times are monotonic milliseconds and never go backwards.
 */
export class SlidingWindow {
  readonly windowMs: number;
  readonly #heldMs: number;
  /** Slots whose answer is awaited. */
  readonly #open = new Set<RequestSlot>();
  /** Answers in order of time; kept for twice as long as they hold a slot, for `arrivalsSince`. */
  #answered: Answered[] = [];

  constructor(windowMs: number) {
    this.windowMs = windowMs;
    this.#heldMs = windowMs + MARGIN_MS;
  }

  /** Takes a slot; whether one is free is asked before. */
  take(lane: ApiLane): RequestSlot {
    const slot: RequestSlot = { lane };
    this.#open.add(slot);
    return slot;
  }

  /** The answer, or the failure, is there. */
  release(slot: RequestSlot, nowMs: number): void {
    if (!this.#open.delete(slot)) return;
    const firstKept = this.#answered.findIndex(({ atMs }) => atMs > nowMs - 2 * this.#heldMs);
    this.#answered.splice(0, firstKept === -1 ? this.#answered.length : firstKept);
    this.#answered.push({ lane: slot.lane, atMs: nowMs });
  }

  /** It was never sent: free at once. */
  refund(slot: RequestSlot): void {
    this.#open.delete(slot);
  }

  /** How many slots are held, of one lane or of all. */
  held(nowMs: number, lane?: ApiLane): number {
    return this.#heldAnswered(nowMs, lane) + this.#inFlightOf(lane);
  }

  /** How many slots await their answer. */
  get inFlight(): number {
    return this.#open.size;
  }

  /** At most this many of our requests arrived since `sinceMs`, which is at most two windows ago. */
  arrivalsSince(sinceMs: number): number {
    return this.#answered.filter(({ atMs }) => atMs >= sinceMs).length + this.#open.size;
  }

  /** When each held slot from now, of one lane or of all, comes free, in order; one in flight counts as answered now. */
  expectedFree(nowMs: number, lane?: ApiLane): readonly number[] {
    const answered = this.#holding(nowMs, lane).map(({ atMs }) => atMs + this.#heldMs);
    const inFlight = Array.from({ length: this.#inFlightOf(lane) }, () => nowMs + this.#heldMs);
    return [...answered, ...inFlight];
  }

  /** When the `nth` of them (1 is the next) comes free by time alone; undefined when that depends on an answer, or fewer are held. */
  certainlyFreeAt(nth: number, nowMs: number, lane?: ApiLane): number | undefined {
    const answered = this.#holding(nowMs, lane)[nth - 1];
    return answered === undefined ? undefined : answered.atMs + this.#heldMs;
  }

  /** Takes over what another window holds: two credentials turned out to be one identity. */
  absorb(other: SlidingWindow): void {
    for (const slot of other.#open) this.#open.add(slot);
    this.#answered = [...this.#answered, ...other.#answered].toSorted((a, b) => a.atMs - b.atMs);
    other.#open.clear();
    other.#answered = [];
  }

  /** Counted without a list of them: this is asked before each request, of each scope at each scrape. */
  #heldAnswered(nowMs: number, lane: ApiLane | undefined): number {
    let count = 0;
    for (const { atMs, lane: of } of this.#answered) {
      if (atMs + this.#heldMs > nowMs && (lane === undefined || of === lane)) count += 1;
    }
    return count;
  }

  #holding(nowMs: number, lane: ApiLane | undefined): readonly Answered[] {
    return this.#answered.filter((one) => one.atMs + this.#heldMs > nowMs && (lane === undefined || one.lane === lane));
  }

  #inFlightOf(lane: ApiLane | undefined): number {
    if (lane === undefined) return this.#open.size;
    return [...this.#open].filter((slot) => slot.lane === lane).length;
  }
}
