import { describe, expect, it } from "vitest";
import { lifeInEach } from "../../../test/support/controllers/life-in-each.ts";
import {
  applyProject,
  configMapData,
  listedKeys,
  permitAllBut,
  projectCondition,
  secretData,
} from "../../../test/support/controllers/outputs.ts";

/** What is unwell before its outputs are there, and is asked for what they await. */

const stage = lifeInEach();

const BOTH = { writeConnectionSecretToRef: { name: "out" }, writeConnectionConfigMapToRef: { name: "out" } };

/** Of whatever project is yet to come. */
async function storageIsToldUnwell(): Promise<void> {
  const body = [{ name: "storage", healthy: false, status: "UNHEALTHY" }];
  const fault = { kind: "status", status: 200, body } as const;
  await stage.theatre.emulator.control.faults.add({ operation: "projects.health", count: null, fault });
}

/** Polls the project until its outputs lack something. */
async function untilLookedAt(): Promise<void> {
  for (let look = 0; projectCondition(stage.theatre, "OutputsComplete") === undefined; look += 1) {
    if (look > 60) throw new Error("the outputs are never looked at");
    await stage.theatre.pass(30_000);
    await stage.life.run("Project", "shop", "progress");
  }
}

describe("a new project that has a service that is unwell from its start", () => {
  const none = { kind: "status", status: 200, body: [] } as const;
  const cases = [
    { what: "keys", operation: "apiKeys.list" },
    { what: "a pooler", operation: "pooler.get" },
  ] as const;

  /** Its first look at the outputs finds none of what the operation lists. */
  async function begun(operation: (typeof cases)[number]["operation"], driftPolicy: string): Promise<void> {
    await storageIsToldUnwell();
    await stage.theatre.emulator.control.faults.add({ operation, count: null, fault: none });
    applyProject(stage.theatre, { ...BOTH, driftPolicy });
    await stage.life.run("Project", "shop");
    await untilLookedAt();
    expect(secretData(stage.theatre, "out")).toBeUndefined();
    await stage.theatre.emulator.control.faults.clear({});
    await storageIsToldUnwell();
  }

  it.each(cases.flatMap((one) => ["Correct", "Ignore"].map((driftPolicy) => ({ ...one, driftPolicy }))))(
    "and gets $what later has its outputs at the next poll, under $driftPolicy",
    async ({ operation, driftPolicy }) => {
      await begun(operation, driftPolicy);
      await stage.theatre.pass(30_000);
      const end = await stage.life.run("Project", "shop", "progress");
      expect(end).toMatchObject({ kind: "waiting", reason: "Unhealthy" });
      expect(Object.keys(secretData(stage.theatre, "out") ?? {})).toContain("anon-key");
      expect(Object.keys(configMapData(stage.theatre, "out") ?? {})).toContain("pooler-host");
      await stage.theatre.emulator.control.log.clear({});
      await stage.theatre.pass(30_000);
      await stage.life.run("Project", "shop", "progress");
      expect((await stage.theatre.emulator.control.log.summary()).byOperation).not.toHaveProperty(operation);
    },
  );
});

describe("while a key is awaited of a project that is unwell", () => {
  it("what may not be read is asked for once at each poll", async () => {
    await permitAllBut(stage.theatre, "database_pooling_config_read");
    await storageIsToldUnwell();
    await listedKeys(stage.theatre, [], null);
    applyProject(stage.theatre, BOTH);
    await stage.life.run("Project", "shop");
    await untilLookedAt();
    await stage.theatre.emulator.control.log.clear({});
    await stage.theatre.pass(30_000);
    await stage.life.run("Project", "shop", "progress");
    const { byOperation } = await stage.theatre.emulator.control.log.summary();
    expect(byOperation).toMatchObject({ "apiKeys.list": 1, "pooler.get": 1 });
  });

  it("what is known of a list that cannot be read anew stays known", async () => {
    await storageIsToldUnwell();
    await listedKeys(stage.theatre, [], null);
    applyProject(stage.theatre, BOTH);
    await stage.life.run("Project", "shop");
    await untilLookedAt();
    const bad = { kind: "status", status: 500, body: { message: "oops" } } as const;
    await stage.theatre.emulator.control.faults.add({ operation: "pooler.get", count: null, fault: bad });
    await stage.theatre.pass(30_000);
    await stage.theatre.emulator.control.log.clear({});
    await stage.life.runWhileTimePasses("Project", "shop", "progress");
    expect((await stage.theatre.emulator.control.log.summary()).byOperation).toHaveProperty("pooler.get");
    expect(projectCondition(stage.theatre, "OutputsComplete")?.message).not.toContain("pooler-host");
  });
});
