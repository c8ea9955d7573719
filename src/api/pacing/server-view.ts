import type { RateReading } from "./rate-headers.ts";

/** How long after the last sign of others they are reckoned with, milliseconds. */
const OTHERS_MEMORY_MS = 1_800_000;
/** The server rounds the seconds to the reset up or down. */
const ROUNDING_MS = 1000;

/** When a request was sent and answered, monotonic milliseconds. */
export interface Times {
  readonly sentAtMs: number;
  readonly receivedAtMs: number;
}

/**
 * What the answers tell of the server's own fixed window, from which other clients spend too (engine.md §2).
 *
 * The end of the window is known as an interval, since the header is rounded and the answer took time. Within one window the least
 * `remaining` is the latest arrival among the answered, so what is left is that number less what is still in flight: never too high
 * but for what others spend in the meantime.
 */
export class ServerView {
  readonly #contractLimit: number;
  readonly #windowMs: number;
  readonly #startedMs: number;
  #limit: { readonly value: number; readonly atMs: number } | undefined;
  #window: { readonly earliestEndMs: number; readonly latestEndMs: number; readonly remaining: number } | undefined;
  #othersSeenAtMs = -Infinity;

  /** @param startedMs when this process began to send: what was spent before may have been its predecessor's */
  constructor(contractLimit: number, windowMs: number, startedMs = -Infinity) {
    this.#contractLimit = contractLimit;
    this.#windowMs = windowMs;
    this.#startedMs = startedMs;
  }

  /**
   * Takes in what one answer said.
   *
   * @param arrivalsSince how many of our own can have arrived since a time: what the server counted beyond them, others sent
   */
  observe(reading: RateReading, times: Times, arrivalsSince: (sinceMs: number) => number): void {
    const { limit, remaining, resetMs } = reading;
    if (limit === undefined) return;
    this.#noteLimit(limit, times.receivedAtMs);
    if (remaining === undefined) return;
    const believedMs = resetMs === undefined || resetMs > this.#windowMs + ROUNDING_MS ? undefined : resetMs;
    const windowBeganMs = times.sentAtMs + Math.max(0, (believedMs ?? 0) - ROUNDING_MS) - this.#windowMs;
    const isWholeOurs = windowBeganMs >= this.#startedMs;
    if (isWholeOurs && limit - remaining > arrivalsSince(windowBeganMs)) this.noteOthers(times.receivedAtMs);
    if (believedMs !== undefined) this.#noteWindow(remaining, believedMs, times);
  }

  /** There are others who spend from this budget. */
  noteOthers(nowMs: number): void {
    this.#othersSeenAtMs = nowMs;
  }

  /**
   * A request was refused: when to go again is the gate's business, who may be told a time by Retry-After; what was left is void. Of the first window,
   * a predecessor may have spent it: others are reckoned with until it would have come again.
   */
  noteRefusal(nowMs: number): void {
    if (nowMs - this.#windowMs >= this.#startedMs) this.noteOthers(nowMs);
    else this.#othersSeenAtMs = Math.max(this.#othersSeenAtMs, nowMs - OTHERS_MEMORY_MS + 2 * this.#windowMs);
    this.#window = undefined;
  }

  /** An answer said nothing: its request may have arrived all the same. */
  observeSilence(): void {
    if (this.#window !== undefined) this.#window = { ...this.#window, remaining: this.#window.remaining - 1 };
  }

  /**
   * Requests per window: what the server says where that is less than the contract, never more, since a greater number may belong to
   * some other, longer window.
   */
  capacity(): number {
    return Math.min(this.#contractLimit, this.#limit?.value ?? Infinity);
  }

  /** Whether somebody else spent from this budget lately. */
  othersSpend(nowMs: number): boolean {
    return nowMs - this.#othersSeenAtMs < OTHERS_MEMORY_MS;
  }

  /** Requests left in the server's window when `inFlight` of ours are on their way; undefined when the window is over or unknown. */
  allowance(nowMs: number, inFlight: number): number | undefined {
    if (this.#window === undefined || nowMs >= this.#window.latestEndMs) return undefined;
    return this.#window.remaining - inFlight;
  }

  /** When the server's window is certainly over; undefined when unknown. */
  endsAt(nowMs: number): number | undefined {
    const end = this.#window?.latestEndMs;
    return end !== undefined && end > nowMs ? end : undefined;
  }

  /**
   * The largest limit of the last window's time counts: an answer with a smaller one may speak of a window that the contract does
   * not list.
   */
  #noteLimit(value: number, atMs: number): void {
    const known = this.#limit;
    const stale = known !== undefined && atMs - known.atMs > this.#windowMs;
    if (known === undefined || value >= known.value || stale) this.#limit = { value, atMs };
  }

  #noteWindow(remaining: number, resetMs: number, { sentAtMs, receivedAtMs }: Times): void {
    const earliestEndMs = sentAtMs + Math.max(0, resetMs - ROUNDING_MS);
    const latestEndMs = receivedAtMs + resetMs + ROUNDING_MS;
    if (latestEndMs - earliestEndMs >= this.#windowMs) return; // too slow an answer to say which window it speaks of
    const known = this.#window;
    if (known !== undefined && latestEndMs < known.earliestEndMs) return; // of a window that is over
    if (known === undefined || earliestEndMs > known.latestEndMs) {
      this.#window = { earliestEndMs, latestEndMs, remaining };
      return;
    }
    const lower = Math.max(known.earliestEndMs, earliestEndMs);
    this.#window = {
      earliestEndMs: lower,
      latestEndMs: Math.max(lower, Math.min(known.latestEndMs, latestEndMs)),
      remaining: Math.min(known.remaining, remaining),
    };
  }
}
