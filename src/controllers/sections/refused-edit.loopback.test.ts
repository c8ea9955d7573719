import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";

/** An edit that certainly came to nothing: what was in force before it is so still, whatever else is declared meanwhile. */

let stage: SectionStage;

beforeEach(async () => {
  stage = await openSectionStage({ seed: { organizations: [{ slug: "acme", name: "Acme", plan: "pro" }] } });
});

afterEach(() => stage[Symbol.asyncDispose]());

type Refusing = 400 | 401 | 403 | 429;

async function refuse(operation: string, status: Refusing): Promise<void> {
  const fault = { kind: "status", status, phase: "before", body: { message: "no" } } as const;
  await stage.theatre.emulator.control.faults.add({ operation, count: null, fault });
}

const heal = (): Promise<unknown> => stage.theatre.emulator.control.faults.clear({});

/** Writes of the status in some drift checks. */
async function writesOf(checks: number): Promise<number> {
  const before = stage.theatre.kubernetes.writes;
  for (let n = 0; n < checks; n += 1) {
    await stage.theatre.pass(600_000);
    await stage.run("drift");
  }
  return stage.theatre.kubernetes.writes - before;
}

describe("a change by hand after an edit that was refused, which is taken back then", () => {
  it.each(["Correct", "Report"])("is left under %s where the repair were an outage", async (driftPolicy) => {
    const size = (instanceSize: string): object => ({ driftPolicy, instanceSize });
    await stage.apply(size("small"));
    await refuse("addons.apply", 400);
    await stage.start(size("large"));
    await heal();
    const body = { addon_type: "compute_instance", addon_variant: "ci_medium" } as const;
    await stage.client.addons.apply({ ref: stage.ref, body });
    await stage.theatre.pass(600_000);
    await stage.calls();
    await stage.apply(size("small"));

    expect(await stage.calls()).not.toContain("addons.apply");
    expect(stage.entry("instanceSize")).toMatchObject({ state: "Drifted" });
  });

  it.each([400, 401, 403] as const)("is left under Report, refused with %i", async (status) => {
    const realtime = (count: number): object => ({ driftPolicy: "Report", realtime: { maxConcurrentUsers: count } });
    await stage.apply(realtime(100));
    await refuse("realtime.update", status);
    await stage.start(realtime(200));
    await heal();
    await stage.client.realtime.update({ ref: stage.ref, body: { max_concurrent_users: 150 } });
    await stage.theatre.pass(600_000);
    await stage.apply(realtime(100));

    expect((await stage.client.realtime.get({ ref: stage.ref })).max_concurrent_users).toBe(150);
    expect(stage.entry("realtime")).toMatchObject({ state: "Drifted" });
  });
});

describe("what failed before it was sent writes no status in a look that tells nothing new", () => {
  it("a name that is taken", async () => {
    await stage.apply({ vanitySubdomain: { name: "shop" } });
    const fault = { kind: "status", status: 201, body: { available: false } } as const;
    const operation = "vanitySubdomain.checkAvailability";
    await stage.theatre.emulator.control.faults.add({ operation, count: null, fault });
    await stage.apply({ vanitySubdomain: { name: "taken" } });
    await writesOf(1);

    expect(await writesOf(6)).toBe(0);
    expect(stage.entry("vanitySubdomain")).toMatchObject({ state: "Failed" });
  });

  it("settings that differ at each read", async () => {
    const { faults } = stage.theatre.emulator.control;
    const operation = "postgresConfig.get";
    const answers = async (): Promise<void> => {
      await heal();
      const answer = (count: number) => ({ kind: "status", status: 200, body: { max_connections: count } }) as const;
      await faults.add({ operation, count: 1, fault: answer(77) });
      await faults.add({ operation, skip: 1, count: null, fault: answer(78) });
    };
    await stage.apply({ database: { settings: { maxConnections: 100 } } });
    await answers();
    await stage.start({ database: { settings: { maxConnections: 101 } } });
    for (let n = 0; n < 10; n += 1) {
      await answers();
      await stage.theatre.pass(60_000);
      await stage.run("progress");
    }
    expect(stage.entry("database.settings")).toMatchObject({ state: "Failed", reason: "AnswersDiffer" });

    const before = stage.theatre.kubernetes.writes;
    for (let n = 0; n < 6; n += 1) {
      await answers();
      await stage.theatre.pass(600_000);
      await stage.run("drift");
    }
    expect(stage.theatre.kubernetes.writes - before).toBe(0);
  });
});

describe("an edit", () => {
  const realtime = (count: number): object => ({ realtime: { maxConcurrentUsers: count } });

  it.each([400, 401, 403, 429] as const)(
    "answered %i is not said to be being written, nor to have been sent",
    async (status) => {
      await stage.apply(realtime(100));
      const { applied } = stage.entry("realtime") ?? {};
      await refuse("realtime.update", status);
      await stage.start(realtime(200));

      expect(stage.entry("realtime")).toMatchObject({ applied });
      expect(stage.entry("realtime")?.message ?? "").not.toContain("written");
      expect(stage.entry("realtime")?.sentAt).toBeUndefined();
    },
  );

  it.each([400, 401, 403, 429] as const)("answered %i and taken back is nothing to wait for", async (status) => {
    await stage.apply(realtime(100));
    const before = stage.entry("realtime");
    await refuse("realtime.update", status);
    await stage.start(realtime(200));
    await heal();
    await stage.start(realtime(100));

    expect(stage.entry("realtime")).toEqual(before);
  });
});
