import { setTimeout as wait } from "node:timers/promises";

const POLL_MS = 100;

/**
 * Polls until `look` gives something: for real programs, whose progress cannot be waited for otherwise.
 *
 * @param what is waited for, as the error would say it; a function is asked when it is too late
 */
export async function eventually<T>(
  what: string | (() => string),
  look: () => Promise<T | undefined>,
  withinMs = 40_000,
): Promise<T> {
  const end = performance.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > end) {
      throw new Error(`not within ${withinMs / 1000} s: ${typeof what === "string" ? what : what()}`);
    }
    await wait(POLL_MS);
  }
}
