import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ManualClock } from "../../base/manual-clock.ts";
import { type EmulatorUnderTest, emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { aBranch, A_WHILE, message } from "../../../test/support/emulator/scenario.ts";
import type { SeedInput } from "../state/seed.ts";

const [REF = "", PLAIN = ""] = ["s", "p"].map((letter) => letter.repeat(20));
const DAY = 86_400_000;
const root = mkdtempSync(join(tmpdir(), "baas-restore-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const seed: SeedInput = {
  organizations: [{ slug: "acme", plan: "pro", members: { owner: "Owner" } }],
  projects: [
    { name: "shop", ref: REF, instanceSize: "small", addons: ["pitr_7"] },
    { name: "plain", ref: PLAIN },
  ],
};

const ask = async ({ call }: EmulatorUnderTest, query: string, ref = REF): Promise<unknown> =>
  (await call("POST", `/v1/projects/${ref}/database/query`, { body: { query } })).json;
const seconds = ({ clock }: EmulatorUnderTest): number => clock.now() / 1000;

/** Restores, and lets the project come up. */
async function restore({ call, clock }: EmulatorUnderTest, target: number, ref = REF): Promise<void> {
  const body = { recovery_time_target_unix: target };
  const answer = await call("POST", `/v1/projects/${ref}/database/backups/restore-pitr`, { body });
  expect([answer.status, answer.text]).toEqual([201, "{}"]);
  clock.advance(A_WHILE);
}

const TABLE = "create table t (x text, id uuid default gen_random_uuid(), at timestamptz default clock_timestamp())";
const ROWS = "select * from t order by x";

describe("a restore to a point in time", { timeout: 180_000 }, () => {
  it("brings back what the database was: rows, what was drawn and timed, the schema, and the history of migrations", async () => {
    await using under = await emulatorUnderTest({ seed });
    await under.call("POST", `/v1/projects/${REF}/database/migrations`, { body: { query: TABLE, name: "first" } });
    await ask(under, "insert into t (x) values ('kept'), ('changed'), ('deleted')");
    const before = await ask(under, ROWS);
    const target = seconds(under);
    under.clock.advance(1);
    await ask(under, "update t set x = 'later' where x = 'changed'; delete from t where x = 'deleted'");
    await ask(under, "alter table t add column y int; create table later (); create function f() returns int return 1");
    await under.call("POST", `/v1/projects/${REF}/database/migrations`, { body: { query: "drop table t" } });
    under.clock.advance(DAY);
    await restore(under, target);
    expect(await ask(under, ROWS)).toEqual(before);
    expect(await ask(under, "select to_regclass('later') as t, to_regproc('f') as f")).toEqual([{ t: null, f: null }]);
    expect((await under.call("GET", `/v1/projects/${REF}/database/migrations`)).json).toMatchObject([
      { name: "first" },
    ]);
    expect(await ask(under, "insert into t (x) values ('goes on') returning x"), "it is one to work with").toEqual([
      { x: "goes on" },
    ]);
  });

  /** One row a minute, in which what is there says which minute it is. @returns the second after each */
  async function minutes(under: EmulatorUnderTest, names: readonly string[]): Promise<readonly number[]> {
    const times: number[] = [];
    for (const name of names) {
      await ask(under, `insert into t (x) values ('${name}')`);
      under.clock.advance(1000);
      times.push(seconds(under));
      under.clock.advance(59_000);
    }
    return times;
  }
  const names = async (under: EmulatorUnderTest): Promise<unknown> =>
    ask(under, "select string_agg(x, '' order by x) as all from t");

  it("can be followed by others, also to what the database was before them", async () => {
    await using under = await emulatorUnderTest({ seed });
    await ask(under, TABLE);
    const [, b = 0, c = 0] = await minutes(under, ["a", "b", "c"]);
    await restore(under, b);
    expect(await names(under)).toEqual([{ all: "ab" }]);
    const [d = 0] = await minutes(under, ["d", "e"]);
    for (const [target, all] of [
      [c, "abc"],
      [d, "abd"],
      [b, "ab"],
      [d + 60, "abde"],
    ] as const) {
      await restore(under, target);
      expect(await names(under)).toEqual([{ all }]);
    }
  });

  it("counts what was done at the very second, and nothing that was done after it", async () => {
    await using under = await emulatorUnderTest({ seed });
    await ask(under, TABLE);
    await ask(under, "insert into t (x) values ('a')");
    const target = seconds(under);
    for (const name of ["b", "c"]) {
      under.clock.advance(400);
      await ask(under, `insert into t (x) values ('${name}')`);
    }
    under.clock.advance(1000);
    await restore(under, target);
    expect(await names(under)).toEqual([{ all: "a" }]);
    await restore(under, target + 1);
    expect(await names(under), "the same second to all who can ask for one").toEqual([{ all: "abc" }]);
  });

  it("changes nothing where nothing was written since, and makes no database", async () => {
    const dataDir = join(root, "nothing");
    await using under = await emulatorUnderTest({ seed, dataDir });
    await restore(under, seconds(under));
    expect(existsSync(join(dataDir, "databases"))).toBe(false);
    await ask(under, TABLE);
    await minutes(under, ["a"]);
    await restore(under, seconds(under) - 1);
    expect(await names(under)).toEqual([{ all: "a" }]);
  });

  it("reaches to what was there when the add-on was selected", async () => {
    await using under = await emulatorUnderTest({ seed });
    const addon = { addon_type: "pitr", addon_variant: "pitr_7" };
    await under.call("DELETE", `/v1/projects/${REF}/billing/addons/pitr_7`);
    await ask(under, `${TABLE}; insert into t (x) values ('before')`);
    expect((await under.call("PATCH", `/v1/projects/${REF}/billing/addons`, { body: addon })).status).toBe(200);
    const selected = seconds(under);
    under.clock.advance(60_000);
    await minutes(under, ["after"]);
    await restore(under, selected);
    expect(await names(under)).toEqual([{ all: "before" }]);
  });

  it("finds as far as the add-on reaches, however often was written, and keeps no more than that", async () => {
    const dataDir = join(root, "long");
    await using under = await emulatorUnderTest({ seed, dataDir });
    await ask(under, TABLE);
    for (let day = 0; day < 30; day += 1) {
      under.clock.advance(DAY);
      await ask(under, `insert into t (x) values (chr(65 + ${day}))`);
    }
    expect(readdirSync(join(dataDir, "databases", `${REF}.past`)).length).toBeLessThanOrEqual(6);
    await restore(under, seconds(under) - (7 * DAY) / 1000);
    expect(await names(under)).toEqual([{ all: "ABCDEFGHIJKLMNOPQRSTUVW" }]);
  });

  it("is as good after restarts, and in a database that was parked", async () => {
    const clock = new ManualClock();
    const options = { seed, dataDir: join(root, "restart"), clock };
    const times: number[] = [];
    for (const name of ["a", "b"]) {
      await using under = { ...(await emulatorUnderTest(options)), clock };
      await under.control.settings.patch({ openDatabases: 1 });
      if (name === "a") await ask(under, TABLE);
      times.push(...(await minutes(under, [name])));
      await ask(under, "select 1", PLAIN);
      times.push(...(await minutes(under, [name.toUpperCase()])));
    }
    await using under = { ...(await emulatorUnderTest(options)), clock };
    for (const [target, all] of [
      [times[2] ?? 0, "aAb"],
      [times[0] ?? 0, "a"],
    ] as const) {
      await restore(under, target);
      expect(await ask(under, "select string_agg(x, '' order by at) as all from t")).toEqual([{ all }]);
    }
  });

  it("also brings back what a branch was before its reset", async () => {
    await using under = await emulatorUnderTest({ seed });
    await ask(under, TABLE);
    await aBranch(under, REF, "main");
    const { id, project_ref: ref } = await aBranch(under, REF, "dev", { with_data: true });
    await under.control.projects.patch({ ref, pitr: true });
    await ask(under, "insert into t (x) values ('on the branch')", ref);
    const target = seconds(under);
    under.clock.advance(1000);
    expect((await under.call("POST", `/v1/branches/${id}/reset`, { body: {} })).status).toBe(201);
    under.clock.advance(A_WHILE);
    expect(await ask(under, ROWS, ref)).toMatchObject({ message: expect.stringContaining("does not exist") });
    await restore(under, target, ref);
    expect(await ask(under, "select x from t", ref)).toEqual([{ x: "on the branch" }]);
  });

  it("keeps nothing for a project without the add-on, nor for one that is gone or gave it up", async () => {
    const dataDir = join(root, "without");
    await using under = await emulatorUnderTest({ seed, dataDir });
    const there = (): readonly string[] => readdirSync(join(dataDir, "databases")).toSorted();
    for (const ref of [REF, PLAIN]) await ask(under, TABLE, ref);
    expect(there()).toEqual([PLAIN, REF, `${REF}.past`]);
    await under.control.projects.patch({ ref: REF, pitr: false });
    await ask(under, "insert into t (x) values ('unknown')");
    expect(there()).toEqual([PLAIN, REF]);
    await under.control.projects.patch({ ref: REF, pitr: true });
    await ask(under, "insert into t (x) values ('known')");
    expect(there()).toEqual([PLAIN, REF, `${REF}.past`]);
    await under.call("DELETE", `/v1/projects/${REF}`);
    await ask(under, "select 1", PLAIN);
    await expect.poll(there).toEqual([PLAIN]);
  });

  it("waits for what runs in the database, and what waits behind it finds the project that is being restored", async () => {
    await using under = await emulatorUnderTest({ seed });
    await ask(under, TABLE);
    const target = seconds(under);
    under.clock.advance(1000);
    const post = (path: string, body: object) => under.call("POST", `/v1/projects/${REF}/database/${path}`, { body });
    const [, restored, ...behind] = await Promise.all([
      ask(under, "select pg_sleep(0.2); insert into t (x) values ('late')"),
      post("backups/restore-pitr", { recovery_time_target_unix: target }),
      post("query", { query: "insert into t (x) values ('behind')" }),
      post("backups/restore-pitr", { recovery_time_target_unix: target + 1 }),
    ]);
    expect(restored.status).toBe(201);
    for (const refused of [...behind, await post("query", { query: "select 1" })]) {
      expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining("is RESTORING")]);
    }
    under.clock.advance(A_WHILE);
    expect(await ask(under, "select x from t")).toEqual([]);
  });
});
