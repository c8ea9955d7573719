import type { ApiLane } from "../lanes.ts";

/** Longest time told to whoever is turned away, milliseconds. */
export const LONGEST_TOLD_MS = 300_000;
/** Shortest: below it a caller would come back in a hot loop. */
const SHORTEST_MS = 250;

/**
 * The times told to requests that were turned away. Each gets its own place, so that hundreds of keys of a project without budget do not
 * all come back for the one slot that frees first, again and again.
 */
export class Reservations {
  #reserved: { readonly lane: ApiLane; readonly atMs: number }[] = [];

  /** How many of `lanes` were told a time that is still to come. */
  ahead(lanes: readonly ApiLane[], nowMs: number): number {
    this.#reserved = this.#reserved.filter(({ atMs }) => atMs > nowMs);
    return this.#reserved.filter(({ lane }) => lanes.includes(lane)).length;
  }

  /** Notes a time, within the bounds above, and returns it. Monotonic milliseconds. */
  reserve(lane: ApiLane, atMs: number, nowMs: number): number {
    const bounded = Math.min(Math.max(atMs, nowMs + SHORTEST_MS), nowMs + LONGEST_TOLD_MS);
    this.#reserved.push({ lane, atMs: bounded });
    return bounded;
  }

  /** Nobody was told a time that is still to come. */
  idle(nowMs: number): boolean {
    return this.#reserved.every(({ atMs }) => atMs <= nowMs);
  }
}
