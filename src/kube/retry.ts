import type { Clock } from "../base/clock.ts";
import type { Random } from "../base/random.ts";
import { sleep } from "../base/abort.ts";
import { isKubeError } from "./errors.ts";
import type { KubeError } from "./errors.ts";

interface RetryOptions {
  /** Reads may be repeated after any failure that can pass; writes only when nothing happened. */
  readonly read: boolean;
  readonly deadlineMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly clock: Clock;
  readonly random: Random;
}

/** Attempts besides those that the server asked for by 429, which are bounded by the deadline alone. */
const MAX_ATTEMPTS = 4;
const FIRST_DELAY_MS = 100;
/** Wait after a 429 that names none. */
const THROTTLED_MS = 1000;

/**
 * Runs `attempt` until it succeeds, fails for good, or the next wait would pass the deadline; then the last error stands. Each
 * attempt is told what is left of the deadline, milliseconds.
 */
export async function withRetries<T>(attempt: (leftMs: number) => Promise<T>, options: RetryOptions): Promise<T> {
  const { clock, random, signal } = options;
  const endMs = clock.monotonic() + options.deadlineMs;
  for (let failures = 0; ;) {
    const leftMs = endMs - clock.monotonic();
    try {
      return await attempt(leftMs);
    } catch (error) {
      if (!isKubeError(error)) throw error;
      if (error.code !== "TooManyRequests") failures++;
      const delayMs = delayAfter(error, failures, options.read);
      if (delayMs === undefined) throw error;
      const jitteredMs = error.code === "TooManyRequests" ? delayMs * (1 + random() / 4) : delayMs * random();
      if (clock.monotonic() + jitteredMs >= endMs) throw error;
      await sleep(clock, jitteredMs, signal);
    }
  }
}

/** The wait before the next attempt, milliseconds and without jitter; undefined when there is none. */
function delayAfter(error: KubeError, failures: number, read: boolean): number | undefined {
  if (error.code === "TooManyRequests") return error.retryAfterMs ?? THROTTLED_MS;
  const passing = error.code === "Unavailable" || (error.code === "ServerError" && read);
  if (!passing || failures >= MAX_ATTEMPTS || (error.effect !== "none" && !read)) return undefined;
  return error.retryAfterMs ?? FIRST_DELAY_MS * 2 ** (failures - 1);
}
