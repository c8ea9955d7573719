import { parseRetryAfter } from "../../base/retry-after.ts";
import { headerOf } from "../http.ts";
import type { ResponseHeaders } from "../http.ts";

/** What a response says of the server's own window. Absent: missing or not believable. */
export interface RateReading {
  /** requests per window */
  readonly limit?: number;
  /** requests left in the window */
  readonly remaining?: number;
  /** milliseconds to the end of the window; the server rounds to seconds, in an unknown direction */
  readonly resetMs?: number;
  /** milliseconds that the server asks to wait */
  readonly retryAfterMs?: number;
}

/** Longest wait that is believed, milliseconds: no window of the contract is longer than three minutes. */
const LONGEST_BELIEVED_MS = 600_000;
const LARGEST_BELIEVED_LIMIT = 1_000_000;

function numberOf(value: string | undefined): number | undefined {
  return value !== undefined && /^\d{1,12}(\.\d{1,6})?$/.test(value.trim()) ? Number(value) : undefined;
}

function believedMs(ms: number | undefined): number | undefined {
  return ms !== undefined && ms >= 0 && ms <= LONGEST_BELIEVED_MS ? ms : undefined;
}

/** A date in Retry-After is read against the server's own clock, where it tells that. */
function retryAfter(headers: ResponseHeaders, wallMs: number): number | undefined {
  const serverNow = Date.parse(headerOf(headers, "date") ?? "");
  return parseRetryAfter(headerOf(headers, "retry-after"), Number.isNaN(serverNow) ? wallMs : serverNow);
}

/**
 * Reads X-RateLimit-Limit, -Remaining and -Reset (seconds; behaviour.md, "Standard rate limit") and Retry-After. What is missing,
 * absurd (more left than the limit, an epoch where seconds belong) or past is left out.
 *
 * @param wallMs our wall time, milliseconds since the epoch
 */
export function readRateHeaders(headers: ResponseHeaders, wallMs: number): RateReading {
  const limit = numberOf(headerOf(headers, "x-ratelimit-limit"));
  const remaining = numberOf(headerOf(headers, "x-ratelimit-remaining"));
  const reset = numberOf(headerOf(headers, "x-ratelimit-reset"));
  const resetMs = believedMs(reset === undefined ? undefined : reset * 1000);
  const retryAfterMs = believedMs(retryAfter(headers, wallMs));
  const limitOk = limit !== undefined && Number.isInteger(limit) && limit >= 1 && limit <= LARGEST_BELIEVED_LIMIT;
  const remainingOk = limitOk && remaining !== undefined && Number.isInteger(remaining) && remaining <= limit;
  return {
    ...(limitOk ? { limit } : {}),
    ...(remainingOk ? { remaining } : {}),
    ...(resetMs === undefined ? {} : { resetMs }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}
