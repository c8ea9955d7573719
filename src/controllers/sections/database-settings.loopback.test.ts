import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";

let stage: SectionStage;

beforeEach(async () => {
  stage = await openSectionStage();
});

afterEach(() => stage[Symbol.asyncDispose]());

const READ = "postgresConfig.get";
const WRITE = "postgresConfig.replace";
const NAME = "database.settings";

/** What the last writes of settings carried. */
async function bodies(): Promise<readonly unknown[]> {
  const { entries } = await stage.theatre.emulator.control.log.read({});
  return entries.flatMap(({ operation, body }) => (operation === WRITE ? [body] : []));
}

async function overrides(): Promise<object> {
  const { client, ref } = stage;
  const found = await client.postgresConfig.get({ ref });
  await stage.calls();
  return found;
}

async function state(): Promise<string> {
  return (await stage.client.projects.get({ ref: stage.ref })).status;
}

describe("the settings of a database", () => {
  it("[K-20] of a fresh project are in sync with an empty section, and nothing is written", async () => {
    expect(await stage.apply({ database: { settings: {} } })).toMatchObject({ kind: "done" });
    await stage.apply({ database: { settings: {}, settingsMode: "Replace" } });
    await stage.run();
    expect(await stage.calls()).toEqual([READ, READ, READ]);
    expect(stage.entry(NAME)).toMatchObject({ state: "InSync" });
  });

  it("that the database does not take are named, and nothing is sent until they are in bounds", async () => {
    const settings = { workMem: "1kB", checkpointTimeout: "30s", maxWalSize: "4096TB", logConnections: true };
    await stage.apply({ database: { settings } });
    expect(stage.entry(NAME)).toMatchObject({
      state: "Failed",
      reason: "InvalidSpec",
      message: expect.stringMatching(
        /spec\.database\.settings: maxWalSize: 4096TB is not within 32MB to 2048TB; workMem: 1kB is not within 64kB to 2TB/u,
      ),
      fields: ["spec.database.settings.maxWalSize", "spec.database.settings.workMem"],
    });
    expect(await stage.calls()).not.toContain(WRITE);
    await stage.apply({ database: { settings: { ...settings, workMem: "64kB", maxWalSize: "1GB" } } });
    expect(stage.entry(NAME)).toMatchObject({ state: "InSync" });
    expect(await overrides()).toMatchObject({ work_mem: "64kB", max_wal_size: "1GB" });
  });

  it("are written once, restart nothing that need not be, and are left when they are taken out of the spec", async () => {
    const settings = {
      workMem: "64Mi",
      statementTimeout: "1h30m",
      cronLogStatement: false,
      sessionReplicationRole: "Origin",
    };
    expect(await stage.apply({ database: { settings } })).toMatchObject({ kind: "done" });
    // once more when the restart for cronLogStatement is over
    expect(await stage.calls()).toEqual([READ, READ, WRITE, READ]);
    const written = {
      work_mem: "64MB",
      statement_timeout: "5400000ms",
      "cron.log_statement": false,
      session_replication_role: "origin",
    };
    expect(await overrides()).toEqual(written);
    await stage.apply({ database: { settings: { workMem: "64Mi", logConnections: true } } });
    expect(await bodies()).toEqual([
      { ...written, restart_database: true },
      { ...written, log_connections: true, restart_database: false },
    ]);
    await stage.calls();
    await stage.apply({});
    await stage.run();
    expect(await stage.calls()).toEqual([]);
    expect(await overrides()).toEqual({ ...written, log_connections: true });
  });

  it("[K-19] that somebody else set are kept by Merge, and taken back by Replace", async () => {
    const { client, ref } = stage;
    await client.postgresConfig.replace({ ref, body: { log_checkpoints: true, work_mem: "8MB" } });
    await stage.apply({ database: { settings: { workMem: "64MB" } } });
    expect(await overrides()).toEqual({ log_checkpoints: true, work_mem: "64MB" });
    await stage.apply({ database: { settings: { workMem: "64MB" }, settingsMode: "Replace" } });
    expect(await overrides()).toEqual({ work_mem: "64MB" });
    expect(await stage.run()).toMatchObject({ kind: "done" });
    expect(await stage.calls()).toEqual([READ]);
  });

  it("[K-19] that nobody knows here are kept by Merge: what the platform told is sent back as it was", async () => {
    const { faults } = stage.theatre.emulator.control;
    const body = { tomorrow_setting: "on", work_mem: "8 megabytes", max_connections: 9_000_000 };
    await faults.add({ operation: READ, count: 2, fault: { kind: "status", status: 200, body } });
    await faults.add({
      operation: WRITE,
      fault: { kind: "status", status: 200, body: { ...body, log_lock_waits: true } },
    });
    expect(await stage.apply({ database: { settings: { logLockWaits: true } } })).toMatchObject({ kind: "done" });
    // The log shows no value of a field that the contract does not know.
    const sent = { ...body, tomorrow_setting: "[redacted]", log_lock_waits: true, restart_database: false };
    expect(await bodies()).toEqual([sent]);
    expect(stage.entry(NAME)).toMatchObject({ state: "InSync" });
  });

  it("are no drift where the platform writes a size or a duration otherwise", async () => {
    const { client, ref } = stage;
    const settings = { workMem: "64MB", sharedBuffers: "1GB", statementTimeout: "5m" };
    const others = { work_mem: "65536kB", shared_buffers: "131072", statement_timeout: "300s" };
    await client.postgresConfig.replace({ ref, body: { ...others, restart_database: false } });
    await stage.calls();
    expect(await stage.apply({ database: { settings } })).toMatchObject({ kind: "done" });
    expect(await stage.calls()).toEqual([READ]);
  });

  it("restart the database once for an edit that needs it, and are seen through it", async () => {
    await stage.start({ database: { settings: { maxConnections: 50, sharedBuffers: "1GB" } } });
    expect(await state()).toBe("RESTARTING");
    expect(stage.entry(NAME)).toMatchObject({ state: "Applying", reason: "Updating" });
    expect(await stage.life.settle("Project", "shop")).toMatchObject({ kind: "done" });
    expect(stage.entry(NAME)).toMatchObject({ state: "InSync" });
    expect(await bodies()).toEqual([{ max_connections: 50, shared_buffers: "1GB", restart_database: true }]);
  });

  it.each([
    { restart: undefined, restarts: false },
    { restart: "Never", restarts: false },
    { restart: "Always", restarts: true },
  ])(
    "are repaired where somebody changed them; with settingsRestart $restart that restarts: $restarts",
    async ({ restart, restarts }) => {
      const { client, ref } = stage;
      const settingsRestart = restart === undefined ? {} : { settingsRestart: restart };
      await stage.apply({ database: { settings: { maxConnections: 50 }, ...settingsRestart } });
      await client.postgresConfig.replace({ ref, body: { max_connections: 70, restart_database: false } });
      await stage.calls();
      await stage.run();
      expect(await stage.calls()).toEqual([READ, READ, WRITE]);
      expect((await bodies()).at(-1)).toEqual({ max_connections: 50, restart_database: restarts });
      expect(await state()).toBe(restarts ? "RESTARTING" : "ACTIVE_HEALTHY");
      await stage.life.settle("Project", "shop");
      const told = stage.entry(NAME)?.message ?? "";
      expect(told.includes("without a restart of the database")).toBe(!restarts);
    },
  );

  it("that were written without a restart say so until one was made for them", async () => {
    await stage.apply({ database: { settings: { maxConnections: 50 }, settingsRestart: "Never" } });
    expect(stage.entry(NAME)).toMatchObject({
      state: "InSync",
      message: expect.stringContaining("spec.database.settings.maxConnections"),
    });
    await stage.apply({ database: { settings: { maxConnections: 50, logDuration: true }, settingsRestart: "Never" } });
    expect(stage.entry(NAME)?.awaitsRestart).toMatchObject({ fields: ["spec.database.settings.maxConnections"] });
    await stage.apply({ database: { settings: { maxConnections: 60, logDuration: true } } });
    expect(stage.entry(NAME)).not.toHaveProperty("awaitsRestart");
  });

  it.each(["Report", "Observe"])("are left as they are by %s", async (policy) => {
    const { client, ref } = stage;
    const policies = policy === "Observe" ? { managementPolicy: "Observe" } : { driftPolicy: "Report" };
    await stage.apply({ database: { settings: { maxConnections: 50 } } });
    await stage.apply({ ...policies, database: { settings: { maxConnections: 50 } } });
    await client.postgresConfig.replace({ ref, body: { max_connections: 70, restart_database: false } });
    await stage.calls();
    await stage.run();
    expect(await stage.calls()).toEqual([READ]);
    expect(stage.entry(NAME)).toMatchObject({ state: "Drifted", fields: ["spec.database.settings.maxConnections"] });
  });

  it("that the platform refuses end as Failed, and are not asked for again until they are others", async () => {
    const { faults } = stage.theatre.emulator.control;
    await faults.add({ operation: WRITE, fault: { kind: "status", status: 400, body: { message: "too large" } } });
    const refused = await stage.apply({ database: { settings: { sharedBuffers: "1TB" } } });
    expect(refused).toMatchObject({ kind: "terminal", reason: "Rejected" });
    expect(stage.entry(NAME)).toMatchObject({ state: "Failed", message: expect.stringContaining("too large") });
    await stage.calls();
    await stage.run("change");
    expect(await stage.calls()).toEqual([]);
    expect(await stage.apply({ database: { settings: { sharedBuffers: "1GB" } } })).toMatchObject({ kind: "done" });
  });
});

describe("one restart", () => {
  const both = { database: { settings: { maxConnections: 50 }, ssl: { enforced: true } } };

  it("serves settings and SSL enforcement, which restarts the database anyway", async () => {
    expect(await stage.apply(both)).toMatchObject({ kind: "done" });
    expect(await bodies()).toEqual([{ max_connections: 50, restart_database: false }]);
    const calls = await stage.calls();
    expect(calls.filter((operation) => !operation.endsWith(".get"))).toEqual([WRITE, "sslEnforcement.update"]);
    expect(stage.entry(NAME)).toMatchObject({ state: "InSync" });
    expect(stage.entry(NAME)).not.toHaveProperty("awaitsRestart");
  });

  it("is made for the settings where what was to bring it is refused", async () => {
    const { faults } = stage.theatre.emulator.control;
    await faults.add({
      operation: "sslEnforcement.update",
      fault: { kind: "status", status: 400, body: { message: "no" } },
    });
    expect(await stage.apply(both)).toMatchObject({ kind: "terminal", reason: "Rejected" });
    const calls = await stage.calls();
    expect(calls.filter((operation) => operation === "projects.restart")).toHaveLength(1);
    expect(stage.entry(NAME)).toMatchObject({ state: "InSync" });
    expect(stage.entry("database.ssl")).toMatchObject({ state: "Failed" });
  });

  it("that was not to be had for the settings is told", async () => {
    const { faults } = stage.theatre.emulator.control;
    const refusal = { kind: "status", status: 400, body: { message: "no" } } as const;
    await faults.add({ operation: "sslEnforcement.update", fault: refusal });
    await faults.add({ operation: "projects.restart", fault: refusal });
    await stage.apply(both);
    expect(stage.entry(NAME)?.awaitsRestart).toMatchObject({ fields: ["spec.database.settings.maxConnections"] });
  });
});
