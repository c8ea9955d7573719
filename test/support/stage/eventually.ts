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

/** What is gone is believed to be so for good a minute after the first look that did not find it: time enough for that, milliseconds. */
export const BELIEVED_GONE_WITHIN_MS = 100_000;

/**
 * The garbage collector finds out about new kinds every 30 s, and asks for an owner of a kind that it does not know yet after 5 ms, twice that, and so on:
 * a stage's kinds are new, and an owner that is deleted within its first seconds is asked for up to 82 s later.
 */
const COLLECTED_WITHIN_MS = 100_000;

/** Waits until the garbage collector took what belonged to an owner that is gone. */
export function collected(what: string, isGone: () => Promise<boolean>): Promise<true> {
  return eventually(
    `${what} collected as garbage`,
    async () => ((await isGone()) ? true : undefined),
    COLLECTED_WITHIN_MS,
  );
}
