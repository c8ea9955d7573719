import { describe, expect, it } from "vitest";
import { ADMIN } from "./fresh.ts";
import { longestMs } from "./statement-timeout.ts";

const of = (sql: string, configured?: string): number | undefined =>
  longestMs({
    steps: [{ sql, role: "postgres" }],
    ...(configured === undefined ? {} : { settings: { statement_timeout: configured } }),
  });

describe("how long SQL can take by its statement_timeout", () => {
  it.each([
    { sql: "set statement_timeout = 500; select 1", is: 500 },
    { sql: "SET statement_timeout TO '2s'; select 1; select 2", is: 4000 },
    { sql: "set session statement_timeout='1.5 s';select 1", is: 1500 },
    { sql: "begin; set local statement_timeout = '1min'; select 1; commit", is: 120_000 },
    { sql: "/* a */ set statement_timeout = '1s'; -- b\nselect ';'", is: 1000 },
    { sql: "set statement_timeout = '1s'; select 1; set statement_timeout = '3s'; select 2", is: 4000 },
    { sql: "set/* a */local statement_timeout = 5 -- b\n; select 1 -- statement_timeout\n; select 2", is: 10 },
    { sql: "/* a /* b */ set */ set statement_timeout/**/to '1s' /* c */; select 1", is: 1000 },
    { sql: "-- a\rset statement_timeout = 5; start/**/transaction; select 1", is: 5 },
  ])("$is ms of: $sql", ({ sql, is }) => {
    expect(of(sql)).toBe(is);
  });

  it.each([
    { sql: "select 1", because: "nothing is set" },
    { sql: "set statement_timeout = 0; select 1", because: "0 is none" },
    { sql: "set statement_timeout = 'never'; select 1", because: "that is no duration" },
    { sql: "set statement_timeout = '1s'; reset all; select 1", because: "it is taken back" },
    { sql: "set statement_timeout = '1s'; set statement_timeout to default; select 1", because: "so it is" },
    { sql: "select 1; set statement_timeout = '1s'; select 2", because: "a statement goes before it" },
    { sql: "select set_config('statement_timeout', '1s', false); select 1", because: "a function sets it" },
    { sql: "begin; set local statement_timeout = '1s'; commit; select 1", because: "it ends with the transaction" },
    { sql: "begin; set statement_timeout = '1s'; rollback; select 1", because: "it is rolled back" },
    { sql: "set statement_timeout = '1s'; reset/**/all -- a\n; select 1", because: "so it is, beside comments" },
    { sql: "set statement_timeout = 5; /* /* */ a */ commit; select 1", because: "it may be committed" },
    { sql: "set statement_timeout = '1s'", because: "nothing else is done" },
  ])("not to be told of: $sql ($because)", ({ sql }) => {
    expect(of(sql)).toBeUndefined();
  });

  it("begins with what the project has configured", () => {
    expect(of("select 1; select 2", "1s")).toBe(2000);
    expect(of("set statement_timeout = 0; select 1", "1s")).toBeUndefined();
    expect(of("begin; select 1; commit; select 2", "1s")).toBeUndefined();
    expect(of("prepare p as select 1; execute p", "1s")).toBeUndefined();
    expect(of("set statement_timeout = 5; reset statement_timeout; select 1", "1s")).toBe(1000);
    const settings = { statement_timeout: "1s" };
    const sql = "select $1";
    expect(longestMs({ steps: [{ sql, parameters: ["x"], role: "postgres" }], settings })).toBe(1000);
    const prepares = { sql: "/* a /* b */ */ prepare p as select $1", parameters: ["x"], role: "postgres" } as const;
    expect(longestMs({ steps: [prepares], settings })).toBeUndefined();
    expect(
      longestMs({ steps: [{ sql, role: ADMIN }], settings, searchPath: "" }),
      "the platform's own",
    ).toBeUndefined();
  });
});
