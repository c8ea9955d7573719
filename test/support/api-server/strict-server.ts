import type { ResponseHeaders } from "../../../src/api/http.ts";

/**
 * How a server counts what arrives. All three let through whatever a strict client sends: at most `limit` in any time of one window.
 * - `fixed`: windows that begin at the first request (facts.md); - `sliding`: what arrived within the last window; - `bucket`: tokens that
 *   come back evenly, `limit` in a window, never more than `limit` of them
 */
export type Counting = "fixed" | "sliding" | "bucket";

/** How one server limits one scope. */
export interface StrictServerOptions {
  readonly limit: number;
  readonly windowMs: number;
  /** Default `fixed`. */
  readonly counting?: Counting;
  /** How seconds to the reset are rounded: servers differ. Default `up`. */
  readonly rounding?: "up" | "down";
  /** False for a server that sends no X-RateLimit headers at all. Default true. */
  readonly headers?: boolean;
  /** Whether a 429 carries Retry-After. Default false: "not guaranteed" (facts.md §5). */
  readonly retryAfter?: boolean;
}

interface Arrival {
  readonly atMs: number;
  readonly by: string;
}

/** Decides on one arrival after the other. */
interface Counter {
  /** Whether there is room for one more, which is taken then. */
  take(nowMs: number): boolean;
  /** What is left after that. */
  left(nowMs: number): number;
  /** Milliseconds until more is left. */
  resetMs(nowMs: number): number;
}

function fixedWindows({ limit, windowMs }: StrictServerOptions): Counter {
  let startMs = -Infinity;
  let count = 0;
  return {
    take: (nowMs) => {
      if (nowMs - startMs >= windowMs) {
        startMs = nowMs;
        count = 0;
      }
      if (count >= limit) return false;
      count += 1;
      return true;
    },
    left: () => limit - count,
    resetMs: (nowMs) => startMs + windowMs - nowMs,
  };
}

function slidingWindow({ limit, windowMs }: StrictServerOptions): Counter {
  let arrivals: number[] = [];
  return {
    take: (nowMs) => {
      arrivals = arrivals.filter((atMs) => atMs > nowMs - windowMs);
      if (arrivals.length >= limit) return false;
      arrivals.push(nowMs);
      return true;
    },
    left: () => limit - arrivals.length,
    resetMs: (nowMs) => (arrivals[0] ?? nowMs) + windowMs - nowMs,
  };
}

function tokenBucket({ limit, windowMs }: StrictServerOptions): Counter {
  let tokens = limit;
  let atMs = 0;
  return {
    take: (nowMs) => {
      tokens = Math.min(limit, tokens + ((nowMs - atMs) * limit) / windowMs);
      atMs = nowMs;
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
    left: () => Math.floor(tokens),
    resetMs: () => ((limit - tokens) * windowMs) / limit,
  };
}

const counters: Readonly<Record<Counting, (options: StrictServerOptions) => Counter>> = {
  fixed: fixedWindows,
  sliding: slidingWindow,
  bucket: tokenBucket,
};

/**
 * The rate limit of one scope, strictly: arrivals count, refused ones do not. Counts as facts.md words it, unless told otherwise. Times are
 * milliseconds of any one clock.
 */
export class StrictServer {
  readonly #options: StrictServerOptions;
  readonly #counter: Counter;
  /** Every arrival that was let through. */
  readonly accepted: Arrival[] = [];
  /** Every arrival that was refused. */
  readonly refused: Arrival[] = [];

  constructor(options: StrictServerOptions) {
    this.#options = options;
    this.#counter = counters[options.counting ?? "fixed"](options);
  }

  /** A request arrives. */
  arrive(nowMs: number, by: string): { readonly status: number; readonly headers: ResponseHeaders } {
    const status = this.#counter.take(nowMs) ? 200 : 429;
    (status === 200 ? this.accepted : this.refused).push({ atMs: nowMs, by });
    return { status, headers: this.#headers(nowMs, status) };
  }

  #headers(nowMs: number, status: number): ResponseHeaders {
    const { limit, rounding = "up", headers = true, retryAfter = false } = this.#options;
    const seconds = this.#counter.resetMs(nowMs) / 1000;
    const reset = String(rounding === "up" ? Math.ceil(seconds) : Math.floor(seconds));
    return {
      ...(status === 429 && retryAfter ? { "retry-after": reset } : {}),
      ...(headers
        ? {
            "x-ratelimit-limit": String(limit),
            "x-ratelimit-remaining": String(this.#counter.left(nowMs)),
            "x-ratelimit-reset": reset,
          }
        : {}),
    };
  }
}
