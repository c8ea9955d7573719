import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testPool } from "../../../test/support/emulator/databases.ts";
import type { DatabasePool } from "../postgres/pool.ts";
import type { LogEntry } from "../http/request-log.ts";
import { linesOf } from "./log-lines.ts";
import { logQueries, type RunLogQuery } from "./log-query.ts";

const NOW = Date.parse("2026-01-10T12:00:00Z");

function entry(sequence: number, more: Partial<LogEntry>): LogEntry {
  return {
    sequence,
    atMs: NOW - sequence * 1000,
    operation: "projects.get",
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

const lines = [
  entry(1, {}),
  entry(2, { operation: "authConfig.update", method: "PATCH", path: "/v1/projects/r/config/auth", status: 400 }),
  entry(70, {
    operation: "database.query",
    method: "POST",
    body: { query: "select 'it''s'" },
    query: { a: "1" },
    ranSql: true,
  }),
].flatMap(linesOf);

describe("a log query", () => {
  let pool: DatabasePool;
  let run: RunLogQuery;

  beforeAll(() => {
    pool = testPool({ timeoutMs: 5000 });
    run = logQueries(pool);
  });
  afterAll(() => pool.stop());

  const ask = (sql: string) => run({ sql, lines, nowMs: NOW });

  it.each([
    { sql: "select count(*) as n from logs", result: [{ n: 5 }], because: "each line is there once" },
    {
      sql: "select source, count(*) as n from logs group by source order by source;\n",
      result: [
        { source: "auth_logs", n: 1 },
        { source: "edge_logs", n: 3 },
        { source: "postgres_logs", n: 1 },
      ],
      because: "a semicolon may end it",
    },
    {
      sql:
        "select cast(timestamp as datetime) as timestamp, request.method, response.status_code from edge_logs " +
        "cross join unnest(metadata) as m cross join unnest(m.request) as request cross join unnest(m.response) as response " +
        "where response.status_code >= 400 -- the refused ones",
      result: [{ timestamp: "2026-01-10T11:59:58", method: "PATCH", status_code: 400 }],
      because: "nested fields are joined in",
    },
    {
      sql: "select log_attributes['request.method'] as method from logs where log_attributes['response.status_code'] = '400'",
      result: [{ method: "PATCH" }, { method: "PATCH" }],
      because: "attributes are read by name",
    },
    {
      sql: "select event_message from postgres_logs",
      result: [{ event_message: "statement: select 'it''s'" }],
      because: "SQL stands in its own source",
    },
    {
      sql: "with slow as (select * from `edge_logs`) select search from slow, unnest(metadata) m, unnest(m.request) where search != ''",
      result: [{ search: "?a=1" }],
      because: "a query may have parts",
    },
    {
      sql: "select timestamp_trunc(timestamp, minute) as t, countIf(severity_text = 'WARN') as n from logs group by t order by t",
      result: [
        { t: "2026-01-10T11:58:00+00:00", n: 0 },
        { t: "2026-01-10T11:59:00+00:00", n: 2 },
      ],
      because: "functions of the dialect are there",
    },
    {
      sql: "select count(*) as n from logs where timestamp > now() - interval 1 minute",
      result: [{ n: 3 }],
      because: "the time is the emulator's",
    },
    {
      sql:
        "select toStartOfMinute(timestamp) a, toStartOfFiveMinutes(timestamp) b, toStartOfHour(timestamp) c, toStartOfDay(timestamp) d, " +
        "toString(1) e, toInt64('2') f, if(true, 'yes', 'no') g, ifnull(null, 1) h, regexp_contains('abc', 'b.') i, " +
        "timestamp_sub(timestamp('2026-01-01T00:00:00Z'), interval 1 day) j, match('x', 'y') k from logs limit 1",
      result: [
        {
          a: "2026-01-10T11:59:00+00:00",
          b: "2026-01-10T11:55:00+00:00",
          c: "2026-01-10T11:00:00+00:00",
          d: "2026-01-10T00:00:00+00:00",
          e: "1",
          f: 2,
          g: "yes",
          h: 1,
          i: true,
          j: "2025-12-31T00:00:00+00:00",
          k: false,
        },
      ],
      because: "all of them are",
    },
    { sql: "select 1 as n from generate_series(1, 5000)", result: expect.any(Array), because: "rows are cut off" },
  ])("$sql is answered: $because", async ({ sql, result }) => {
    const answered = await ask(sql);
    expect(answered).toEqual({ result });
    expect(answered.result?.length).toBeLessThanOrEqual(1000);
  });

  it.each([
    { sql: "select colour from logs", says: /column "colour" does not exist/, because: "there is no such column" },
    { sql: "select * from nowhere", says: /relation "nowhere" does not exist/, because: "there is no such source" },
    { sql: "select from where", says: /syntax error/, because: "it means nothing" },
    { sql: "delete from logs", says: /syntax error/, because: "it is no query" },
    { sql: "select 1; select 2", says: /syntax error/, because: "it is two queries" },
    { sql: "select 1) as line; drop schema log_stream; --", says: /./, because: "it breaks out of ours" },
    {
      sql: "with x as (delete from pg_class returning 1) select * from x",
      says: /./,
      because: "it writes",
    },
    { sql: "select pg_sleep(60)", says: /no answer in time/, because: "it never ends" },
  ])("$sql is answered with an error: $because", async ({ sql, says }) => {
    expect(await ask(sql)).toEqual({ result: [], error: expect.stringMatching(says) });
    // whatever it was, the next one finds everything in its place
    expect(await ask("select count(*) as n from logs")).toEqual({ result: [{ n: 5 }] });
  });

  it("sees the lines of its own project and none of another one's query", async () => {
    const [mine, others] = await Promise.all([
      run({ sql: "select count(*) as n from logs", lines: lines.slice(0, 1), nowMs: NOW }),
      ask("select count(*) as n from logs"),
    ]);
    expect([mine, others]).toEqual([{ result: [{ n: 1 }] }, { result: [{ n: 5 }] }]);
  });

  it.each([
    { sent: "select 'a\0b'", shown: "select 'a\uFFFDb'", because: "jsonb has no NUL" },
    { sent: "select '\uD800'", shown: "select '\uFFFD'", because: "text has no half of a pair" },
    { sent: String.raw`select '\u0000\uD800'`, shown: String.raw`select '\u0000\uD800'`, because: "an escape is text" },
  ])("reads a line with $sent, and all others beside it: $because", async ({ sent, shown }) => {
    const odd = linesOf(
      entry(3, {
        operation: "database.query",
        method: "POST",
        body: { query: sent },
        query: { q: sent },
        ranSql: true,
      }),
    );
    const answered = await run({
      sql: "select event_message from postgres_logs order by timestamp",
      lines: [...lines, ...odd],
      nowMs: NOW,
    });
    expect(answered).toEqual({
      result: [{ event_message: "statement: select 'it''s'" }, { event_message: `statement: ${shown}` }],
    });
  });

  it("finds its views again when somebody dropped the database", async () => {
    pool.drop("log-queries");
    expect(await ask("select count(*) as n from logs")).toEqual({ result: [{ n: 5 }] });
  });
});
