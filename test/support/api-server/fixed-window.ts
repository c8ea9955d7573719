import type { ResponseHeaders } from "../../../src/api/http.ts";

/** How one server limits one scope. */
export interface FixedWindowOptions {
  readonly limit: number;
  readonly windowMs: number;
  /** How seconds to the reset are rounded: servers differ. Default `up`. */
  readonly rounding?: "up" | "down";
  /** False for a server that sends no X-RateLimit headers at all. Default true. */
  readonly headers?: boolean;
  /** Whether a 429 carries Retry-After. Default false: "not guaranteed" (facts.md §5). */
  readonly retryAfter?: boolean;
}

/**
 * The rate limit as facts.md words it, strictly: fixed windows that begin at the first request of the scope, arrivals count, refused ones
 * do not. Times are milliseconds of any one clock.
 */
export class FixedWindowServer {
  readonly #options: FixedWindowOptions;
  #startMs = -Infinity;
  #count = 0;
  /** Every arrival that was let through. */
  readonly accepted: { readonly atMs: number; readonly by: string }[] = [];
  /** Every arrival that was refused. */
  readonly refused: { readonly atMs: number; readonly by: string }[] = [];

  constructor(options: FixedWindowOptions) {
    this.#options = options;
  }

  /** A request arrives. */
  arrive(nowMs: number, by: string): { readonly status: number; readonly headers: ResponseHeaders } {
    const { limit, windowMs } = this.#options;
    if (nowMs - this.#startMs >= windowMs) {
      this.#startMs = nowMs;
      this.#count = 0;
    }
    const status = this.#count < limit ? 200 : 429;
    if (status === 200) this.#count += 1;
    (status === 200 ? this.accepted : this.refused).push({ atMs: nowMs, by });
    return { status, headers: this.#headers(nowMs, status) };
  }

  #headers(nowMs: number, status: number): ResponseHeaders {
    const { limit, windowMs, rounding = "up", headers = true, retryAfter = false } = this.#options;
    const seconds = (this.#startMs + windowMs - nowMs) / 1000;
    const reset = String(rounding === "up" ? Math.ceil(seconds) : Math.floor(seconds));
    return {
      ...(status === 429 && retryAfter ? { "retry-after": reset } : {}),
      ...(headers
        ? {
            "x-ratelimit-limit": String(limit),
            "x-ratelimit-remaining": String(limit - this.#count),
            "x-ratelimit-reset": reset,
          }
        : {}),
    };
  }
}
