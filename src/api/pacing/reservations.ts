import type { ApiLane } from "../lanes.ts";

/** Longest time told to whoever is turned away, milliseconds. */
export const LONGEST_TOLD_MS = 300_000;
/** Shortest: below it a caller would come back in a hot loop. */
const SHORTEST_MS = 250;
/**
 * Times within as many milliseconds are let go together, at the first: there may be thousands, and each who is turned away asks for their
 * number. Who is there again must not be counted as somebody still to come.
 */
const TOGETHER_MS = 250;

type LaneCounts = Record<ApiLane, number>;

function none(): LaneCounts {
  return { change: 0, sync: 0, progress: 0, drift: 0 };
}

/**
 * The times told to requests that were turned away. Each gets its own place, so that hundreds of keys of a project without budget do not
 * all come back for the one slot that frees first, again and again.
 */
export class Reservations {
  /** By the end of the time that they are let go with; in no order, at most `LONGEST_TOLD_MS / TOGETHER_MS` of them. */
  readonly #byEnd = new Map<number, LaneCounts>();
  #nextEndMs = Infinity;

  /**
   * How many of `lanes` were told a time that is still to come, and not after a given one, to a quarter of a second.
   *
   * @returns for any time, monotonic milliseconds, by what is noted at this moment: added up once, since there may be hundreds to ask for
   */
  told(lanes: readonly ApiLane[], nowMs: number): (untilMs: number) => number {
    this.#letGo(nowMs);
    const first = Math.floor(nowMs / TOGETHER_MS);
    const upTo = new Uint32Array(Math.ceil(LONGEST_TOLD_MS / TOGETHER_MS) + 1);
    for (const [endMs, counts] of this.#byEnd) {
      const at = endMs / TOGETHER_MS - first;
      for (const lane of lanes) upTo[at] = (upTo[at] ?? 0) + counts[lane];
    }
    let sum = 0;
    for (let at = 0; at < upTo.length; at += 1) {
      sum += upTo[at] ?? 0;
      upTo[at] = sum;
    }
    return (untilMs) => upTo[Math.min(Math.floor(untilMs / TOGETHER_MS) - first, upTo.length - 1)] ?? 0;
  }

  /** Notes a time, within the bounds above, and returns it. Monotonic milliseconds. */
  reserve(lane: ApiLane, atMs: number, nowMs: number): number {
    const bounded = Math.min(Math.max(atMs, nowMs + SHORTEST_MS), nowMs + LONGEST_TOLD_MS);
    const endMs = Math.floor(bounded / TOGETHER_MS) * TOGETHER_MS;
    const counts = this.#byEnd.get(endMs) ?? none();
    counts[lane] += 1;
    this.#byEnd.set(endMs, counts);
    this.#nextEndMs = Math.min(this.#nextEndMs, endMs);
    return bounded;
  }

  /** Nobody was told a time that is still to come. */
  idle(nowMs: number): boolean {
    this.#letGo(nowMs);
    return this.#byEnd.size === 0;
  }

  #letGo(nowMs: number): void {
    if (nowMs < this.#nextEndMs) return;
    this.#nextEndMs = Infinity;
    for (const endMs of this.#byEnd.keys()) {
      if (endMs > nowMs) {
        this.#nextEndMs = Math.min(this.#nextEndMs, endMs);
        continue;
      }
      this.#byEnd.delete(endMs);
    }
  }
}
