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
});
