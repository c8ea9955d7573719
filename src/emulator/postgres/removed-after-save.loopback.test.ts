import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { testPool, rowsOf } from "../../../test/support/emulator/databases.ts";
import { emulatorUnderTest } from "../../../test/support/emulator/api.ts";

const REF = "abcdefghijklmnopqrst";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "baas-removed-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("the database of a removed project", () => {
  it("stays in its folder until the removal is saved, and answers nothing meanwhile; a new one of the ref waits", async () => {
    const save = Promise.withResolvers<void>();
    const pool = testPool({}, folder, { saved: () => save.promise });
    await rowsOf(pool, "a", "create table t (x int)");
    const working = rowsOf(pool, "a", "select from generate_series(1, 1000000000000)");
    pool.drop("a");
    await expect(working).rejects.toMatchObject({ reason: "dropped" });
    const fresh = rowsOf(pool, "a", "select to_regclass('t')");
    await rowsOf(pool, "b", "select 1"); // as long as a database takes: that of `a` had the time to go
    expect(existsSync(join(folder, "a"))).toBe(true);
    save.resolve();
    expect(await fresh).toEqual([[null]]);
    await pool.stop();
  });

  it("stays for good where the removal could not be saved, and is nobody's until the next start", async () => {
    const pool = testPool({}, folder, { saved: () => Promise.reject(new Error("no space left")) });
    await rowsOf(pool, "a", "create table t (x int)");
    pool.drop("a");
    await expect(rowsOf(pool, "a", "select 1")).rejects.toMatchObject({ reason: "ended" });
    await pool.stop();
    const next = testPool({}, folder);
    expect(await rowsOf(next, "a", "select to_regclass('t')")).toEqual([["t"]]);
    await next.stop();
  });
});

const SEED = {
  projects: [{ name: "shop", ref: REF, pitr: true, branches: [{ name: "main" }, { name: "dev" }] }],
};
const under = () => emulatorUnderTest({ dataDir: join(folder, "state"), seed: SEED });
type Under = Awaited<ReturnType<typeof under>>;

const sql = (ref: string, query: string) => ({ path: `/v1/projects/${ref}/database/query`, body: { query } });

async function refOfDev({ call }: Under): Promise<string> {
  const { json } = await call("GET", `/v1/projects/${REF}/branches/dev`);
  return String(Reflect.get(Object(json), "project_ref"));
}

describe("SQL that was acknowledged", () => {
  it.each<{ readonly what: string; readonly of: "shop" | "dev"; readonly remove: (under: Under) => Promise<unknown> }>([
    { what: "the project is deleted", of: "shop", remove: ({ call }) => call("DELETE", `/v1/projects/${REF}`) },
    {
      what: "the branch is deleted",
      of: "dev",
      remove: async (one) => one.call("DELETE", `/v1/branches/${await refOfDev(one)}`),
    },
    { what: "branching is disabled", of: "dev", remove: ({ call }) => call("DELETE", `/v1/projects/${REF}/branches`) },
    {
      what: "a control call removes it",
      of: "shop",
      remove: ({ control }) => control.projects.remove({ ref: REF }),
    },
    { what: "everything is reset", of: "shop", remove: ({ control }) => control.state.reset() },
  ])("outlives a process that ends before it is saved that $what", async ({ of, remove }) => {
    const journal = join(folder, "state", "journal-1.jsonl");
    const first = await under();
    const ref = of === "shop" ? REF : await refOfDev(first);
    const { path, body } = sql(ref, "create table kept (x text); insert into kept values ('1')");
    expect((await first.call("POST", path, { body })).status).toBe(201);
    const saved = await readFile(journal);
    await rm(journal); // which is how nothing is saved any more
    await Promise.allSettled([remove(first)]);
    await expect(first[Symbol.asyncDispose]()).rejects.toThrow("the journal was removed");
    await writeFile(journal, saved);
    await using second = await under();
    const read = sql(ref, "select x from kept");
    expect((await second.call("POST", read.path, { body: read.body })).json).toEqual([{ x: "1" }]);
  });

  it("of a reset is gone when the reset is acknowledged, though its projects are there again", async () => {
    await using one = await under();
    const { path, body } = sql(REF, "create table kept (x text)");
    await one.call("POST", path, { body });
    await one.control.state.reset();
    expect(existsSync(join(folder, "state", "databases", REF))).toBe(false);
  });

  it("stays where a reset is refused, as it is with a seed that contradicts itself", async () => {
    const { path, body } = sql(REF, "create table kept (x text)");
    const read = sql(REF, "select to_regclass('kept')::text as t");
    await using first = await under();
    await first.call("POST", path, { body });
    await first[Symbol.asyncDispose]();
    const seed = { projects: [{ name: "shop", ref: REF, organization: "nobody-s" }] };
    await using second = await emulatorUnderTest({ dataDir: join(folder, "state"), seed });
    await expect(second.control.state.reset()).rejects.toThrow("nobody-s");
    expect((await second.call("POST", read.path, { body: read.body })).json).toEqual([{ t: "kept" }]);
  });
});
