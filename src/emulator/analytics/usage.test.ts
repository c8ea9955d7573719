import { describe, expect, it } from "vitest";
import type { LogEntry } from "../http/request-log.ts";
import { apiCounts, functionStats, isAbout } from "./usage.ts";

const NOON = Date.parse("2026-01-10T12:00:00Z");

function entry(operation: string, minutes: number, more: Partial<LogEntry> = {}): LogEntry {
  return {
    sequence: 1,
    atMs: NOON + minutes * 60_000,
    operation,
    method: "GET",
    path: "/v1/projects/r",
    query: {},
    identity: "user:1",
    scope: "r",
    status: 200,
    fault: null,
    ...more,
  };
}

describe("usage", () => {
  const entries = [
    entry("authConfig.get", 0.2),
    entry("signingKeys.list", 0.9),
    entry("realtime.get", 1),
    entry("dataApi.get", 1.5),
    entry("storage.get", 1.99),
    entry("functions.list", 1.99),
    entry("authConfig.get", 75),
  ];
  const counts = (timestamp: string, [auth, realtime, rest, storage]: readonly number[]) => ({
    timestamp,
    total_auth_requests: auth,
    total_realtime_requests: realtime,
    total_rest_requests: rest,
    total_storage_requests: storage,
  });

  it.each([
    {
      interval: "3hr",
      rows: [
        counts("2026-01-10T12:00:00.000Z", [2, 0, 0, 0]),
        counts("2026-01-10T12:01:00.000Z", [0, 1, 1, 1]),
        counts("2026-01-10T13:15:00.000Z", [1, 0, 0, 0]),
      ],
      because: "up to three hours are counted by the minute",
    },
    {
      interval: "1day",
      rows: [counts("2026-01-10T12:00:00.000Z", [2, 1, 1, 1]), counts("2026-01-10T13:00:00.000Z", [1, 0, 0, 0])],
      because: "days by the hour",
    },
    {
      interval: "7day",
      rows: [counts("2026-01-10T00:00:00.000Z", [3, 1, 1, 1])],
      because: "a week by the day",
    },
  ] as const)("counts requests by service over $interval: $because", ({ interval, rows }) => {
    expect(apiCounts(entries, interval)).toEqual(rows);
  });

  it("counts how requests ended", () => {
    const ended = [201, 204, 303, 404, 429, 500].map((status) => entry("functions.get", 0, { status }));
    expect(functionStats(ended, "15min")).toEqual([
      {
        timestamp: "2026-01-10T12:00:00.000Z",
        requests_count: 6,
        success_count: 2,
        redirect_count: 1,
        client_err_count: 2,
        server_err_count: 1,
      },
    ]);
  });

  it.each([
    { operation: "functions.get", more: { path: "/v1/projects/r/functions/hello" }, is: true },
    { operation: "functions.getBody", more: { path: "/v1/projects/r/functions/hello/body" }, is: true },
    { operation: "functions.get", more: { path: "/v1/projects/r/functions/other" }, is: false },
    { operation: "functions.deploy", more: { query: { slug: "hello" } }, is: true },
    { operation: "functions.deploy", more: { body: { metadata: { name: "hello" }, files: [] } }, is: true },
    { operation: "functions.create", more: { body: { slug: "hello", name: "x" } }, is: true },
    { operation: "functions.bulkUpdate", more: { body: [{ slug: "a" }, { slug: "hello" }] }, is: true },
    { operation: "functions.list", more: {}, is: false },
    { operation: "secrets.create", more: { body: [{ name: "hello" }] }, is: false },
  ])("knows whether $operation with $more is about the function hello: $is", ({ operation, more, is }) => {
    expect(isAbout(entry(operation, 0, more), "hello")).toBe(is);
  });
});
