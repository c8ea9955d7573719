import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";
import type { Outcome } from "../../runtime/outcome.ts";

/** Requests that carry more than what is declared: what somebody changed since the look, also by hand in the middle of a run, stays. */

const SLOW_MS = 20_000;

let stage: SectionStage;

beforeEach(async () => {
  stage = await openSectionStage();
});

afterEach(() => stage[Symbol.asyncDispose]());

/** What the requests of an operation carried. */
async function bodies(operation: string): Promise<readonly unknown[]> {
  const { entries } = await stage.theatre.emulator.control.log.read({});
  return entries.filter((one) => one.operation === operation).map(({ body }) => body);
}

/** Runs with those sections declared beside one that is written before them, and does something once that write is on its way. */
async function meanwhile(declared: object, byHand: () => Promise<unknown>): Promise<Outcome> {
  const slow = "dataApi.update";
  await stage.theatre.emulator.control.faults.add({ operation: slow, fault: { kind: "delay", ms: SLOW_MS } });
  const run = stage.start({ dataApi: { maxRows: 50 }, ...declared });
  await expect.poll(async () => (await bodies(slow)).length).toBe(1);
  await byHand();
  await stage.theatre.pass(SLOW_MS);
  return run;
}

describe("what somebody changes after the look", () => {
  it("[K-19] is kept of the database's settings", async () => {
    const { client, ref } = stage;
    const settings = { statementTimeout: "30s" };
    const outcome = await meanwhile({ database: { settings } }, () =>
      client.postgresConfig.replace({ ref, body: { work_mem: "64MB", restart_database: false } }),
    );
    // Two reads that differ may be a wrong answer as well: nothing is written before a third one.
    expect(outcome).toMatchObject({ kind: "waiting" });
    expect(await client.postgresConfig.get({ ref })).toEqual({ work_mem: "64MB" });
    expect(await stage.settle()).toMatchObject({ kind: "done" });
    expect(await client.postgresConfig.get({ ref })).toEqual({ work_mem: "64MB", statement_timeout: "30s" });
  });

  it("is kept of the disk, which is written whole", async () => {
    const { client, ref } = stage;
    const { attributes } = await client.disk.get({ ref });
    const size_gb = attributes.size_gb + 20;
    await meanwhile({ disk: { iops: attributes.iops + 500 } }, () =>
      client.disk.update({ ref, body: { attributes: { type: "gp3", iops: attributes.iops, size_gb } } }),
    );
    expect((await bodies("disk.update")).at(-1)).toMatchObject({
      attributes: { iops: attributes.iops + 500, size_gb },
    });
  });

  it("is kept of the switch of a feature of storage, which goes with its limits", async () => {
    const { client, ref } = stage;
    const icebergCatalog = { maxTables: 5 };
    await meanwhile({ storage: { icebergCatalog } }, () =>
      client.storage.update({ ref, body: { features: { icebergCatalog: { enabled: true } } } }),
    );
    expect((await client.storage.get({ ref })).features.icebergCatalog).toMatchObject({ enabled: true, maxTables: 5 });
  });
});

describe("what is not declared", () => {
  it.each([true, false])(
    "is kept of a feature of storage whose limit alone is declared: enabled %s",
    async (enabled) => {
      const { client, ref } = stage;
      await client.storage.update({ ref, body: { features: { icebergCatalog: { enabled } } } });
      expect(await stage.apply({ storage: { icebergCatalog: { maxTables: 5 } } })).toMatchObject({ kind: "done" });
      expect((await client.storage.get({ ref })).features.icebergCatalog).toMatchObject({ enabled, maxTables: 5 });
    },
  );

  it("is taken back under Replace with a restart of the database, where it is a setting that nobody knows here", async () => {
    const settings = { statementTimeout: "30s" };
    const known = { statement_timeout: "30s" };
    const fault = { kind: "status", status: 200, body: { ...known, setting_to_come: "on" } } as const;
    await stage.theatre.emulator.control.faults.add({ operation: "postgresConfig.get", count: null, fault });
    await stage.start({ database: { settings, settingsMode: "Replace" } });
    expect(await bodies("postgresConfig.replace")).toEqual([{ ...known, restart_database: true }]);
  });

  it("is kept of a disk that grew by itself, or while it is written: no disk is asked to shrink", async () => {
    const { client, ref } = stage;
    const { attributes } = await client.disk.get({ ref });
    const size_gb = attributes.size_gb + 40;
    await client.disk.update({ ref, body: { attributes: { type: "gp3", iops: attributes.iops, size_gb } } });
    await stage.theatre.pass(6 * 3_600_000);
    const iops = attributes.iops + 500;
    expect(await stage.apply({ disk: { sizeGb: attributes.size_gb, iops } })).toMatchObject({ kind: "done" });
    expect((await client.disk.get({ ref })).attributes).toMatchObject({ iops, size_gb });
  });

  it("is kept of a disk that grew beyond what is declared in the middle of a run", async () => {
    const { client, ref } = stage;
    const { attributes } = await client.disk.get({ ref });
    const size_gb = attributes.size_gb + 40;
    await meanwhile({ disk: { sizeGb: attributes.size_gb + 10 } }, () =>
      client.disk.update({ ref, body: { attributes: { type: "gp3", iops: attributes.iops, size_gb } } }),
    );
    expect((await bodies("disk.update")).at(-1)).toMatchObject({ attributes: { size_gb } });
  });
});
