import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { lastRows, rowsOf, rowsOfSuperuser, testPool } from "../../../test/support/emulator/databases.ts";
import type { RunJob } from "./database.ts";
import type { DatabasePool } from "./pool.ts";

const root = mkdtempSync(join(tmpdir(), "baas-pool-test-"));
let pools: DatabasePool[] = [];
let folders = 0;

/** A pool in a folder of its own, where the test can look. */
function poolIn(folder: string, limits: Parameters<typeof testPool>[0] = {}): DatabasePool {
  const pool = testPool(limits, folder);
  pools.push(pool);
  return pool;
}
const exists = (pool: DatabasePool, ref: string): Promise<boolean> => pool.inTurn(ref, (turn) => turn.exists());
const newFolder = (): string => join(root, `d${(folders += 1)}`);
/** PostgreSQL has this file in the folder of a database that is open. */
const isOpen = (folder: string, ref: string): boolean => existsSync(join(folder, ref, "postmaster.pid"));

afterEach(async () => {
  await Promise.all(pools.map((pool) => pool.stop()));
  pools = [];
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Runs until it is stopped, without ever coming back to where PostgreSQL would notice a wish to stop. */
const ENDLESS = "select count(*) from generate_series(1, 1000000000000)";

describe("the pool of databases", () => {
  it("makes nothing before the first SQL, and then a fresh database", async () => {
    const folder = newFolder();
    const pool = poolIn(folder);
    expect(await exists(pool, "a")).toBe(false);
    expect(existsSync(folder)).toBe(false);
    expect(await rowsOf(pool, "a", "select current_user, current_setting('search_path')")).toEqual([
      ["postgres", '"$user", public, extensions'],
    ]);
    expect(await exists(pool, "a")).toBe(true);
    expect(await exists(pool, "b")).toBe(false);
  });

  it("parks the one that was used longest ago, and loses nothing by it", async () => {
    const folder = newFolder();
    const pool = poolIn(folder, { open: 2 });
    for (const ref of ["a", "b"]) await rowsOf(pool, ref, `create table t (x text); insert into t values ('${ref}')`);
    expect(await rowsOf(pool, "a", "select * from t")).toEqual([["a"]]);
    await rowsOf(pool, "c", "create table t (x text); insert into t values ('c')");
    expect(["a", "b", "c"].map((ref) => isOpen(folder, ref))).toEqual([true, false, true]);
    for (const ref of ["b", "c", "a"]) expect(await rowsOf(pool, ref, "select * from t")).toEqual([[ref]]);
    expect(["a", "b", "c"].map((ref) => isOpen(folder, ref))).toEqual([true, false, true]);
  });

  it("lets those that are in use go on, and the others wait for a place", async () => {
    const folder = newFolder();
    const pool = poolIn(folder, { open: 1 });
    const first = rowsOf(pool, "a", "select pg_sleep(0.3); select 'a'");
    const second = rowsOf(pool, "b", "select 'b'");
    const third = rowsOf(pool, "c", "select 'c'");
    expect(await Promise.all([first, second, third])).toEqual([[["a"]], [["b"]], [["c"]]]);
  });

  it("runs the jobs of one database one after the other, in the order in which they came", async () => {
    const pool = poolIn(newFolder());
    await rowsOf(pool, "a", "create table t (x int)");
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        rowsOf(pool, "a", `insert into t values (${index}); select max(x) from t`),
      ),
    );
    expect(results).toEqual(Array.from({ length: 20 }, (_, index) => [[String(index)]]));
  });

  const LEFT_BEHIND: readonly {
    readonly what: string;
    readonly sql: string;
    readonly probe: string;
    readonly sees: unknown;
  }[] = [
    {
      what: "a role",
      sql: "set role anon",
      probe: "select current_user, session_user",
      sees: [["postgres", "postgres"]],
    },
    {
      what: "the role that a session begins as",
      sql: "discard all",
      probe: "select current_user, session_user",
      sees: [["postgres", "postgres"]],
    },
    {
      what: "a setting",
      sql: "set work_mem = '9MB'; set my.own = 'x'",
      probe: "select current_setting('work_mem'), current_setting('my.own', true)",
      sees: [["4MB", ""]],
    },
    {
      what: "a temporary table",
      sql: "create temp table gone (x int)",
      probe: "select to_regclass('gone')",
      sees: [[null]],
    },
    {
      what: "a transaction, which is undone",
      sql: "begin; create table undone (x int)",
      probe: "select to_regclass('undone')",
      sees: [[null]],
    },
    { what: "a failed transaction", sql: "begin; select 1/0", probe: "select 1", sees: [["1"]] },
    {
      what: "a prepared statement and a lock",
      sql: "prepare p as select 1; select pg_advisory_lock(7)",
      probe:
        "select (select count(*) from pg_prepared_statements), (select count(*) from pg_locks where locktype = 'advisory')",
      sees: [["0", "0"]],
    },
    { what: "an unfinished COPY", sql: "create table c (x int); copy c from stdin", probe: "select 2", sees: [["2"]] },
    {
      what: "an end of the session",
      sql: "select pg_terminate_backend(pg_backend_pid())",
      probe: "select 3",
      sees: [["3"]],
    },
  ];
  it("leaves no trace of one job in the next", async () => {
    const pool = poolIn(newFolder());
    for (const { what, sql, probe, sees } of LEFT_BEHIND) {
      await rowsOf(pool, "a", sql).catch(() => "ended");
      expect([what, await rowsOf(pool, "a", probe)]).toEqual([what, sees]);
    }
  });

  it("ends a query that never ends, while others are answered; afterwards everything that was committed is there", async () => {
    const pool = poolIn(newFolder(), { timeoutMs: 1500 });
    await rowsOf(pool, "a", "create table t (x int); insert into t values (1)");
    await rowsOf(pool, "b", "select 1"); // open, so that its answers take no start
    const over: string[] = [];
    const endless = rowsOf(pool, "a", `begin; insert into t values (2); ${ENDLESS}`).finally(() =>
      over.push("endless"),
    );
    // Listened to from the beginning: where the twenty answers take longer than it may, it has failed before anybody asks.
    const both = Promise.allSettled([endless, rowsOf(pool, "a", "select x from t")]);
    for (let index = 0; index < 20; index += 1) {
      expect(await rowsOf(pool, "b", "select 'still here'")).toEqual([["still here"]]);
    }
    expect(over, "the twenty answers came while it ran").toEqual([]);
    const [ended, after] = await both;
    expect(ended).toMatchObject({ status: "rejected", reason: { reason: "timeout" } });
    // What waited behind it ran in the database that was opened again.
    expect(after).toEqual({ status: "fulfilled", value: [["1"]] });
  });

  it("opens a database again that did not survive what it was asked", async () => {
    const pool = poolIn(newFolder());
    await rowsOf(pool, "a", "create table t (x int); insert into t values (1)");
    await expect(rowsOfSuperuser(pool, "a", "copy t to program 'true'")).rejects.toMatchObject({
      reason: "ended",
    });
    expect(await rowsOf(pool, "a", "select x from t")).toEqual([["1"]]);
  });

  it("removes the database of a project that is gone, with what it is doing; a new one of the same ref is fresh", async () => {
    const folder = newFolder();
    const pool = poolIn(folder);
    await rowsOf(pool, "a", "create table t (x int)");
    const wanted = Promise.allSettled([ENDLESS, "select 1"].map((sql) => rowsOf(pool, "a", sql)));
    pool.drop("a");
    const dropped = { status: "rejected", reason: expect.objectContaining({ reason: "dropped" }) };
    expect(await wanted).toEqual([dropped, dropped]);
    expect(await rowsOf(pool, "a", "select to_regclass('t')")).toEqual([[null]]);
    pool.drop("a");
    await pool.stop();
    expect(existsSync(join(folder, "a"))).toBe(false);
  });

  it("keeps its folder when it stops, and another pool goes on with it; what belongs to no project is removed", async () => {
    const folder = newFolder();
    const first = poolIn(folder);
    for (const ref of ["a", "b"]) await rowsOf(first, ref, `create table t (x text); insert into t values ('${ref}')`);
    await first.stop();
    await expect(rowsOf(first, "a", "select 1")).rejects.toMatchObject({ reason: "ended" });
    const second = poolIn(folder);
    await second.retain(new Set(["a"]));
    expect([await exists(second, "a"), await exists(second, "b")]).toEqual([true, false]);
    expect(await rowsOf(second, "a", "select * from t")).toEqual([["a"]]);
  });

  it("without a folder lies in a temporary one, which goes when it stops", async () => {
    const pool = testPool();
    const found = (): readonly string[] =>
      readdirSync(tmpdir()).filter((name) => existsSync(join(tmpdir(), name, "in-a-temporary-folder")));
    await rowsOf(pool, "in-a-temporary-folder", "select 1");
    expect(found()).toHaveLength(1);
    await pool.stop();
    expect(found()).toEqual([]);
  });
});

describe("a copy of a database", () => {
  const FILL = `
    create table a (id int generated always as identity primary key, x text);
    create table b (a int references a);
    create sequence s;
    create materialized view m as select count(*) from a;
    insert into a (x) values ('one'), ('two');
    insert into b values (1);
    select nextval('s'), nextval('s');
    insert into auth.users (email) values ('ann@example.test');
    insert into platform_migrations.schema_migrations (version) values ('1');
    refresh materialized view m`;
  const COUNTS = `select (select count(*) from a), (select count(*) from b), (select * from m), (select count(*) from auth.users),
    (select count(*) from platform_migrations.schema_migrations)`;

  it("has the rows where they are wanted; without them the tables are empty and count from the start", async () => {
    const pool = poolIn(newFolder());
    await rowsOf(pool, "main", FILL);
    await rowsOf(pool, "with", "create table old (x int)");
    await pool.clone("main", "with", { data: true });
    await pool.clone("main", "without", { data: false });
    expect(await rowsOf(pool, "with", COUNTS)).toEqual([["2", "1", "2", "1", "1"]]);
    expect(await rowsOf(pool, "with", "select to_regclass('old')")).toEqual([[null]]);
    expect(await rowsOf(pool, "without", COUNTS)).toEqual([["0", "0", "0", "0", "1"]]);
    const next = "insert into a (x) values ('new') returning id, nextval('s')";
    expect(await rowsOf(pool, "without", next)).toEqual([["1", "1"]]);
    expect(await rowsOf(pool, "main", next), "the original goes on by itself").toEqual([["3", "3"]]);
  });

  it("of a database that nobody used is a fresh one", async () => {
    const pool = poolIn(newFolder());
    await rowsOf(pool, "b", "create table t (x int)");
    await pool.clone("untouched", "b", { data: true });
    expect(await rowsOf(pool, "b", "select to_regclass('t')")).toEqual([[null]]);
  });
});

describe("a database that is made anew", () => {
  const make = (sql: string) => (run: RunJob) => run({ steps: [{ sql, role: "postgres" }] });

  it("is a fresh one with what was done in it, and takes no place beside the one that it replaces", async () => {
    const folder = newFolder();
    const pool = poolIn(folder, { open: 1 });
    await rowsOf(pool, "a", "create table old (x int)");
    await pool.inTurn("a", (turn) => turn.rebuild(make("create table new (x int)")));
    expect(await rowsOf(pool, "a", "select to_regclass('old'), to_regclass('new')")).toEqual([[null, "new"]]);
    expect(readdirSync(folder)).toEqual(["a"]);
  });

  it("is made and asked in one turn, between which and its end nothing else comes", async () => {
    const pool = poolIn(newFolder());
    await rowsOf(pool, "a", "create table old (x int)");
    const work = pool.inTurn("a", async (turn) => {
      await turn.run({ steps: [{ sql: "drop table old", role: "postgres" }] });
      await turn.rebuild(make("create table new (x int)"));
      return lastRows(await turn.run({ steps: [{ sql: "select to_regclass('behind')", role: "postgres" }] }));
    });
    const behind = rowsOf(pool, "a", "create table behind (); select to_regclass('new')");
    expect(await Promise.all([work, behind])).toEqual([[[null]], [["new"]]]);
  });

  it("leaves the old one where it cannot be filled", async () => {
    const pool = poolIn(newFolder(), { timeoutMs: 1500 });
    await rowsOf(pool, "a", "create table old (x int)");
    await expect(pool.inTurn("a", (turn) => turn.rebuild(make(ENDLESS)))).rejects.toMatchObject({ reason: "timeout" });
    expect(await rowsOf(pool, "a", "select to_regclass('old')")).toEqual([["old"]]);
  });
});
