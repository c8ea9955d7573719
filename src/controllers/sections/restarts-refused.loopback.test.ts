import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NAMESPACE } from "../../../test/support/controllers/life.ts";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";

/** Settings that were certainly not written await no restart of the database: it would be an outage for nothing. */

const NAME = "database.settings";

let stage: SectionStage;

beforeEach(async () => {
  stage = await openSectionStage();
});

afterEach(() => stage[Symbol.asyncDispose]());

/** Has the size refused, which is to bring the restart, and then all runs of some time. */
async function takenBackAfter(operation: string, skip: number, fault: object): Promise<readonly string[]> {
  const { faults } = stage.theatre.emulator.control;
  await faults.add({ operation, skip, count: null, fault: { kind: "status", status: 500, ...fault } });
  await faults.add({ operation: "addons.apply", count: null, fault: { kind: "status", status: 429, phase: "before" } });
  await stage.start({ instanceSize: "small", database: { settings: { sharedBuffers: "256MB" } } });
  await faults.clear();
  await stage.theatre.pass(200_000);
  await stage.calls();
  await stage.apply({ database: { settings: {} } });
  for (let n = 0; n < 3; n += 1) {
    await stage.theatre.pass(100_000);
    await stage.life.runWhileTimePasses("Project", "shop");
  }
  return stage.calls();
}

describe("nothing is restarted for settings that are taken back", () => {
  it.each([
    { operation: "postgresConfig.get", skip: 1, fault: {}, why: "the read right before failed" },
    { operation: "postgresConfig.replace", skip: 0, fault: { status: 429, phase: "before" }, why: "busy" },
    { operation: "postgresConfig.replace", skip: 0, fault: { status: 400, phase: "before" }, why: "refused" },
  ])("$operation: $why", async ({ operation, skip, fault }) => {
    expect(await takenBackAfter(operation, skip, fault)).not.toContain("projects.restart");
    expect(stage.entry(NAME)?.awaitsRestart).toBeUndefined();
  });
});

it.each([
  { edited: "first settings", before: {} },
  { edited: "others", before: { database: { settings: { maxConnections: 100 }, settingsRestart: "Never" } } },
])("nothing is said to be written, nor to be being written, that was not: $edited", async ({ before }) => {
  const { faults } = stage.theatre.emulator.control;
  await stage.apply(before);
  const awaited = stage.entry(NAME)?.awaitsRestart;
  const fault = { kind: "status", status: 429, phase: "before" } as const;
  await faults.add({ operation: "postgresConfig.replace", count: null, fault });
  await stage.start({ database: { settings: { sharedBuffers: "256MB" }, settingsRestart: "Never" } });
  expect(stage.entry(NAME)?.awaitsRestart).toEqual(awaited);
  expect(stage.entry(NAME)?.message ?? "").not.toContain("is being written");
});

describe("settings that are refused again and again", () => {
  const AGAIN_MS = 3_700_000;

  async function refuseAgain(spec: object): Promise<void> {
    const { faults } = stage.theatre.emulator.control;
    const refused = { kind: "status", status: 400, phase: "before", body: { message: "no" } } as const;
    await faults.add({ operation: "postgresConfig.replace", count: null, fault: refused });
    await faults.add({ operation: "addons.apply", count: null, fault: refused });
    await stage.start(spec);
    for (let n = 0; n < 3; n += 1) {
      await stage.theatre.pass(AGAIN_MS);
      await stage.calls();
      await stage.run("drift");
      expect(await stage.calls()).toContain("postgresConfig.replace");
    }
  }

  const settings = { sharedBuffers: "256MB" };

  it.each([
    { which: "without a restart", spec: { database: { settings, settingsRestart: "Never" } } },
    { which: "with the restart that another section brings", spec: { instanceSize: "small", database: { settings } } },
  ])("are not said to be stored, $which", async ({ spec }) => {
    await refuseAgain(spec);
    expect(stage.entry(NAME)).toMatchObject({ state: "Failed", reason: "Rejected" });
    expect(stage.entry(NAME)?.awaitsRestart).toBeUndefined();
  });

  it("are no reason for an operator that starts to restart the database, once they are as it has them", async () => {
    await refuseAgain({ instanceSize: "small", database: { settings } });
    await stage.theatre.emulator.control.faults.clear({});
    await stage.calls();
    const life = await stage.theatre.life();
    stage.theatre.kubernetes.put("projects", {
      apiVersion: "baas.dev/v1alpha1",
      kind: "Project",
      metadata: { name: "shop", namespace: NAMESPACE },
      spec: { organization: "acme", database: { settings: {} } },
    });
    for (let n = 0; n < 3; n += 1) {
      await stage.theatre.pass(100_000);
      await life.runWhileTimePasses("Project", "shop");
    }
    expect(await stage.calls()).not.toContain("projects.restart");
    expect(stage.entry(NAME)?.awaitsRestart).toBeUndefined();
  });
});
