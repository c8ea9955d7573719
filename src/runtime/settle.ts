import type { Clock } from "../base/clock.ts";

/** How far work got: it ended, or it went on after its signal had aborted for longer than it was given to notice. */
export type Settled<T> = { readonly kind: "ended"; readonly value: T } | { readonly kind: "abandoned" };

/**
 * Waits for `work`, but after the signal aborts only for `graceMs` more: code that ignores its signal must not hold whoever waits for
 * it. The work itself goes on; that is for the caller to account for. Leaves neither timer nor listener behind.
 *
 * @param work must not reject
 */
export function settleWithin<T>(
  work: Promise<T>,
  signal: AbortSignal,
  { clock, graceMs }: { readonly clock: Clock; readonly graceMs: number },
): Promise<Settled<T>> {
  return new Promise((resolve, reject) => {
    const released = new AbortController();
    const onAbort = (): void => {
      const timer = clock.setTimer(graceMs, () => resolve({ kind: "abandoned" }));
      released.signal.addEventListener("abort", () => timer.cancel(), { once: true });
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true, signal: released.signal });
    work.finally(() => released.abort()).then((value) => resolve({ kind: "ended", value }), reject);
  });
}
