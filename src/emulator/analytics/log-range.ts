import type { LogQuery } from "../../api/contract/analytics.ts";
import type { Plan } from "../../api/contract/operation.ts";
import { badRequest, paymentRequired } from "../failure.ts";
import { DAY_MS, MINUTE_MS } from "../state/spans.ts";

/** Which part of the logs a query is about: from a time on, until before another one. Wall time, milliseconds since the epoch. */
export interface LogRange {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** How long a plan keeps logs. Not in the texts: they only list 402 for a log query. */
const KEPT_DAYS: Readonly<Record<Plan, number>> = { free: 1, pro: 7, team: 28, enterprise: 90, platform: 90 };

/**
 * The range of a query. Neither end given: the last minute. One given: until now, or the minute before it. "The range may not exceed 24
 * hours and is rounded to the nearest minute" (endpoints.md, Analytics); the last minute until now is as exact as the clock, since it
 * would lose its newest lines to the rounding.
 *
 * @throws ApiFailure 400 for a range that is too long ("a validation error", behaviour.md, Errors 8) or ends before it begins; 402 for one
 * that begins before what the plan keeps
 */
export function logRange(query: LogQuery, plan: Plan, nowMs: number): LogRange {
  const { iso_timestamp_start: start, iso_timestamp_end: end } = query;
  if (start === undefined && end === undefined) return { fromMs: nowMs - MINUTE_MS, untilMs: nowMs + 1 };
  const untilMs = end === undefined ? nowMs : timeOf(end);
  const fromMs = start === undefined ? untilMs - MINUTE_MS : timeOf(start);
  if (untilMs < fromMs) throw badRequest("iso_timestamp_end: expected a time after iso_timestamp_start");
  if (untilMs - fromMs > DAY_MS) {
    throw badRequest("iso_timestamp_start: the range of timestamps may not exceed 24 hours");
  }
  const days = KEPT_DAYS[plan];
  if (fromMs < nowMs - days * DAY_MS) {
    throw paymentRequired(`Logs are kept for ${days} day(s) on the plan ${plan}; the range begins before that`);
  }
  return { fromMs: rounded(fromMs), untilMs: rounded(untilMs) };
}

function rounded(ms: number): number {
  return Math.round(ms / MINUTE_MS) * MINUTE_MS;
}

/** A time without an offset is UTC. */
function timeOf(iso: string): number {
  return Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/i.test(iso) ? iso : `${iso}Z`);
}
