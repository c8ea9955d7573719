/** Longest wait that is believed, milliseconds: a clock that is wrong somewhere must not park a loop for days. */
const LONGEST_WAIT_MS = 600_000;

/**
 * The wait that a Retry-After header asks for, milliseconds, at most ten minutes; undefined when there is none or it makes no sense.
 *
 * @param value seconds or an HTTP date (RFC 9110 §10.2.3)
 * @param nowMs wall time, milliseconds since the epoch
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  if (Number.isNaN(waitMs)) return undefined;
  return Math.min(Math.max(0, waitMs), LONGEST_WAIT_MS);
}
