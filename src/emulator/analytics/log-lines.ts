import type { LogEntry } from "../http/request-log.ts";
import type { LogRange } from "./log-range.ts";

/**
 * A project's logs, made of what the emulator saw: the requests of the Management API about the project. Each is a line of edge_logs, as of
 * a gateway, and where it is about a service, a line of that service's source too: SQL that ran is in postgres_logs, a deploy in
 * function_logs. Nothing is kept for it beside the request log, which is bounded.
 */

export type LogSource =
  | "edge_logs"
  | "postgres_logs"
  | "function_logs"
  | "auth_logs"
  | "storage_logs"
  | "realtime_logs"
  | "postgrest_logs"
  | "pgbouncer_logs";

export const LOG_SOURCES: readonly LogSource[] = [
  "edge_logs",
  "postgres_logs",
  "function_logs",
  "auth_logs",
  "storage_logs",
  "realtime_logs",
  "postgrest_logs",
  "pgbouncer_logs",
];

/** Which source a section of the contract writes to, beside edge_logs. */
const SOURCE_OF_SECTION: Readonly<Record<string, LogSource>> = {
  authConfig: "auth_logs",
  ssoProviders: "auth_logs",
  thirdPartyAuth: "auth_logs",
  signingKeys: "auth_logs",
  database: "postgres_logs",
  migrations: "postgres_logs",
  functions: "function_logs",
  storage: "storage_logs",
  realtime: "realtime_logs",
  dataApi: "postgrest_logs",
  pooler: "pgbouncer_logs",
};

/** The source of a service's own lines about an operation; undefined where it is about none of the services. */
export function sourceOf(operation: string | null): LogSource | undefined {
  const section = operation?.split(".", 1)[0] ?? "";
  return Object.hasOwn(SOURCE_OF_SECTION, section) ? SOURCE_OF_SECTION[section] : undefined;
}

export type Severity = "INFO" | "WARN" | "ERROR";

export interface LogLine {
  readonly id: string;
  /** ISO 8601 */
  readonly timestamp: string;
  readonly source: LogSource;
  readonly event_message: string;
  readonly severity_text: Severity;
  /** one level, names with dots */
  readonly log_attributes: Readonly<Record<string, string | number>>;
  /** the same, nested in arrays of one, as column stores nest */
  readonly metadata: readonly LogMetadata[];
}

interface LogMetadata {
  readonly operation: string | null;
  readonly identity: string;
  readonly level: Severity;
  readonly query: string | null;
  readonly request: readonly { readonly method: string; readonly path: string; readonly search: string }[];
  readonly response: readonly { readonly status_code: number }[];
}

/** The requests about a project that were answered within a range, oldest first. */
export function answeredEntries(
  entries: readonly LogEntry[],
  ref: string,
  { fromMs, untilMs }: LogRange,
): readonly LogEntry[] {
  return entries.filter(
    ({ scope, status, atMs }) => scope === ref && status !== null && atMs >= fromMs && atMs < untilMs,
  );
}

/** The lines of an answered request. */
export function linesOf(entry: LogEntry): readonly LogLine[] {
  const source = sourceOf(entry.operation);
  return source === undefined ? [lineOf(entry, "edge_logs")] : [lineOf(entry, "edge_logs"), lineOf(entry, source)];
}

function lineOf(entry: LogEntry, source: LogSource): LogLine {
  const { operation, method, path, identity } = entry;
  const status = entry.status ?? 0;
  const level = severityOf(status);
  const query = source === "postgres_logs" && entry.ranSql === true ? sqlOf(entry.body) : null;
  const search = searchOf(entry.query);
  return {
    id: idOf(entry, source),
    timestamp: new Date(entry.atMs).toISOString(),
    source,
    event_message: messageOf(entry, source, query),
    severity_text: level,
    log_attributes: {
      "request.method": method,
      "request.path": path,
      "request.search": search,
      "response.status_code": status,
      identity,
      ...(operation === null ? {} : { operation }),
      ...(query === null ? {} : { query }),
    },
    metadata: [
      {
        operation,
        identity,
        level,
        query,
        request: [{ method, path, search }],
        response: [{ status_code: status }],
      },
    ],
  };
}

function messageOf({ method, path, status, operation }: LogEntry, source: LogSource, query: string | null): string {
  if (source === "edge_logs") return `${method} | ${status ?? 0} | ${path}`;
  return query === null ? `${operation ?? method} ${status ?? 0}` : `statement: ${query}`;
}

function severityOf(status: number): Severity {
  return status >= 500 ? "ERROR" : status >= 400 ? "WARN" : "INFO";
}

/** SQL as the request log keeps it. */
function sqlOf(body: unknown): string | null {
  if (typeof body !== "object" || body === null || !("query" in body)) return null;
  return typeof body.query === "string" ? body.query : null;
}

/** The query string as it may be shown: what the request log left out stays out. */
function searchOf(query: unknown): string {
  const entries = typeof query === "object" && query !== null ? Object.entries(query) : [];
  const text = new URLSearchParams(entries.map(([name, value]): [string, string] => [name, String(value)])).toString();
  return text === "" ? "" : `?${text}`;
}

/** A uuid that is the same each time the line is read. */
function idOf({ sequence }: LogEntry, source: LogSource): string {
  const variant = LOG_SOURCES.indexOf(source).toString(16).padStart(3, "0");
  return `00000000-0000-4000-8${variant}-${sequence.toString(16).padStart(12, "0")}`;
}
