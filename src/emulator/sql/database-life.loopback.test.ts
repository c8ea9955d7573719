import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { type EmulatorUnderTest, emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { aBranch } from "../../../test/support/emulator/scenario.ts";

const [SHOP = "", OTHER = ""] = ["s", "o"].map((letter) => letter.repeat(20));
const root = mkdtempSync(join(tmpdir(), "baas-database-life-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const seed = {
  projects: [
    { name: "shop", ref: SHOP, pitr: true },
    { name: "other", ref: OTHER },
  ],
};
const FILL = "create table t (x int); insert into t values (1)";
const COUNT = "select count(*) as n from t";

const ask = async ({ call }: EmulatorUnderTest, ref: string, query: string): Promise<unknown> =>
  (await call("POST", `/v1/projects/${ref}/database/query`, { body: { query } })).json;
const noTable = { message: expect.stringContaining('relation "t" does not exist') };

/** Asks the database something that has no end; resolves when it is with the database. */
async function askEndlessly(under: EmulatorUnderTest): Promise<{ readonly answer: Promise<unknown> }> {
  const answer = ask(under, SHOP, "select count(*) from generate_series(1, 1e15::bigint)");
  answer.catch(() => undefined); // awaited later, perhaps
  // its body was read
  await vi.waitFor(async () => expect(JSON.stringify((await under.control.log.read()).entries)).toContain("1e15"));
  return { answer };
}

describe("the database of a project", () => {
  it("is kept in the data folder, and is there after the next start; those of projects that are gone are not", async () => {
    const dataDir = join(root, "kept");
    const folder = (ref: string): string => join(dataDir, "databases", ref);
    {
      await using under = await emulatorUnderTest({ dataDir, seed });
      expect(existsSync(join(dataDir, "databases")), "nobody used SQL").toBe(false);
      for (const ref of [SHOP, OTHER]) await ask(under, ref, FILL);
    }
    {
      await using under = await emulatorUnderTest({ dataDir });
      expect(await ask(under, SHOP, `insert into t values (2); ${COUNT}`)).toEqual([{ n: 2 }]);
      await under.control.settings.patch({ timings: { goingDownMs: 2000 } });
      await under.call("DELETE", `/v1/projects/${OTHER}`);
      expect(existsSync(folder(OTHER)), "it is going down").toBe(true);
      under.clock.advance(2000);
      await under.call("GET", "/v1/projects");
    }
    expect([existsSync(folder(SHOP)), existsSync(folder(OTHER))]).toEqual([true, false]);
    {
      await using under = await emulatorUnderTest({ dataDir });
      expect(await ask(under, SHOP, COUNT)).toEqual([{ n: 2 }]);
      await under.control.state.seed({ projects: [{ name: "other", ref: OTHER }] });
      expect(await ask(under, OTHER, COUNT)).toEqual(noTable);
    }
  });

  it("leaves nothing in the temporary folder where there is no data folder", async () => {
    const left = () => readdirSync(tmpdir()).filter((name) => existsSync(join(tmpdir(), name, "l".repeat(20))));
    {
      await using under = await emulatorUnderTest({ seed: { projects: [{ name: "left", ref: "l".repeat(20) }] } });
      await ask(under, "l".repeat(20), FILL);
      expect(left()).toHaveLength(1);
    }
    expect(left()).toEqual([]);
  });

  it("is a fresh one after a reset of the emulator, and what runs in the old one is refused", async () => {
    await using under = await emulatorUnderTest({ seed });
    await ask(under, SHOP, FILL);
    const endless = await askEndlessly(under);
    await under.control.state.reset();
    expect(await endless.answer).toEqual({ message: "Project not found" });
    expect(await ask(under, SHOP, COUNT)).toEqual(noTable);
  });

  it("ends with the emulator, whatever it is doing", async () => {
    const dataDir = join(root, "ended");
    {
      await using under = await emulatorUnderTest({ dataDir, seed });
      await ask(under, SHOP, FILL);
      await askEndlessly(under);
    }
    await using under = await emulatorUnderTest({ dataDir });
    expect(await ask(under, SHOP, COUNT)).toEqual([{ n: 1 }]);
  });

  it("goes to sleep with its project, and has everything when the project is restored", async () => {
    await using under = await emulatorUnderTest({ seed });
    await ask(under, SHOP, FILL);
    await under.call("POST", `/v1/projects/${SHOP}/pause`);
    expect(await ask(under, SHOP, COUNT)).toMatchObject({ message: expect.stringContaining("PAUSING") });
    under.clock.advance(60_000);
    await under.call("POST", `/v1/projects/${SHOP}/restore`);
    under.clock.advance(60_000);
    expect(await ask(under, SHOP, COUNT)).toEqual([{ n: 1 }]);
  });

  it("gives no answer, and does nothing, while its service takes longer than is waited for it", async () => {
    await using under = await emulatorUnderTest({ seed });
    for (const ref of [SHOP, OTHER]) await ask(under, ref, FILL);
    await aBranch(under, SHOP, "main");
    const { id } = await aBranch(under, SHOP, "dev");
    const path = `/v1/projects/${SHOP}`;
    const asked = async (method: string, rest: string, body?: object): Promise<unknown> => {
      const { status, json } = await under.call(method, rest, { body });
      return [status, json];
    };
    const insert = () => asked("POST", `${path}/database/query`, { query: "insert into t values (2)" });
    const silent = [544, { message: "Failed to run sql query: upstream timeout" }];
    await under.control.services.trouble({ ref: SHOP, service: "db", answersAfterMs: 60_001 });
    expect([
      await insert(),
      await asked("POST", `${path}/database/query/read-only`, { query: "select 1" }),
      await asked("POST", `${path}/database/migrations`, { query: "insert into t values (3)" }),
      await asked("GET", `${path}/types/typescript`),
      await asked("GET", `/v1/branches/${id}/diff`),
      await asked("POST", `/v1/branches/${id}/merge`, {}),
      await asked("POST", `${path}/branches`, { branch_name: "copy" }),
    ]).toEqual(Array.from({ length: 7 }, () => silent));
    expect(await ask(under, OTHER, COUNT), "of another project").toEqual([{ n: 1 }]);
    await under.control.settings.patch({ sqlTimeoutMs: 60_001 });
    expect(await ask(under, SHOP, COUNT), "as long as is waited").toEqual([{ n: 1 }]);
    await under.control.settings.patch({ sqlTimeoutMs: 60_000 });
    expect(await insert()).toEqual(silent);
    await under.control.services.mend({ ref: SHOP });
    expect(await insert()).toEqual([201, []]);
    expect(await ask(under, SHOP, COUNT)).toEqual([{ n: 2 }]);
    expect(await under.call("POST", `${path}/branches`, { body: { branch_name: "copy" } })).toMatchObject({
      status: 201,
    });
  });

  it("is copied for a branch, with its rows only where they are asked for; each goes on by itself", async () => {
    await using under = await emulatorUnderTest({ seed });
    await ask(under, SHOP, FILL);
    await aBranch(under, SHOP, "main");
    const [plain, full] = [
      await aBranch(under, SHOP, "plain"),
      await aBranch(under, SHOP, "full", { with_data: true }),
    ];
    expect(await ask(under, plain.project_ref, COUNT)).toEqual([{ n: 0 }]);
    expect(await ask(under, full.project_ref, `insert into t values (2); ${COUNT}`)).toEqual([{ n: 2 }]);
    expect(await ask(under, SHOP, COUNT)).toEqual([{ n: 1 }]);
    await under.call("DELETE", `/v1/branches/${plain.id}`);
    expect(await ask(under, plain.project_ref, COUNT)).toEqual({ message: "Project not found" });
  });

  it("is one of as many as are open at a time, the others are parked without loss", async () => {
    await using under = await emulatorUnderTest({ seed });
    await under.control.settings.patch({ openDatabases: 1 });
    for (const ref of [SHOP, OTHER]) await ask(under, ref, `${FILL}; insert into t values (2)`);
    expect(await Promise.all([SHOP, OTHER, SHOP, OTHER].map((ref) => ask(under, ref, COUNT)))).toEqual(
      Array.from({ length: 4 }, () => [{ n: 2 }]),
    );
  });
});
