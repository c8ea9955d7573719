import type { API_COUNT_INTERVALS, ApiCounts, FUNCTION_STATS_INTERVALS } from "../../api/contract/analytics.ts";
import type { LogEntry } from "../http/request-log.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../state/spans.ts";
import { sourceOf } from "./log-lines.ts";

/** Counts of requests per slice of time. Slices begin at whole minutes, hours or days; those without a request are left out. */

type Interval = (typeof API_COUNT_INTERVALS)[number] | (typeof FUNCTION_STATS_INTERVALS)[number];

interface Slices {
  /** how far back the counts go, milliseconds */
  readonly lengthMs: number;
  readonly sliceMs: number;
}

export const SLICES: Readonly<Record<Interval, Slices>> = {
  "15min": { lengthMs: 15 * MINUTE_MS, sliceMs: MINUTE_MS },
  "30min": { lengthMs: 30 * MINUTE_MS, sliceMs: MINUTE_MS },
  "1hr": { lengthMs: HOUR_MS, sliceMs: MINUTE_MS },
  "3hr": { lengthMs: 3 * HOUR_MS, sliceMs: MINUTE_MS },
  "1day": { lengthMs: DAY_MS, sliceMs: HOUR_MS },
  "3day": { lengthMs: 3 * DAY_MS, sliceMs: HOUR_MS },
  "7day": { lengthMs: 7 * DAY_MS, sliceMs: DAY_MS },
};

/** Requests by the time in whose slice they came, oldest first. */
function bySlice(entries: readonly LogEntry[], sliceMs: number): readonly (readonly [string, readonly LogEntry[]])[] {
  const slices = Map.groupBy(entries, ({ atMs }) => Math.floor(atMs / sliceMs) * sliceMs);
  return [...slices]
    .toSorted(([a], [b]) => a - b)
    .map(([beganMs, within]) => [new Date(beganMs).toISOString(), within]);
}

/** How many of the requests were about each service. */
export function apiCounts(entries: readonly LogEntry[], interval: Interval): NonNullable<ApiCounts["result"]> {
  return bySlice(entries, SLICES[interval].sliceMs).map(([timestamp, within]) => {
    const about = (source: string): number => within.filter(({ operation }) => sourceOf(operation) === source).length;
    return {
      timestamp,
      total_auth_requests: about("auth_logs"),
      total_realtime_requests: about("realtime_logs"),
      total_rest_requests: about("postgrest_logs"),
      total_storage_requests: about("storage_logs"),
    };
  });
}

/** How the requests ended. */
export function functionStats(entries: readonly LogEntry[], interval: Interval): readonly unknown[] {
  return bySlice(entries, SLICES[interval].sliceMs).map(([timestamp, within]) => {
    const ended = (from: number): number =>
      within.filter(({ status }) => status !== null && status >= from && status < from + 100).length;
    return {
      timestamp,
      requests_count: within.length,
      success_count: ended(200),
      redirect_count: ended(300),
      client_err_count: ended(400),
      server_err_count: ended(500),
    };
  });
}

/** Whether a request was about a function: by its path, or by the slug that a deploy or creation names. */
export function isAbout(entry: LogEntry, slug: string): boolean {
  if (entry.operation?.startsWith("functions.") !== true) return false;
  const [, , , , , ofPath] = entry.path.split("/");
  if (ofPath === slug) return true;
  return [entry.query, entry.body, metadataOf(entry.body), ...itemsOf(entry.body)].some(
    (said) => slugOf(said) === slug,
  );
}

function slugOf(said: unknown): unknown {
  if (typeof said !== "object" || said === null) return undefined;
  return "slug" in said ? said.slug : "name" in said ? said.name : undefined;
}

function metadataOf(body: unknown): unknown {
  return typeof body === "object" && body !== null && "metadata" in body ? body.metadata : undefined;
}

function itemsOf(body: unknown): readonly unknown[] {
  return Array.isArray(body) ? body : [];
}
