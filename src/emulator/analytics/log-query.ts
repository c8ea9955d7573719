import type { LogQueryResult } from "../../api/contract/analytics.ts";
import { type Databases, DatabaseUnavailableError, type SqlJob, type SqlOutcome } from "../postgres/database.ts";
import { READER } from "../postgres/fresh.ts";
import { LINES_SETTING, LOG_SEARCH_PATH, logStreamSetup, NOW_SETTING } from "./log-database.ts";
import { asPostgres } from "./log-dialect.ts";
import type { LogLine } from "./log-lines.ts";

/** Runs queries over log lines. A query that the database refuses, or does not end in time, is a result with an error. */
export type RunLogQuery = (query: {
  readonly sql: string;
  readonly lines: readonly LogLine[];
  /** what `now()` is in the query, wall time in milliseconds */
  readonly nowMs: number;
}) => Promise<LogQueryResult>;

/** No ref: one database runs the log queries of all projects, and keeps nothing of any. */
export const LOG_DATABASE = "log-queries";
/** More rows are cut off. */
const MOST_ROWS = 1000;

export function logQueries(databases: Databases): RunLogQuery {
  const prepare = async (): Promise<void> => {
    const setup = { sql: logStreamSetup(READER), role: "postgres" } as const;
    const outcome = await databases.run(LOG_DATABASE, { steps: [setup], transaction: "read-write", searchPath: "" });
    if (outcome.kind === "refused") throw new Error(`views over log lines: ${outcome.error.message}`);
  };
  const ask = async (job: SqlJob): Promise<SqlOutcome> => {
    const outcome = await databases.run(LOG_DATABASE, job);
    if (outcome.kind === "done" || outcome.step !== PROBE) return outcome;
    await prepare(); // the database is new
    return databases.run(LOG_DATABASE, job);
  };
  return async ({ sql, lines, nowMs }) => {
    try {
      const outcome = await ask(jobOf(asPostgres(sql), lines, nowMs));
      if (outcome.kind === "refused") return { result: [], error: outcome.error.message };
      const rows = outcome.results[0]?.rows ?? [];
      return { result: rows.map(([row]): unknown => JSON.parse(row ?? "null")) };
    } catch (error) {
      if (error instanceof DatabaseUnavailableError) return { result: [], error: error.message };
      throw error;
    }
  };
}

/** The step that fails where the views are not there yet. */
const PROBE = 0;

/** One read-only transaction, in which the lines are a setting. The query stands within ours, so that its rows come as JSON. */
function jobOf(sql: string, lines: readonly LogLine[], nowMs: number): SqlJob {
  const settings = `select set_config('${LINES_SETTING}', $1, true), set_config('${NOW_SETTING}', $2, true)`;
  return {
    transaction: "read-only",
    searchPath: LOG_SEARCH_PATH,
    steps: [
      { role: READER, sql: "select 'log_stream.logs'::regclass" },
      { role: READER, sql: settings, parameters: [storable(lines), new Date(nowMs).toISOString()] },
      {
        role: READER,
        sql: `select row_to_json(line) from (\n${withoutEnd(sql)}\n) as line limit ${MOST_ROWS}`,
        parameters: [], // with parameters there is one statement and no more
      },
    ],
  };
}

/** As JSON that the database takes: its jsonb has neither NUL nor half of a surrogate pair, and a request may have sent both. */
function storable(lines: readonly LogLine[]): string {
  return JSON.stringify(lines, (_key, value: unknown) =>
    typeof value === "string" ? value.toWellFormed().replaceAll("\0", "\uFFFD") : value,
  );
}

function withoutEnd(sql: string): string {
  return sql.replace(/[\s;]+$/, "");
}
