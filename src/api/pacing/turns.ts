import type { ApiLane } from "../lanes.ts";

/** Longest time told to whoever is turned away, milliseconds. */
const LONGEST_TURN_MS = 300_000;
/** Shortest: below it a caller would come back in a hot loop. */
const SHORTEST_TURN_MS = 250;

/**
 * The times told to requests that were turned away. Each gets its own place, so that hundreds of keys of a project without budget do not
 * all come back for the one slot that frees first, again and again.
 */
export class Turns {
  #given: { readonly lane: ApiLane; readonly atMs: number }[] = [];

  /** How many of `lanes` were told a time that is still to come. */
  ahead(lanes: readonly ApiLane[], nowMs: number): number {
    this.#given = this.#given.filter(({ atMs }) => atMs > nowMs);
    return this.#given.filter(({ lane }) => lanes.includes(lane)).length;
  }

  /** Notes a time, within the bounds above, and returns it. Monotonic milliseconds. */
  give(lane: ApiLane, atMs: number, nowMs: number): number {
    const bounded = Math.min(Math.max(atMs, nowMs + SHORTEST_TURN_MS), nowMs + LONGEST_TURN_MS);
    this.#given.push({ lane, atMs: bounded });
    return bounded;
  }

  idle(nowMs: number): boolean {
    return this.ahead([], nowMs) === 0 && this.#given.length === 0;
  }
}
