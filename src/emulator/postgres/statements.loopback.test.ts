import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lastRows, rowsOf, testPool } from "../../../test/support/emulator/databases.ts";
import type { ResultSet, SqlStep } from "./database.ts";
import { splitStatements } from "./statements.ts";

const pool = testPool();
afterAll(() => pool.stop());

const PREPARE = `create table t (x int, "case" int, "end" int, "begin" int); insert into t values (1, 2, 3, 4);
  create operator ${"<".repeat(62)}@ (leftarg = int, rightarg = int, function = int4pl)`;

beforeAll(async () => {
  const refusal = await rowsOf(pool, "a", PREPARE);
  if (typeof refusal === "string") throw new Error(refusal);
});

async function resultsOf(step: Omit<SqlStep, "role">): Promise<readonly ResultSet[] | string> {
  const outcome = await pool.run("a", { steps: [{ ...step, role: "postgres" }] });
  return outcome.kind === "done" ? outcome.results : `${outcome.error.code} ${outcome.error.message}: ${step.sql}`;
}

/** With parameters it takes no two statements at once. */
const alone = (sql: string) => resultsOf({ sql, parameters: [] });

const PLUS = "+".repeat(62);

describe("statements of a text", () => {
  it.each([
    "select 1; select 2",
    " ; -- a;b\n /* c; */ ; select 1;;",
    `select ';', 'it''s;', 1 as "a;""b"; select 2`,
    String.raw`select '\'; select E'\';'; select E'a' -- b${"\n"}'\';'; select U&'\003b'; select 3`,
    "do $$ begin perform 1; end $$; select $a$ $$;$$ ; $a$; select 2",
    "select 1 as a$b$c; select 2 as b$b$",
    "select /* /* ; */ ; */ 1; select 2 -- ;\r; select 3",
    `select 1 ${PLUS}--; it's\n 1; select 2`,
    `select 1 ${PLUS}/*; it's*/ 1; select 2`,
    `select 1 +-+/*;*/-+1; select 2*-+1; select 1 ${"<".repeat(62)}@ -1; select 3`,
    "select t.case from t; select 2",
    "select 1 case; select 1 as case; select 1 end; select 2",
    "select begin atomic from t; select 2",
    "select case x when 1 then 2 end case from t; select 2",
    "create function f() returns int begin atomic select 1 as end; select t.case + t.end from t; /* a */ end; select f()",
    "create function g() returns int begin atomic select 1 end; select case when true then 5 end case; end; select g()",
    "create procedure h() begin atomic end; select 1",
    "create table r (x int); create rule r as on insert to r do also (select 1; select 2); select 3",
    "select 1 as \u00a0; select 2 as \ufeff; select 3 as a\u2003;\v\f\r select 4",
    "begin; select 1; end; select 2",
  ])("are those of PostgreSQL: %j", async (sql) => {
    const whole = await resultsOf({ sql });
    expect(whole).toBeInstanceOf(Array);
    await undo();
    const parts = [];
    for (const { text } of splitStatements(sql)) parts.push(await alone(text));
    await undo();
    expect(parts.flat()).toEqual(whole);
  });
});

/** What the texts make, so that they can make it again. */
async function undo(): Promise<void> {
  expect(
    await rowsOf(pool, "a", "drop function if exists f, g; drop procedure if exists h; drop table if exists r"),
  ).toEqual([]);
}

describe("text in another encoding than the answer's", () => {
  const unsupported = (name: string) => `0A000 invalid value for parameter "client_encoding": "${name}"`;
  it.each([
    { sql: "set client_encoding = 'latin1'; select 'ä'", says: unsupported("latin1") },
    { sql: "set names 'win1252'", says: unsupported("win1252") },
    { sql: "select set_config('client_encoding', 'koi8r', false)", says: unsupported("koi8r") },
    { sql: "alter database postgres set client_encoding = 'latin1'", says: unsupported("latin1") },
    {
      sql: "select convert_to('ä', 'latin1')",
      says: '42883 default conversion function for encoding "UTF8" to "LATIN1" does not exist',
    },
    { sql: "set client_encoding = 'utf8'; select 'ä'", says: [["ä"]] },
    { sql: "select convert_to('ä', 'utf8')", says: [[String.raw`\xc3a4`]] },
  ])("is refused by the database, which stays: $sql", async ({ sql, says }) => {
    expect(await rowsOf(pool, "a", sql)).toEqual(says);
    const only = { steps: [{ sql, role: "platform_read_only_user" }], transaction: "read-only" } as const;
    expect(await pool.run("a", only)).toHaveProperty("kind");
  });
});

describe("SQL within a transaction of ours", () => {
  const run = async (sql: string) =>
    lastRows(await pool.run("a", { transaction: "read-write", steps: [{ sql, role: "postgres" }] }));

  it.each([
    "commit",
    "commit -- done\n",
    "end transaction -- bye\n",
    "/* a /* b */ c */ commit",
    "-- a\rcommit",
    "commit/**/work and /* a */ no chain",
    "update t set x = t.case; commit",
    "select t.end from t; end",
    `select 1 ${PLUS}--'\n1; commit; select ' '`,
  ])("commits nothing before its end: %j", async (ending) => {
    expect(await run(`create table made (); ${ending}; select 1/0`)).toBe("22012 division by zero");
    expect(await rowsOf(pool, "a", "select to_regclass('made')")).toEqual([[null]]);
  });

  it.each([
    "rollback",
    "rollback -- oops",
    "rollback /* oops */",
    "/* /* */ */ abort",
    "-- a\rrollback",
    "rollback/**/work",
  ])("is refused what would take it back: %j", async (ending) => {
    expect(await run(`create table made (); ${ending}`)).toBe("2D000 invalid transaction termination");
  });
});
