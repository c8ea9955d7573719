import type { LimitClass } from "../../api/contract/operation.ts";

/**
 * Rate limits as the service counts them (facts.md, head): fixed windows per identity and scope that begin at the first request and
 * count arrivals; a refused request counts in none.
 */

interface LimitWindow {
  readonly endsMs: number;
  used: number;
}

/** What the X-RateLimit headers report: the tightest window that the request passed, or the one that refused it. */
export interface Verdict {
  readonly admitted: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

export interface Limiter {
  /** how many arrivals were refused so far */
  readonly refusals: number;
  /**
   * Counts one arrival.
   * @param subject identity and scope in one string @param nowMs monotonic milliseconds
   */
  admit(subject: string, classes: readonly LimitClass[], nowMs: number): Verdict;
  reset(): void;
}

/** Above this many windows the expired ones are thrown away, so that made-up scopes do not grow memory without bound. */
const SWEEP_ABOVE = 10_000;

export function createLimiter(): Limiter {
  const windows = new Map<string, LimitWindow>();
  let sweepAbove = SWEEP_ABOVE;
  let refusals = 0;

  const sweep = (nowMs: number): void => {
    if (windows.size <= sweepAbove) return;
    for (const [key, window] of windows) if (nowMs >= window.endsMs) windows.delete(key);
    sweepAbove = Math.max(SWEEP_ABOVE, windows.size * 2);
  };

  const current = (key: string, windowMs: number, nowMs: number): LimitWindow => {
    const known = windows.get(key);
    if (known !== undefined && nowMs < known.endsMs) return known;
    return { endsMs: nowMs + windowMs, used: 0 };
  };

  return {
    get refusals() {
      return refusals;
    },
    admit(subject, classes, nowMs) {
      sweep(nowMs);
      const passed = classes.flatMap((limitClass) =>
        limitClass.windows.map(({ requests, windowMs }): Passed => {
          const key = `${limitClass.name} ${windowMs} ${subject}`;
          return { key, requests, window: current(key, windowMs, nowMs) };
        }),
      );
      const full = passed.find(({ window, requests }) => window.used >= requests);
      if (full !== undefined) {
        refusals += 1;
        return verdict(false, full, nowMs);
      }
      for (const { key, window } of passed) {
        window.used += 1;
        windows.set(key, window);
      }
      const [tightest] = passed.toSorted(byRoomLeft);
      if (tightest === undefined) throw new RangeError("admit: give at least one limit class with a window");
      return verdict(true, tightest, nowMs);
    },
    reset: () => windows.clear(),
  };
}

interface Passed {
  readonly key: string;
  readonly requests: number;
  readonly window: LimitWindow;
}

/** The least room first; where it is the same, the window that lasts longest. */
function byRoomLeft(a: Passed, b: Passed): number {
  return a.requests - a.window.used - (b.requests - b.window.used) || b.window.endsMs - a.window.endsMs;
}

function verdict(admitted: boolean, { requests, window }: Passed, nowMs: number): Verdict {
  return {
    admitted,
    limit: requests,
    remaining: Math.max(0, requests - window.used),
    resetSeconds: Math.max(0, Math.ceil((window.endsMs - nowMs) / 1000)),
  };
}
