import { afterAll, expect, it } from "vitest";
import { rowsOf, testPool } from "../../../test/support/emulator/databases.ts";

/** What goes deeper than PostgreSQL lets it is refused as PostgreSQL says, and the database goes on (engine: one thread for each). */

/** WebAssembly takes seconds to go as deep, milliseconds. */
const DEEP_MS = 90_000;
const pool = testPool({});
afterAll(() => pool.stop());

it.each([
  { language: "plpgsql", body: "begin if n = 0 then return 0; end if; return deep_plpgsql(n - 1) + 1; end" },
  { language: "sql", body: "select case when n = 0 then 0 else deep_sql(n - 1) + 1 end" },
])(
  "a function in $language that calls itself without end",
  async ({ language, body }) => {
    const define = `create table kept_${language} (); create function deep_${language}(n int) returns int language ${language} as $f$ ${body} $f$`;
    await rowsOf(pool, "a", define);
    expect(await rowsOf(pool, "a", `select deep_${language}(100)`)).toEqual([["100"]]);
    expect(await rowsOf(pool, "a", `select deep_${language}(1000000)`)).toContain("54001");
    expect(await rowsOf(pool, "a", `select count(*) from kept_${language}`)).toEqual([["0"]]);
  },
  DEEP_MS,
);
