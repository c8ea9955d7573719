import { describe, expect, it } from "vitest";
import { asPostgres } from "./log-dialect.ts";

describe("the dialect of log queries", () => {
  it.each([
    { sql: "select `timestamp` from `logs`", read: 'select "timestamp" from "logs"' },
    { sql: "select `t.event_message` from logs t", read: 'select "t"."event_message" from logs t' },
    { sql: "cast(timestamp as datetime)", read: "cast(timestamp as timestamp)" },
    { sql: "CAST(x AS STRING), cast(y as int64)", read: "CAST(x AS text), cast(y as bigint)" },
    { sql: "select event_message as string from logs", read: "select event_message as string from logs" },
    { sql: "where t > now() - interval 5 minute", read: "where t > now() - interval '5 minute'" },
    { sql: "interval '5 minute'", read: "interval '5 minute'" },
    { sql: "timestamp_trunc(timestamp, MINUTE) as minute", read: "timestamp_trunc(timestamp, 'minute') as minute" },
    { sql: "timestamp > timestamp('2026-01-01')", read: "timestamp > log_stream.as_timestamp('2026-01-01')" },
    { sql: "x::timestamp(3)", read: "x::timestamp(3)" },
    { sql: "current_timestamp() - a", read: "now() - a" },
    { sql: "current_timestamp - a", read: "current_timestamp - a" },
    { sql: "source == 'edge_logs'", read: "source = 'edge_logs'" },
    { sql: "log_attributes['request.method'] = 'GET'", read: "(log_attributes ->> 'request.method') = 'GET'" },
    { sql: "l.log_attributes[ 'a' ]::int + 1", read: "(l.log_attributes ->> 'a')::int + 1" },
    { sql: "`l`.`log_attributes`['a']", read: '("l"."log_attributes" ->> \'a\')' },
    { sql: "array['a']", read: "array['a']" },
    { sql: "array['a', 'b'] || x[1]", read: "array['a', 'b'] || x[1]" },
    { sql: "select 1 # all of it\nfrom logs", read: "select 1 -- all of it\nfrom logs" },
    { sql: "select 'it''s `this` == #'", read: "select 'it''s `this` == #'" },
    { sql: "select 'a\\'b'", read: "select  E'a\\'b'" },
    { sql: "select '`' -- ` == \nfrom logs /* ` */", read: "select '`' -- ` == \nfrom logs /* ` */" },
    { sql: 'regexp_contains(event_message, "GET")', read: 'regexp_contains(event_message, "GET")' },
    { sql: "cross join unnest(metadata) as m", read: "cross join unnest(metadata) as m" },
    { sql: "'never closed", read: "'never closed" },
    { sql: "`never closed", read: '"never closed"' },
    { sql: "", read: "" },
  ])("reads $sql as $read", ({ sql, read }) => {
    expect(asPostgres(sql)).toBe(read);
  });
});
