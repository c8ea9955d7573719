import type { LogQuery, LogQueryResult } from "../../api/contract/analytics.ts";
import { answeredEntries, type LogLine, linesOf } from "./log-lines.ts";
import { type LogRange, logRange } from "./log-range.ts";
import type { RunLogQuery } from "./log-query.ts";
import { isSql, lqlAsSql } from "./lql.ts";
import { apiCounts, functionStats, isAbout, SLICES } from "./usage.ts";
import { type Caller, visibleProject } from "../access.ts";
import { badRequest, notFound } from "../failure.ts";
import type { LogEntry, RequestLog } from "../http/request-log.ts";
import { DAY_MS } from "../state/spans.ts";
import type { World } from "../state/world.ts";
import type { SectionHandlers } from "../handlers/handler.ts";
import { organizationOf } from "../organizations/organization-of.ts";

/**
 * src/emulator/analytics: logs, queries over them, counts, and where logs are drained to. All are made of the request log of the emulator. Never
 * here: a log of its own, or a drain that anything is sent to.
 */

/** Lines of a listing without a query. */
const LISTED = 100;

/** Logs and counts, of what the emulator itself saw of a project: the requests of the Management API about it. */
export function analyticsHandlers(
  world: World,
  requests: RequestLog,
  runQuery: RunLogQuery,
): SectionHandlers<"analytics"> {
  const seen = (ref: string, range: LogRange): readonly LogEntry[] => answeredEntries(requests.entries, ref, range);
  const since = (ref: string, lengthMs: number): readonly LogEntry[] => seen(ref, untilNow(world, lengthMs));
  const lines = (caller: Caller, ref: string, query: LogQuery): readonly LogLine[] => {
    const { plan } = organizationOf(world, visibleProject(world, caller, ref));
    return seen(ref, logRange(query, plan, world.clock.now())).flatMap(linesOf);
  };
  const run = (sql: string, over: readonly LogLine[]): Promise<LogQueryResult> =>
    runQuery({ sql, lines: over, nowMs: world.clock.now() });

  return {
    logs: ({ params, query, caller }) => {
      const all = lines(caller, params.ref, query);
      const { sql } = query;
      if (sql === undefined) return listing(all);
      return run(isSql(sql) ? sql : lqlAsSql(sql), all);
    },
    allLogs: ({ params, query, caller }) => {
      const all = lines(caller, params.ref, query);
      const { sql } = query;
      // "without `sql` only edge_logs are queried" (endpoints.md, Analytics)
      if (sql === undefined) return listing(all.filter(({ source }) => source === "edge_logs"));
      if (!isSql(sql)) throw badRequest("sql: expected a query that begins with select or with");
      return run(sql, all);
    },
    functionStats: ({ params, query, caller }) => {
      const { ref } = visibleProject(world, caller, params.ref);
      const slug = slugOf(world, ref, query.function_id);
      const about = since(ref, SLICES[query.interval].lengthMs).filter((entry) => isAbout(entry, slug));
      return { result: [...functionStats(about, query.interval)] };
    },
    apiCounts: ({ params, query: { interval = "1day" }, caller }) => {
      const { ref } = visibleProject(world, caller, params.ref);
      return { result: apiCounts(since(ref, SLICES[interval].lengthMs), interval) };
    },
    apiRequestsCount: ({ params, caller }) => {
      const { ref } = visibleProject(world, caller, params.ref);
      return { result: [{ count: since(ref, DAY_MS).length }] };
    },
  };
}

function untilNow(world: World, lengthMs: number): LogRange {
  const nowMs = world.clock.now();
  return { fromMs: nowMs - lengthMs, untilMs: nowMs + 1 };
}

/** @throws ApiFailure 404 */
function slugOf(world: World, ref: string, functionId: string): string {
  const known = [...world.functions.of(ref).values()].find(({ id }) => id === functionId);
  if (known === undefined) throw notFound("Function");
  return known.slug;
}

/** The newest lines first. */
function listing(lines: readonly LogLine[]): LogQueryResult {
  return {
    result: lines
      .slice(-LISTED)
      .toReversed()
      .map(({ id, timestamp, source, event_message, metadata }) => ({
        id,
        timestamp,
        source,
        event_message,
        metadata,
      })),
  };
}
