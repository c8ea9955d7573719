import type { Random } from "../base/random.ts";

/** Bounds of a backoff, milliseconds. */
interface BackoffBounds {
  readonly baseMs: number;
  readonly maxMs: number;
}

/** engine.md §1: transient errors are retried after 1 s to 5 min. */
export const RETRY_BOUNDS: BackoffBounds = { baseMs: 1_000, maxMs: 300_000 };

/**
 * Milliseconds to wait after the `failures`-th failure in a row (1 is the first): uniform between the base and base × 2^failures, at
 * most the maximum. The full spread keeps keys that failed together from coming back together (AWS Architecture Blog, "Exponential
 * Backoff And Jitter"); the floor keeps a low draw from being a hot loop.
 */
export function backoffMs(failures: number, random: Random, bounds: BackoffBounds = RETRY_BOUNDS): number {
  const ceiling = Math.min(bounds.maxMs, bounds.baseMs * 2 ** Math.max(1, failures));
  return bounds.baseMs + random() * (ceiling - bounds.baseMs);
}
