import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { rowsOf, testPool } from "../../../test/support/emulator/databases.ts";
import type { DatabasePool } from "./pool.ts";

let folder = "";
let pool: DatabasePool;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "baas-leftovers-"));
});
afterEach(async () => {
  await pool.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A materialized view that can be computed while there is a row, and otherwise comes to `instead`. */
const VIEW = (instead: string): string => `create table t (x int); insert into t values (1);
  create materialized view m as select case when exists (select from t) then 1 else (${instead}) end as y;
  create materialized view n as select count(*) as y from t`;

describe("what nobody wants of databases", () => {
  it("is not made: one whose project was removed while work on it went on", async () => {
    const wanted = new Set(["a"]);
    pool = testPool({}, folder, { isWanted: (ref) => wanted.has(ref) });
    await rowsOf(pool, "a", "select 1");
    wanted.delete("a");
    pool.drop("a");
    await expect(pool.inTurn("a", (turn) => turn.rebuild(() => Promise.resolve()))).rejects.toMatchObject({
      reason: "dropped",
    });
    await expect(rowsOf(pool, "a", "select 1")).rejects.toMatchObject({ reason: "dropped" });
    expect(existsSync(join(folder, "a"))).toBe(false);
  });

  it("is not copied, nor restored or asked: one whose project goes down before or meanwhile, which stays as it is", async () => {
    const startMs = Date.UTC(2026, 0, 1);
    let nowMs = startMs;
    let answers: boolean[] = [];
    const recoverable = () => ({ fromMs: startMs, nowMs, lengthMs: 86_400_000 });
    pool = testPool({}, folder, { isWanted: () => answers.shift() ?? true, recoverable });
    for (const name of ["first", "second"]) {
      await rowsOf(pool, "a", `create table ${name} ()`);
      nowMs += 2000;
    }
    answers = [false];
    await expect(pool.clone("a", "b", { data: true })).rejects.toMatchObject({ reason: "dropped" });
    for (answers of [[false], [true, false]]) {
      await expect(pool.inTurn("a", (turn) => turn.restore(startMs + 1000, () => undefined))).rejects.toMatchObject({
        reason: "dropped",
      });
    }
    answers = [true, false];
    const late = { steps: [{ sql: "drop table second", role: "postgres" }] } as const;
    await expect(pool.inTurn("a", ({ run }) => run(late))).rejects.toMatchObject({ reason: "dropped" });
    expect(await rowsOf(pool, "a", "select to_regclass('second')")).toEqual([["second"]]);
    expect(readdirSync(folder)).not.toContain("b");
  });

  it("does not stay: the copy of a clone that fails", async () => {
    pool = testPool({ timeoutMs: 3000 }, folder);
    await rowsOf(pool, "a", VIEW("select count(*) from generate_series(1, 1000000000000)"));
    await expect(pool.clone("a", "b", { data: false })).rejects.toMatchObject({ reason: "timeout" });
    expect(readdirSync(folder)).toEqual(["a"]);
  });

  it("is no reason to refuse a clone without data: a materialized view that needs some", async () => {
    pool = testPool({}, folder);
    await rowsOf(pool, "a", VIEW("select 1 / (select count(*) from t)"));
    await pool.clone("a", "b", { data: false });
    expect(await rowsOf(pool, "b", "select y from n")).toEqual([["0"]]);
    expect(await rowsOf(pool, "b", "select y from m")).toContain("has not been populated");
  });

  it.each([
    {
      does: "gives way to what was written since: a complete copy beside the one that it was to replace",
      remove: false,
    },
    { does: "is put in its place where a crash kept it from there: a complete copy alone", remove: true },
  ])("$does", async ({ remove }) => {
    const run = async (sql: string): Promise<void> => {
      pool = testPool({}, folder);
      await rowsOf(pool, "a", sql);
      await pool.stop();
    };
    await run("create table new (x int)");
    cpSync(join(folder, "a"), join(folder, "a.ready"), { recursive: true });
    if (remove) rmSync(join(folder, "a"), { recursive: true });
    else await run("drop table new");
    pool = testPool({}, folder);
    await pool.retain(new Set(["a"]));
    expect(readdirSync(folder)).toEqual(["a"]);
    expect(await rowsOf(pool, "a", "select to_regclass('new') is null")).toEqual([[remove ? "f" : "t"]]);
  });
});
