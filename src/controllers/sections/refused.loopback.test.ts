import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";

/** Sections that the platform refuses, and what the same spec puts right. */

let stage: SectionStage;

beforeEach(async () => {
  stage = await openSectionStage({ seed: { organizations: [{ slug: "acme", name: "Acme", plan: "pro" }] } });
});

afterEach(() => stage[Symbol.asyncDispose]());

describe("what is refused for the compute size", () => {
  it("is asked for again once the size that the same spec declares is there, without a drift check", async () => {
    const spec = { instanceSize: "small", addons: { pitr: "Days7" } };
    await stage.start(spec);
    expect(await stage.life.settle("Project", "shop")).toMatchObject({ kind: "done" });
    expect(stage.entry("addons")).toMatchObject({ state: "InSync" });
    expect((await stage.calls()).filter((id) => id === "addons.apply").length).toBeLessThanOrEqual(3);
    const { selected_addons: selected } = await stage.client.addons.list({ ref: stage.ref });
    expect(selected.map(({ variant }) => variant.id).toSorted()).toEqual(["ci_small", "pitr_7"]);
  });
});

describe("what is refused", () => {
  it("is told with the fields that were asked for, whatever the platform calls them", async () => {
    const body = { message: "no" };
    await stage.theatre.emulator.control.faults.add({
      operation: "storage.update",
      fault: { kind: "status", status: 400, body },
    });
    await stage.apply({ storage: { fileSizeLimit: "10Mi", s3Protocol: { enabled: true }, upstreamTarget: "Canary" } });
    const { s3Protocol } = (await stage.client.storage.get({ ref: stage.ref })).features;
    expect(s3Protocol).toEqual({ enabled: true });
    const fields = ["spec.storage.fileSizeLimit", "spec.storage.upstreamTarget"];
    expect(stage.entry("storage")).toMatchObject({ state: "Failed", fields });
    await stage.apply({ storage: { fileSizeLimit: "20Mi" } });
    expect(stage.entry("storage")).not.toHaveProperty("fields");
  });
});

describe("what waits for a section that is refused", () => {
  const HELD = { addons: { pitr: "Days7", customDomain: true }, customHostname: { hostname: "api.example.com" } };

  it("goes on no more than that one: the Project rests as terminal, with what is refused", async () => {
    const outcome = await stage.apply(HELD);
    expect(outcome).toMatchObject({ kind: "terminal", reason: "Rejected" });
    expect(stage.entry("addons")).toMatchObject({ state: "Failed" });
    expect(stage.entry("customHostname")).toMatchObject({ state: "Waiting", message: "waits for addons" });
    expect(stage.condition("Stalled")).toMatchObject({ status: "True" });
  });
});
