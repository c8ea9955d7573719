import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type AnyStage, openBranchStage, openSectionStage } from "../../../test/support/sections/stage.ts";

/** What is edited while the platform is at something else is not called in sync: nobody looked at it, and none of it was sent. */

const realtime = (maxConcurrentUsers: number): object => ({ realtime: { maxConcurrentUsers } });
const EDITED = {
  state: "Waiting",
  reason: "Updating",
  fields: ["spec.realtime"],
  message: "was edited, and is applied once the project runs",
};

describe.each([
  { kind: "Project", open: openSectionStage },
  { kind: "Branch", open: openBranchStage },
])("sections of a $kind that is edited while its project", ({ open }) => {
  let stage: AnyStage;

  beforeEach(async () => {
    stage = await open();
  });

  afterEach(() => stage[Symbol.asyncDispose]());

  const become = async (status: "RESTORING" | "UPGRADING" | "RESTORE_FAILED" | "ACTIVE_HEALTHY"): Promise<void> => {
    await stage.theatre.emulator.control.projects.force({ ref: stage.ref, status });
    // What was read of branches before is too old by then.
    await stage.theatre.pass(120_000);
    await stage.calls();
  };

  it.each(["RESTORING", "UPGRADING", "RESTORE_FAILED"] as const)(
    "is %s wait, and are applied after it",
    async (status) => {
      await stage.apply({ ...realtime(7), dataApi: { maxRows: 5 } });
      const rests = stage.entry("dataApi");
      await become(status);
      await stage.start({ ...realtime(9), dataApi: { maxRows: 5 } });
      expect(stage.entry("realtime")).toMatchObject(EDITED);
      expect(stage.entry("dataApi")).toEqual(rests);
      expect((await stage.calls()).filter((operation) => operation.startsWith("realtime"))).toEqual([]);
      await become("ACTIVE_HEALTHY");
      expect(await stage.settle()).toMatchObject({ kind: "done" });
      expect(stage.entry("realtime")).toMatchObject({ state: "InSync" });
      expect(await stage.calls()).toContain("realtime.update");
    },
  );

  it("is on its way are as they were where the edit is taken back, and none is told before its first look", async () => {
    await stage.apply(realtime(7));
    const before = stage.entry("realtime");
    await become("UPGRADING");
    await stage.start({ ...realtime(9), dataApi: { maxRows: 5 } });
    expect(stage.entry("dataApi")).toBeUndefined();
    await stage.start(realtime(7));
    expect(stage.entry("realtime")).toEqual(before);
  });

  it("is on its way, and are told again as they were left where the edit is taken back", async () => {
    const drifted = { ...realtime(7), driftPolicy: "Report" };
    await stage.apply(drifted);
    await stage.client.realtime.update({ ref: stage.ref, body: { max_concurrent_users: 8 } });
    await stage.theatre.pass(3_600_000);
    await stage.run();
    const before = stage.entry("realtime");
    expect(before).toMatchObject({ state: "Drifted", reason: "DriftDetected" });
    await become("UPGRADING");
    await stage.start({ ...drifted, ...realtime(9) });
    expect(stage.entry("realtime")).toMatchObject(EDITED);
    expect(stage.condition("Drifted")).toBeUndefined();
    await stage.start(drifted);
    expect(stage.entry("realtime")).toEqual(before);
    expect(stage.condition("Drifted")).toMatchObject({ status: "True" });
    await become("ACTIVE_HEALTHY");
    await stage.settle();
    expect(await stage.calls()).not.toContain("realtime.update");
    expect(stage.entry("realtime")).toEqual(before);
  });

  it("is on its way, and are written in vain no more where the edit is taken back", async () => {
    const { faults } = stage.theatre.emulator.control;
    const spec = { dataApi: { maxRows: 77 } };
    await stage.apply(spec);
    const found = await stage.client.dataApi.get({ ref: stage.ref });
    const fault = { kind: "status", status: 200, body: { ...found, max_rows: 10 } } as const;
    for (const operation of ["dataApi.get", "dataApi.update"] as const) {
      await faults.add({ operation, count: null, fault: JSON.parse(JSON.stringify(fault)) });
    }
    await stage.theatre.pass(3_600_000);
    for (let look = 0; look < 4; look += 1) {
      await stage.run();
      await stage.theatre.pass(60_000);
    }
    const before = stage.entry("dataApi");
    expect(before).toMatchObject({ state: "Drifted", reason: "NotConverging" });
    await become("UPGRADING");
    await stage.start({ dataApi: { maxRows: 78 } });
    expect(stage.entry("dataApi")).toMatchObject({ state: "Waiting" });
    expect(stage.condition("Converging")).toBeUndefined();
    await stage.start(spec);
    expect(stage.entry("dataApi")).toEqual(before);
    expect(stage.condition("Converging")).toMatchObject({ status: "False" });
    await become("ACTIVE_HEALTHY");
    await stage.settle();
    expect(await stage.calls()).not.toContain("dataApi.update");
  });

  it("is on its way are refused as they were where the edit is taken back", async () => {
    await stage.theatre.emulator.control.organizations.patch({ slug: "acme", plan: "free" });
    const gated = (minLength: number): object => ({
      auth: { passwords: { minLength }, hooks: { sendSms: { enabled: true } } },
    });
    await stage.apply(gated(12));
    const before = stage.entry("auth");
    expect(before).toMatchObject({ state: "Failed", reason: "PlanLimit", refused: { fields: expect.any(Array) } });
    await become("UPGRADING");
    await stage.start(gated(14));
    expect(stage.entry("auth")).toMatchObject({ state: "Waiting", refused: before?.refused });
    await stage.start(gated(12));
    expect(stage.entry("auth")).toEqual(before);
  });
});
