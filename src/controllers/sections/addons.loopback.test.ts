import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NAMESPACE } from "../../../test/support/controllers/life.ts";
import { openBranchStage, openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";
import { projectKind } from "../../resources/project/kind.ts";

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

/** Somebody resizes the project. */
async function byHand(variant: "ci_medium"): Promise<void> {
  const { client, ref, theatre } = stage;
  await client.addons.apply({ ref, body: { addon_type: "compute_instance", addon_variant: variant } });
  await theatre.pass(600_000);
  await stage.calls();
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
    expect(stage.entry("addons.pitr")?.message).toContain("needs the compute size small");
    await stage.calls();
    await stage.run("change");
    expect(await stage.calls()).toEqual([]);
    await stage.run();
    expect((await stage.calls()).filter((operation) => operation === "addons.apply")).toEqual([]);
    const { client, ref } = stage;
    await client.addons.apply({ ref, body: { addon_type: "compute_instance", addon_variant: "ci_small" } });
    await stage.theatre.pass(600_000);
    expect(await stage.life.settle("Project", "shop")).toMatchObject({ kind: "done" });
    expect(stage.entry("addons.pitr")).toMatchObject({ state: "InSync" });
    expect(await selected()).toEqual(["ci_small", "pitr_7"]);
  });

  it("are written beside one that no request of today removes", async () => {
    const { client, ref, theatre } = stage;
    const list = await client.addons.list({ ref });
    const variant = {
      id: "ipv4_shared",
      name: "shared",
      price: { description: "dear", type: "fixed", interval: "monthly", amount: 1 },
    };
    const body = { ...list, selected_addons: [...list.selected_addons, { type: "ipv4", variant }] };
    const fault = { kind: "status", status: 200, body } as const;
    await theatre.emulator.control.faults.add({ operation: "addons.list", count: 1, fault });
    const spec = { addons: { ipv4: false, customDomain: true }, instanceSize: "small" };
    expect(await stage.start(spec)).toMatchObject({ message: expect.stringContaining("ipv4_shared") });
    expect(await selected()).toEqual(["cd_default", "ci_small"]);
  });

  it.each([
    { type: "ipv4", id: "ipv4_shared", spec: { addons: { ipv4: false } }, name: "addons.ipv4" },
    { type: "compute_instance", id: "ci_vast", spec: { instanceSize: "nano" }, name: "instanceSize" },
  ])(
    "of tomorrow that no request of today removes end as Failed, with nothing sent: $id",
    async ({ type, id, spec, name }) => {
      const { client, ref, theatre } = stage;
      const list = await client.addons.list({ ref });
      const price = { description: "dear", type: "fixed", interval: "monthly", amount: 1 };
      const others = list.selected_addons.filter((one) => one.type !== type);
      const body = { ...list, selected_addons: [...others, { type, variant: { id, name: id, price } }] };
      const fault = { kind: "status", status: 200, body } as const;
      await theatre.emulator.control.faults.add({ operation: "addons.list", count: null, fault });
      expect(await stage.apply({ ...spec, dataApi: { maxRows: 77 } })).toMatchObject({
        kind: "terminal",
        reason: "Rejected",
      });
      expect(stage.entry(name)).toMatchObject({ state: "Failed", message: expect.stringContaining(id) });
      expect(stage.entry("dataApi")).toMatchObject({ state: "InSync" });
      const writes = (await stage.calls()).filter((operation) => operation.startsWith("addons."));
      expect(new Set(writes)).toEqual(new Set(["addons.list"]));
      expect(stage.condition("Converging")).toBeUndefined();
    },
  );
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

  it("that somebody changed by hand is told and left, since a resize is an outage, until the spec says otherwise", async () => {
    await stage.apply({ instanceSize: "small" });
    await byHand("ci_medium");
    await stage.run();
    expect((await stage.calls()).filter((operation) => operation !== "addons.list")).toEqual([]);
    expect(stage.entry("instanceSize")).toMatchObject({
      state: "Drifted",
      fields: ["spec.instanceSize"],
      message: expect.stringContaining("resizePolicy: Always"),
    });
    expect(stage.condition("Drifted")).toMatchObject({ status: "True" });
    expect(stage.condition("Ready")).toMatchObject({ status: "True" });
    await stage.apply({ instanceSize: "small", resizePolicy: "Always" });
    expect(await selected()).toEqual(["ci_small"]);
    await byHand("ci_medium");
    await stage.apply({ instanceSize: "large", resizePolicy: "OnEdit" });
    expect(await selected()).toEqual(["ci_large"]);
    expect(stage.condition("Drifted")).toBeUndefined();
  });

  it.each([
    { driftPolicy: "Report", size: "ci_micro", state: "Drifted" },
    { driftPolicy: "Ignore", size: "ci_micro", state: "InSync" },
    { driftPolicy: "Correct", size: "ci_small", state: "InSync" },
  ])("of a project that is adopted under $driftPolicy becomes $size", async ({ driftPolicy, size, state }) => {
    const { life, theatre, ref } = stage;
    theatre.kubernetes.delete("projects", NAMESPACE, "shop");
    await life.run("Project", "shop");
    await stage.calls();
    const adopted = { ref, driftPolicy };
    await stage.apply({ ...adopted, instanceSize: "small" });
    await stage.run();
    expect(await selected()).toEqual([size]);
    expect(stage.entry("instanceSize")?.state).toBe(state);
    await stage.apply({ ...adopted, instanceSize: "medium" });
    expect(await selected()).toEqual(["ci_medium"]);
  });

  it("of a project that was only observed is left where drift is reported, once it may be managed", async () => {
    await stage.apply({ managementPolicy: "Observe", driftPolicy: "Report", instanceSize: "small" });
    await stage.apply({ driftPolicy: "Report", instanceSize: "small" });
    await stage.run();
    expect(await selected()).toEqual(["ci_micro"]);
    await stage.apply({ driftPolicy: "Report", instanceSize: "medium" });
    expect(await selected()).toEqual(["ci_medium"]);
  });

  it("that is declared later is an edit, also where drift is reported", async () => {
    await stage.apply({ driftPolicy: "Report", instanceSize: "small" });
    expect(await selected()).toEqual(["ci_small"]);
  });
});

describe("a compute size that no variant stands for", () => {
  const organization = { slug: "acme", name: "Acme", plan: "pro" } as const;
  const declare = (instanceSize: string, more: object = {}) => stage.apply({ instanceSize, ...more });
  const NO_WAY = expect.stringContaining("no request of the platform's leads to");

  it("is not gone back to by way of the sizes that were before: that says what to write, and asks for nothing", async () => {
    await declare("small");
    await declare("large");
    await stage.calls();
    expect(await declare("nano")).toMatchObject({ kind: "terminal", reason: "Rejected", message: NO_WAY });
    expect(stage.entry("instanceSize")).toMatchObject({ state: "Failed", fields: ["spec.instanceSize"] });
    expect(stage.entry("instanceSize")?.message).toContain("write large");
    await stage.theatre.pass(7_200_000);
    await stage.run();
    expect(new Set(await stage.calls())).toEqual(new Set(["addons.list"]));
    expect(await selected()).toEqual(["ci_large"]);
    expect(await declare("medium")).toMatchObject({ kind: "done" });
    expect(await selected()).toEqual(["ci_medium"]);
  });

  it("that is refused keeps no setting from the restart of the database that it needs", async () => {
    await declare("nano", { database: { settings: { sharedBuffers: "256MB" } } });
    expect(stage.entry("instanceSize")).toMatchObject({ state: "Failed" });
    expect(stage.entry("database.settings")).toMatchObject({ state: "InSync" });
    const { entries } = await stage.theatre.emulator.control.log.read({ operation: "postgresConfig.replace" });
    expect(entries.map(({ body }) => body)).toEqual([expect.objectContaining({ restart_database: true })]);
    expect(await stage.calls()).not.toContain("projects.restart");
  });

  it("of a branch is refused as one of a project is", async () => {
    await using branch = await openBranchStage({ seed: { organizations: [organization] } });
    expect(await branch.apply({ instanceSize: "pico" })).toMatchObject({ kind: "terminal", message: NO_WAY });
    expect(branch.entry("instanceSize")?.message).toContain("write micro");
    expect(new Set(await branch.calls())).toEqual(new Set(["addons.list"]));
  });

  it("is what a project has that is created so; one that somebody resized is told, with nothing advised that has no way", async () => {
    const { theatre, life } = stage;
    const metadata = { name: "tiny", namespace: NAMESPACE };
    const spec = { organization: "acme", instanceSize: "nano" };
    theatre.kubernetes.put("projects", { apiVersion: "baas.dev/v1alpha1", kind: "Project", metadata, spec });
    expect(await life.settle("Project", "tiny")).toMatchObject({ kind: "done" });
    const tiny = () => projectKind.parseStatus(theatre.kubernetes.get("projects", NAMESPACE, "tiny"));
    expect(tiny().sections).toMatchObject([{ name: "instanceSize", state: "InSync" }]);
    const body = { addon_type: "compute_instance", addon_variant: "ci_small" } as const;
    await life.client.addons.apply({ ref: tiny().ref ?? "", body });
    await theatre.pass(600_000);
    await stage.calls();
    await life.run("Project", "tiny", "drift");
    expect(tiny().sections).toMatchObject([
      { state: "Drifted", message: expect.stringContaining("write the size that there is") },
    ]);
    expect(tiny().sections?.[0]?.message).not.toContain("resizePolicy: Always");
    expect(new Set(await stage.calls())).toEqual(new Set(["addons.list"]));
  });
});
