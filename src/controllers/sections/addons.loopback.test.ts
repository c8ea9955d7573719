import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";

let stage: SectionStage;

beforeEach(async () => {
  stage = await openSectionStage({
    seed: { organizations: [{ slug: "acme", name: "Acme", plan: "pro" }] },
  });
});

afterEach(() => stage[Symbol.asyncDispose]());

async function selected(): Promise<readonly string[]> {
  const { selected_addons: addons } = await stage.client.addons.list({ ref: stage.ref });
  return addons.map(({ variant }) => variant.id).toSorted();
}

describe("add-ons", () => {
  it("are selected and removed one by one, and those that are not declared are left", async () => {
    const { client, ref } = stage;
    await client.addons.apply({ ref, body: { addon_type: "custom_domain", addon_variant: "cd_default" } });
    await stage.calls();
    expect(await stage.apply({ addons: { ipv4: true } })).toMatchObject({ kind: "done" });
    expect(await stage.calls()).toEqual(["addons.list", "addons.apply", "addons.list"]);
    expect(await selected()).toEqual(["cd_default", "ci_micro", "ipv4_default"]);
    await stage.apply({ addons: { ipv4: false } });
    expect(await selected()).toEqual(["cd_default", "ci_micro"]);
    await stage.apply({});
    expect(await selected()).toEqual(["cd_default", "ci_micro"]);
  });

  it("that the compute size does not allow end as Failed with the platform's words, and are not asked for again until another add-on is there", async () => {
    expect(await stage.apply({ addons: { pitr: "Days7" } })).toMatchObject({ kind: "terminal", reason: "Rejected" });
    expect(stage.entry("addons")?.message).toContain("needs the compute size small");
    await stage.calls();
    await stage.run("change");
    expect(await stage.calls()).toEqual([]);
    await stage.run();
    expect((await stage.calls()).filter((operation) => operation === "addons.apply")).toEqual([]);
    const { client, ref } = stage;
    await client.addons.apply({ ref, body: { addon_type: "compute_instance", addon_variant: "ci_small" } });
    await stage.theatre.pass(600_000);
    expect(await stage.life.settle("Project", "shop")).toMatchObject({ kind: "terminal" });
    await stage.run();
    expect(stage.entry("addons")).toMatchObject({ state: "InSync" });
    expect(await selected()).toEqual(["ci_small", "pitr_7"]);
  });
});

describe("the compute size", () => {
  it("[K-06] is changed in place by one write of the add-on, and the resize is waited out", async () => {
    const { ref } = stage;
    await stage.apply({ instanceSize: "micro" });
    await stage.calls();
    await stage.apply({ instanceSize: "small" });
    expect((await stage.calls()).filter((operation) => operation !== "addons.list")).toEqual(["addons.apply"]);
    expect(await selected()).toEqual(["ci_small"]);
    expect(stage.entry("instanceSize")).toMatchObject({ state: "InSync" });
    expect(stage.condition("Ready")).toMatchObject({ status: "True" });
    expect(stage.stored().ref).toBe(ref);
  });
});
