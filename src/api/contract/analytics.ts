import { z } from "zod";
import { noQuery, projectParams, response, sqlText, USUAL_ERRORS_500 } from "./fields.ts";
import { allOf, type LimitClass, operation } from "./operation.ts";

/** Catalogue section "Analytics", what is read: logs and counts. The log drains are in log-drains.ts. */

/** Intervals of facts.md §1, "analytics interval": how far back the counts go. */
export const API_COUNT_INTERVALS = ["15min", "30min", "1hr", "3hr", "1day", "3day", "7day"] as const;
export const FUNCTION_STATS_INTERVALS = ["15min", "1hr", "3hr", "1day"] as const;

/** LogQueryResult: the shape of an item is not shown (behaviour.md, Analytics results). */
export const logQueryResultSchema = response({
  result: z.array(z.unknown()).optional(),
  error: z.string().nullish(),
});
export type LogQueryResult = z.output<typeof logQueryResultSchema>;

const count = z.number().int();

export const apiCountsSchema = response({
  result: z
    .array(
      response({
        timestamp: z.string(),
        total_auth_requests: count,
        total_realtime_requests: count,
        total_rest_requests: count,
        total_storage_requests: count,
      }),
    )
    .optional(),
  error: z.string().nullish(),
});
export type ApiCounts = z.output<typeof apiCountsSchema>;

const apiRequestsCountSchema = response({
  result: z.array(response({ count })).optional(),
  error: z.string().nullish(),
});

/** One of the rows "30 requests, 1 minute" of behaviour.md, Endpoint exceptions; each counts by itself. */
const thirtyPerMinute = (name: string): LimitClass => ({ name, windows: [{ requests: 30, windowMs: 60_000 }] });

const ALL_LOGS_LIMIT = thirtyPerMinute("logs.all");
const API_COUNTS_LIMIT = thirtyPerMinute("usage.api-counts");
const API_REQUESTS_COUNT_LIMIT = thirtyPerMinute("usage.api-requests-count");

const isoTimestamp = z.iso.datetime({
  offset: true,
  local: true,
  error: "expected an ISO 8601 timestamp such as 2026-01-31T12:00:00Z",
});

const logQuery = z.strictObject({
  sql: sqlText.optional(),
  iso_timestamp_start: isoTimestamp.optional(),
  iso_timestamp_end: isoTimestamp.optional(),
});
export type LogQuery = z.output<typeof logQuery>;

const reading = {
  method: "GET",
  params: projectParams,
  limitScope: "project",
  stability: "stable",
  retry: "read",
} as const;
const logs = {
  ...reading,
  query: logQuery,
  success: { kind: "json", status: 200, schema: logQueryResultSchema },
  errors: [400, 401, 402, 403, 404, 429],
  scopes: ["analytics:read"],
  permissions: allOf("analytics_logs_read"),
} as const;
const usage = {
  ...reading,
  errors: [400, 404, ...USUAL_ERRORS_500],
  scopes: [],
  permissions: allOf("analytics_usage_read"),
} as const;

export const analytics = {
  functionStats: operation({
    ...usage,
    id: "analytics.functionStats",
    summary: "Read how often a function ran, and how it ended, per interval",
    path: "/v1/projects/{ref}/analytics/endpoints/functions.combined-stats",
    query: z.strictObject({ interval: z.enum(FUNCTION_STATS_INTERVALS), function_id: z.string().min(1) }),
    success: { kind: "json", status: 200, schema: logQueryResultSchema },
  }),
  logs: operation({
    ...logs,
    id: "analytics.logs",
    summary: "Query the unified log stream; at most 24 hours, the last minute when no range is given",
    path: "/v1/projects/{ref}/analytics/endpoints/logs",
  }),
  allLogs: operation({
    ...logs,
    deprecated: true,
    id: "analytics.allLogs",
    summary: "Query the logs by source; edge_logs when no query is given",
    path: "/v1/projects/{ref}/analytics/endpoints/logs.all",
    limitClass: ALL_LOGS_LIMIT,
  }),
  apiCounts: operation({
    ...usage,
    id: "analytics.apiCounts",
    summary: "Count a project's requests by service and time",
    path: "/v1/projects/{ref}/analytics/endpoints/usage.api-counts",
    query: z.strictObject({ interval: z.enum(API_COUNT_INTERVALS).optional() }),
    success: { kind: "json", status: 200, schema: apiCountsSchema },
    limitClass: API_COUNTS_LIMIT,
  }),
  apiRequestsCount: operation({
    ...usage,
    id: "analytics.apiRequestsCount",
    summary: "Count a project's requests",
    path: "/v1/projects/{ref}/analytics/endpoints/usage.api-requests-count",
    query: noQuery,
    success: { kind: "json", status: 200, schema: apiRequestsCountSchema },
    limitClass: API_REQUESTS_COUNT_LIMIT,
  }),
} as const;
