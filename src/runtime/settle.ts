import type { Clock, Timer } from "../base/clock.ts";

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
    let timer: Timer | undefined;
    const onAbort = (): void => {
      timer = clock.setTimer(graceMs, () => resolve({ kind: "abandoned" }));
    };
    const release = (): void => {
      signal.removeEventListener("abort", onAbort);
      timer?.cancel();
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    work.finally(release).then((value) => resolve({ kind: "ended", value }), reject);
  });
}
