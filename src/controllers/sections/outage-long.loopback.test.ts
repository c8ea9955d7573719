import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AT_ONCE } from "../../../test/support/controllers/shop.ts";
import { type AnyStage, openBranchStage, openSectionStage } from "../../../test/support/sections/stage.ts";

/** An outage that takes longer than what was sent may take to show: that is counted from when the project is up again. */

const RESIZING_MS = 600_000;
const LARGE = { instanceSize: "large" };

describe.each([
  { kind: "Project", open: openSectionStage },
  { kind: "Branch", open: openBranchStage },
])("a resize of a $kind that takes ten minutes", ({ open }) => {
  let stage: AnyStage;
  /** what the platform answers of add-ons before it */
  let before: unknown;

  beforeEach(async () => {
    stage = await open({
      ...AT_ONCE,
      seed: { organizations: [{ slug: "acme", name: "Acme", plan: "enterprise" }] },
      timings: { ...AT_ONCE.timings, resizingMs: RESIZING_MS },
    });
    before = JSON.parse(JSON.stringify(await stage.client.addons.list({ ref: stage.ref })));
    await answerAddons({ status: 200, body: before });
    await stage.start(LARGE);
    for (let passedMs = 0; passedMs < RESIZING_MS; passedMs += 60_000) {
      await stage.run("progress");
      await stage.theatre.pass(60_000);
    }
    await stage.theatre.pass(60_000);
    await stage.calls();
  });

  async function answerAddons(answer: { readonly status: number; readonly body?: unknown }): Promise<void> {
    const { faults } = stage.theatre.emulator.control;
    await faults.clear({});
    await faults.add({ operation: "addons.list", count: null, fault: { kind: "status", ...answer } });
  }

  afterEach(() => stage[Symbol.asyncDispose]());

  const applied = async (): Promise<number> => {
    const { entries } = await stage.theatre.emulator.control.log.read({ operation: "addons.apply" });
    return entries.length;
  };

  it("may come to show for two minutes once it is up again", async () => {
    await stage.run("progress");
    expect(await stage.calls()).toContain("addons.list");
    expect(stage.entry("instanceSize")).toMatchObject({ state: "Applying", since: expect.any(String) });
    expect(stage.condition("Converging")).toBeUndefined();
    await stage.theatre.emulator.control.faults.clear({});
    await stage.theatre.pass(60_000);
    await stage.settle();
    expect(stage.entry("instanceSize")).toMatchObject({ state: "InSync" });
    expect(await applied()).toBe(1);
  });

  it("may so too where the first look at it then fails", async () => {
    await answerAddons({ status: 500 });
    await stage.run("progress");
    expect(stage.entry("instanceSize")).toMatchObject({ state: "Waiting" });
    await answerAddons({ status: 200, body: before });
    await stage.theatre.pass(20_000);
    await stage.run("progress");
    expect(stage.entry("instanceSize")).toMatchObject({ state: "Applying" });
    expect(stage.condition("Converging")).toBeUndefined();
    await stage.theatre.pass(180_000);
    await stage.run("progress");
    expect(stage.entry("instanceSize")).toMatchObject({ state: "Drifted", reason: "NotConverging" });
  });

  it("may so too where a look failed before another outage", async () => {
    await stage.run("progress");
    await answerAddons({ status: 500 });
    await stage.run("progress");
    expect(stage.entry("instanceSize")).toMatchObject({ state: "Waiting" });
    await stage.theatre.emulator.control.projects.force({ ref: stage.ref, status: "RESTARTING" });
    for (let minutes = 0; minutes < 6; minutes += 1) {
      await stage.run("progress");
      await stage.theatre.pass(60_000);
    }
    await stage.theatre.emulator.control.projects.force({ ref: stage.ref, status: "ACTIVE_HEALTHY" });
    await answerAddons({ status: 200, body: before });
    await stage.theatre.pass(20_000);
    await stage.run("progress");
    expect(stage.entry("instanceSize")).toMatchObject({ state: "Applying" });
    expect(stage.condition("Converging")).toBeUndefined();
  });

  it("is not converging where it does not, and is told so still after another outage", async () => {
    for (let minutes = 0; minutes < 3; minutes += 1) {
      await stage.run("progress");
      await stage.theatre.pass(60_000);
    }
    await stage.run("progress");
    const stuck = { state: "Drifted", reason: "NotConverging" };
    expect(stage.entry("instanceSize")).toMatchObject(stuck);
    for (const status of ["RESTARTING", "ACTIVE_HEALTHY"] as const) {
      await stage.theatre.emulator.control.projects.force({ ref: stage.ref, status });
      await stage.theatre.pass(120_000);
      await stage.run("progress");
      expect(stage.entry("instanceSize")).toMatchObject(stuck);
    }
    expect(await applied()).toBe(1);
  });
});
