import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";

/** Answers with 200 that are none, as something between here and the platform gives them: none is the basis of a write, nor of a failure that stays. */

let stage: SectionStage;

beforeEach(async () => {
  stage = await openSectionStage();
});

afterEach(() => stage[Symbol.asyncDispose]());

/** The next answer of an operation. */
async function answer(operation: string, body: object): Promise<void> {
  const { faults } = stage.theatre.emulator.control;
  await faults.add({ operation, count: 1, fault: { kind: "status", status: 200, body: { ...body } } });
}

const overrides = () => stage.client.postgresConfig.get({ ref: stage.ref });
const settings = (statementTimeout: string): object => ({ database: { settings: { statementTimeout } } });

describe("one wrong answer to the read of the database's settings", () => {
  beforeEach(async () => {
    const body = { work_mem: "64MB", restart_database: false };
    await stage.client.postgresConfig.replace({ ref: stage.ref, body });
    await stage.apply(settings("30s"));
    await stage.calls();
  });

  it("that is of something else is none: nothing is written, and the next look finds it as declared", async () => {
    await answer("postgresConfig.get", { status: "ok" });
    await stage.run();
    expect(await stage.calls()).not.toContain("postgresConfig.replace");
    expect(stage.entry("database.settings")).toMatchObject({ state: "Waiting", reason: "ServerUnavailable" });

    await stage.settle();
    expect(stage.entry("database.settings")).toMatchObject({ state: "InSync" });
  });

  it.each([
    ["the look", false],
    ["the read right before the write", true],
  ])("that is empty wipes nothing that others set: %s", async (_which, isSecond) => {
    if (isSecond) await answer("postgresConfig.get", await overrides());
    await answer("postgresConfig.get", {});
    await stage.calls();
    await stage.start(settings("40s"));
    expect(await stage.calls()).not.toContain("postgresConfig.replace");

    await stage.settle();
    expect(await overrides()).toEqual({ work_mem: "64MB", statement_timeout: "40s" });
    expect(stage.entry("database.settings")).toMatchObject({ state: "InSync" });
  });
});

describe("the database's settings, read as two things in one run", () => {
  const differ = async (times: number): Promise<void> => {
    for (let nth = 0; nth < times; nth += 1) await answer("postgresConfig.get", { work_mem: `${nth + 1}MB` });
  };

  beforeEach(async () => {
    await stage.apply({ driftPolicy: "Report", ...settings("30s") });
  });

  it("are asked for less and less, and are somebody's to look at after five minutes", async () => {
    await differ(12);
    expect(await stage.start(settings("40s"))).toMatchObject({ kind: "waiting", retryAfterMs: 1000 });
    expect(stage.entry("database.settings")).toMatchObject({ state: "Waiting", reason: "AnswersDiffer" });
    await stage.theatre.pass(1000);
    expect(await stage.run("progress")).toMatchObject({ kind: "transient", reason: "AnswersDiffer" });
    await stage.theatre.pass(300_000);
    expect(await stage.run("progress")).toMatchObject({ kind: "terminal", reason: "AnswersDiffer" });
    expect(stage.entry("database.settings")).toMatchObject({ state: "Failed" });
    await stage.theatre.pass(600_000);
    expect(await stage.run("drift")).toMatchObject({ kind: "terminal", reason: "AnswersDiffer" });

    await stage.theatre.emulator.control.faults.clear({});
    await stage.run("drift");
    expect(stage.entry("database.settings")).toMatchObject({ state: "InSync" });
    expect(await overrides()).toEqual({ statement_timeout: "40s" });
  });

  it("were not written: the edit that is taken back is nothing to wait for", async () => {
    await differ(2);
    await stage.start({ driftPolicy: "Report", ...settings("40s") });
    expect(stage.entry("database.settings")?.sending).toBeUndefined();

    await stage.start({ driftPolicy: "Report", ...settings("30s") });
    expect(stage.entry("database.settings")).toMatchObject({ state: "InSync" });
    expect(stage.entry("database.settings")?.message).toBeUndefined();
  });
});

describe("the first setting of a database that has none overridden", () => {
  it.each([
    { how: "in sync", pauseMs: 0 },
    { how: "at rest for a day", pauseMs: 86_400_000 },
  ])("waits for nothing: $how before", async ({ pauseMs }) => {
    await stage.apply({ database: { settings: {} } });
    await stage.theatre.pass(pauseMs);
    await stage.start({ database: { settings: { maxConnections: 101 } } });

    expect((await stage.client.postgresConfig.get({ ref: stage.ref })).max_connections).toBe(101);
    expect(stage.entry("database.settings")).not.toHaveProperty("overridden");
  });
});

describe("what a look finds under driftPolicy Report", () => {
  it("tells whether any setting was overridden: what is declared after that waits for nothing", async () => {
    const reported = (timeout: string): object => ({ driftPolicy: "Report", ...settings(timeout) });
    await stage.apply(reported("30s"));
    expect(stage.entry("database.settings")).not.toHaveProperty("overridden");
    await stage.client.postgresConfig.replace({ ref: stage.ref, body: { restart_database: false } });
    await stage.run();
    expect(stage.entry("database.settings")).toMatchObject({ state: "Drifted", overridden: false });

    expect(await stage.start(reported("40s"))).not.toMatchObject({ reason: "AnswerUnconfirmed" });
    expect(await overrides()).toEqual({ statement_timeout: "40s" });
    expect(stage.entry("database.settings")).not.toHaveProperty("overridden");
  });
});

describe("settings of the database that are overridden no more", () => {
  it("by all answers of a moment are looked at again seconds on, and those of others stay", async () => {
    const body = { work_mem: "64MB", restart_database: false };
    await stage.client.postgresConfig.replace({ ref: stage.ref, body });
    await stage.apply(settings("30s"));
    for (let nth = 0; nth < 6; nth += 1) await answer("postgresConfig.get", {});
    await stage.calls();

    for (let nth = 0; nth < 3; nth += 1) {
      expect(await stage.run()).toMatchObject({ kind: "waiting", reason: "AnswerUnconfirmed", retryAfterMs: 10_000 });
      await stage.theatre.pass(1000);
    }
    expect(await stage.calls()).not.toContain("postgresConfig.replace");
    await stage.theatre.emulator.control.faults.clear({});
    await stage.settle();
    expect(await overrides()).toEqual({ work_mem: "64MB", statement_timeout: "30s" });
  });

  it("by a later look, too, are written again", async () => {
    await stage.apply(settings("30s"));
    await stage.client.postgresConfig.replace({ ref: stage.ref, body: { restart_database: false } });
    expect(await stage.run()).toMatchObject({ kind: "waiting", reason: "AnswerUnconfirmed" });
    expect(stage.entry("database.settings")?.message).toMatch(/no setting .* is overridden, though some may be: /u);
    await stage.settle();
    expect(await overrides()).toEqual({ statement_timeout: "30s" });
    expect(stage.entry("database.settings")).toMatchObject({ state: "InSync" });
  });
});

describe("an answer without any of a section's fields", () => {
  it("is none: nothing is written", async () => {
    await stage.apply({ realtime: { maxConcurrentUsers: 100 } });
    await stage.calls();
    await answer("realtime.get", {});
    await stage.run();
    expect(await stage.calls()).toEqual(["realtime.get"]);
    expect(stage.entry("realtime")).toMatchObject({ state: "Waiting", reason: "ServerUnavailable" });

    await stage.settle();
    expect(stage.entry("realtime")).toMatchObject({ state: "InSync" });
  });
});

describe("a section that was refused", () => {
  it("is looked at by drift checks, asked for no more as long as it differs, and in sync once it does not", async () => {
    await stage.apply({ realtime: { maxConcurrentUsers: 100 } });
    const fault = { kind: "status", status: 400, body: { message: "not now" } } as const;
    await stage.theatre.emulator.control.faults.add({ operation: "realtime.update", count: null, fault });
    await stage.apply({ realtime: { maxConcurrentUsers: 200 } });
    expect(stage.entry("realtime")).toMatchObject({ state: "Failed", reason: "Rejected" });
    const failed = stage.entry("realtime");
    await stage.theatre.emulator.control.faults.clear({});
    await stage.calls();

    await stage.run();
    expect((await stage.calls()).filter((one) => one.startsWith("realtime"))).toEqual(["realtime.get"]);
    expect(stage.entry("realtime")).toEqual(failed);

    const unavailable = { kind: "status", status: 503 } as const;
    await stage.theatre.emulator.control.faults.add({ operation: "realtime.get", count: null, fault: unavailable });
    await stage.life.runWhileTimePasses("Project", "shop", "drift");
    expect(stage.entry("realtime")).toEqual(failed);
    await stage.theatre.emulator.control.faults.clear({});

    await stage.client.realtime.update({ ref: stage.ref, body: { max_concurrent_users: 200 } });
    await stage.run();
    expect(stage.entry("realtime")).toMatchObject({ state: "InSync" });
  });
});

describe("an override that comes in the middle of a run", () => {
  const SLOW_MS = 20_000;

  it("is taken out by the next run, at once, where settingsMode is Replace", async () => {
    const { faults, log } = stage.theatre.emulator.control;
    await faults.add({ operation: "dataApi.update", fault: { kind: "delay", ms: SLOW_MS } });
    const database = { settings: { statementTimeout: "30s" }, settingsMode: "Replace" };
    const run = stage.start({ dataApi: { maxRows: 50 }, database });
    await expect.poll(async () => (await log.read({ operation: "dataApi.update" })).entries.length).toBe(1);
    await stage.client.postgresConfig.replace({
      ref: stage.ref,
      body: { work_mem: "64MB", restart_database: false },
    });
    await stage.theatre.pass(SLOW_MS);
    const outcome = await run;
    expect(outcome).toMatchObject({ kind: "waiting", retryAfterMs: 1000 });

    await faults.clear({});
    await stage.settle();
    expect(await overrides()).toEqual({ statement_timeout: "30s" });
  });
});
