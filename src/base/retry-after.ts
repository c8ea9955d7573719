/**
 * The wait that a Retry-After header asks for, milliseconds, negative for a date that has passed; undefined when there is none or it makes no
 * sense. How long a wait is believed is for the caller to say.
 *
 * @param value seconds or an HTTP date (RFC 9110 §10.2.3); parts of a second are no standard, and some servers give them
 * @param nowMs wall time of who wrote the date, milliseconds since the epoch
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  const waitMs = /^\d{1,12}(\.\d{1,6})?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  return Number.isNaN(waitMs) ? undefined : waitMs;
}
