import { LOG_SOURCES } from "./log-lines.ts";

/**
 * What the database that log queries run in holds: views over the lines of one query, which come as a setting of its transaction, and the
 * functions of the dialect that PostgreSQL does not have. No line is ever stored in it.
 */

/** Views and functions; `now()` is the emulator's time. Comes before pg_catalog, whose functions of the same name it hides. */
export const LOG_SEARCH_PATH = "log_stream, pg_catalog";

/** Settings of the transaction: the lines as JSON, and the time. */
export const LINES_SETTING = "log_stream.lines";
export const NOW_SETTING = "log_stream.now";

const TYPES = `
create schema if not exists log_stream;
do $$ begin
  if to_regtype('log_stream.log_metadata') is null then
    create type log_stream.log_request as (method text, path text, search text);
    create type log_stream.log_response as (status_code bigint);
    create type log_stream.log_metadata as (
      operation text, identity text, level text, query text,
      request log_stream.log_request[], response log_stream.log_response[]
    );
  end if;
end $$;
`;

const VIEWS = `
create or replace view log_stream.logs as
  select * from jsonb_to_recordset(current_setting('${LINES_SETTING}')::jsonb) as line (
    id text, "timestamp" timestamptz, source text, event_message text, severity_text text,
    log_attributes jsonb, metadata log_stream.log_metadata[]
  );
${LOG_SOURCES.map(
  (source) => `create or replace view log_stream.${source} as
  select id, "timestamp", event_message, metadata from log_stream.logs where source = '${source}';`,
).join("\n")}
`;

/** Name, parameters, result and body of each function; the last expression is the whole of it. */
const FUNCTIONS: readonly (readonly [signature: string, result: string, body: string])[] = [
  ["now()", "timestamptz", `current_setting('${NOW_SETTING}')::timestamptz`],
  ["current_datetime()", "timestamp", "log_stream.now() at time zone 'utc'"],
  ["as_timestamp(text)", "timestamptz", "$1::timestamptz"],
  ["as_timestamp(timestamptz)", "timestamptz", "$1"],
  ["as_timestamp(timestamp)", "timestamptz", "$1 at time zone 'utc'"],
  ["timestamp_trunc(timestamptz, text)", "timestamptz", "date_trunc($2, $1, 'utc')"],
  ["datetime_trunc(timestamp, text)", "timestamp", "date_trunc($2, $1)"],
  ["timestamp_add(timestamptz, interval)", "timestamptz", "$1 + $2"],
  ["timestamp_sub(timestamptz, interval)", "timestamptz", "$1 - $2"],
  ["regexp_contains(text, text)", "boolean", "$1 ~ $2"],
  ["match(text, text)", "boolean", "$1 ~ $2"],
  ["tostartofminute(timestamptz)", "timestamptz", "date_trunc('minute', $1, 'utc')"],
  ["tostartoffiveminutes(timestamptz)", "timestamptz", "date_bin('5 minutes', $1, 'epoch')"],
  ["tostartofhour(timestamptz)", "timestamptz", "date_trunc('hour', $1, 'utc')"],
  ["tostartofday(timestamptz)", "timestamptz", "date_trunc('day', $1, 'utc')"],
  ["todatetime(text)", "timestamptz", "$1::timestamptz"],
  ["tostring(anyelement)", "text", "$1::text"],
  ["toint32(text)", "integer", "$1::integer"],
  ["toint64(text)", "bigint", "$1::bigint"],
  ["tofloat64(text)", "double precision", "$1::double precision"],
  ["if(boolean, anycompatible, anycompatible)", "anycompatible", "case when $1 then $2 else $3 end"],
  ["ifnull(anycompatible, anycompatible)", "anycompatible", "coalesce($1, $2)"],
];

const COUNTIF = `
create or replace function log_stream.count_if_step(bigint, boolean) returns bigint language sql immutable
  as 'select $1 + case when $2 then 1 else 0 end';
create or replace aggregate log_stream.countif(boolean) (
  sfunc = log_stream.count_if_step, stype = bigint, initcond = '0'
);
`;

/** Run once in the database, as the owner of what is in it; may be run again. @param reader role that runs the queries */
export function logStreamSetup(reader: string): string {
  const functions = FUNCTIONS.map(
    ([signature, result, body]) =>
      `create or replace function log_stream.${signature} returns ${result} language sql stable as $$ select ${body} $$;`,
  );
  return [
    TYPES,
    VIEWS,
    functions.join("\n"),
    COUNTIF,
    `grant usage on schema log_stream to ${reader}; grant select on all tables in schema log_stream to ${reader};`,
  ].join("\n");
}
