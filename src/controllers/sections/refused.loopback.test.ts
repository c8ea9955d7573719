import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";

/** Sections that the platform refuses, and what the same spec puts right. */

let stage: SectionStage;

beforeEach(async () => {
  stage = await openSectionStage({ seed: { organizations: [{ slug: "acme", name: "Acme", plan: "pro" }] } });
});

afterEach(() => stage[Symbol.asyncDispose]());

async function selected(): Promise<readonly string[]> {
  const { selected_addons: addons } = await stage.client.addons.list({ ref: stage.ref });
  return addons.map(({ variant }) => variant.id).toSorted();
}

async function refuse(operation: "addons.apply" | "customHostname.delete" | "storage.update", count: number | null) {
  const fault = { kind: "status", status: 400, body: { message: "no" } } as const;
  await stage.theatre.emulator.control.faults.add({ operation, count, fault });
}

describe("what needs the compute size", () => {
  it("is asked for once the size that the same spec declares is there, and not before", async () => {
    await stage.start({ instanceSize: "small", addons: { pitr: "Days7" } });
    expect(stage.entry("addons.pitr")).toMatchObject({ state: "Waiting", message: "waits for instanceSize" });
    expect(await stage.life.settle("Project", "shop")).toMatchObject({ kind: "done" });
    expect(stage.entry("addons.pitr")).toMatchObject({ state: "InSync" });
    expect((await stage.calls()).filter((id) => id === "addons.apply")).toHaveLength(2);
    expect(await selected()).toEqual(["ci_small", "pitr_7"]);
  });

  it("is given up before the size goes back", async () => {
    await stage.apply({ instanceSize: "small", addons: { pitr: "Days7" } });
    await stage.apply({ instanceSize: "micro", addons: { pitr: "Off" } });
    expect(stage.stored().sections?.map(({ state }) => state)).toEqual(["InSync", "InSync"]);
    expect(await selected()).toEqual(["ci_micro"]);
  });

  it("is asked for, too, where the size is refused: the one that there is may do", async () => {
    const { client, ref } = stage;
    await client.addons.apply({ ref, body: { addon_type: "compute_instance", addon_variant: "ci_small" } });
    await stage.theatre.pass(60_001);
    await refuse("addons.apply", 1);
    expect(await stage.apply({ instanceSize: "large", addons: { pitr: "Days7" } })).toMatchObject({ kind: "terminal" });
    expect(stage.entry("instanceSize")).toMatchObject({ state: "Failed" });
    expect(await selected()).toEqual(["ci_small", "pitr_7"]);
  });

  it("and was refused is asked for again once the size is there, without a drift check", async () => {
    await refuse("storage.update", 1);
    await stage.start({ instanceSize: "small", storage: { fileSizeLimit: "10Mi" } });
    expect(stage.entry("storage")).toMatchObject({ state: "Failed" });
    expect(await stage.life.settle("Project", "shop")).toMatchObject({ kind: "done" });
    expect(stage.entry("storage")).toMatchObject({ state: "InSync" });
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

/** What an apiserver cannot know to be wrong. */
const REFUSED: readonly {
  readonly field: string;
  readonly why: string;
  readonly spec: object;
  /** default: pro */
  readonly plan?: "free" | "pro";
  readonly before?: (on: SectionStage) => Promise<unknown>;
}[] = [
  { field: "spec.addons.ipv4", why: "no add-on on this plan", plan: "free", spec: { addons: { ipv4: true } } },
  { field: "spec.addons.pitr", why: "the compute size is too small", spec: { addons: { pitr: "Days7" } } },
  { field: "spec.instanceSize", why: "no request leads there", spec: { instanceSize: "nano" } },
  {
    field: "spec.customHostname.hostname",
    why: "the add-on is missing",
    spec: { customHostname: { hostname: "api.example.com" } },
  },
  {
    field: "spec.database.backups.scheduleFor",
    why: "another plan has it",
    spec: { database: { backups: { scheduleFor: "03:00:00" } } },
  },
  {
    field: "spec.auth.hooks.beforeUserCreated.enabled",
    why: "another plan has it",
    plan: "free",
    spec: { auth: { hooks: { beforeUserCreated: { enabled: true } } } },
  },
  {
    field: "it needs a plan of pro, team, enterprise, platform for spec.storage.fileSizeLimit",
    why: "another plan has files as large",
    plan: "free",
    spec: { storage: { fileSizeLimit: "100Mi" } },
  },
  {
    field: "spec.database.networkRestrictions",
    why: "the project is not entitled to them",
    spec: { database: { networkRestrictions: { allowedCidrs: ["203.0.113.0/24"] } } },
    before: ({ theatre, ref }) => theatre.emulator.control.network.entitle({ ref, entitlement: "disallowed" }),
  },
  {
    field: "spec.database.ssl",
    why: "the project does not support it",
    spec: { database: { ssl: { enforced: true } } },
    before: ({ theatre, ref }) => theatre.emulator.control.ssl.support({ ref, supported: false }),
  },
  {
    field: "spec.database.jitAccess",
    why: "the database is too old",
    spec: { database: { jitAccess: "Enabled" } },
    before: ({ theatre, ref }) =>
      theatre.emulator.control.jit.setAvailability({ ref, unavailableReason: "postgres_upgrade_required" }),
  },
  {
    field: "spec.legacyApiKeysEnabled",
    why: "the platform has none any more",
    spec: { legacyApiKeysEnabled: true },
    before: ({ theatre }) => gone(theatre, "apiKeys.getLegacy"),
  },
  {
    field: "spec.branching",
    why: "a branch would go with it",
    spec: { branching: "Disabled" },
    before: async ({ client, ref }) => {
      for (const branch_name of ["main", "preview"]) await client.branches.create({ ref, body: { branch_name } });
    },
  },
  {
    field: "spec.encryptionRootKey",
    why: "it is another key",
    spec: { encryptionRootKey: { secretKeyRef: { name: "root", key: "rootKey" } } },
    before: (on) => Promise.resolve(on.putSecret("root", { rootKey: "0f".repeat(32) })),
  },
];

function gone({ emulator }: SectionStage["theatre"], operation: "apiKeys.getLegacy"): Promise<unknown> {
  return emulator.control.faults.add({
    operation,
    count: null,
    fault: { kind: "status", status: 404, body: { message: "Not Found" } },
  });
}

describe("what the platform alone can know to be wrong", () => {
  it.each(REFUSED)("ends terminal and names $field: $why", async ({ field, spec, plan = "pro", before }) => {
    const organization = { slug: "acme", name: "Acme", plan } as const;
    await using on = await openSectionStage({ seed: { organizations: [organization] } });
    await before?.(on);
    expect(await on.apply(spec)).toMatchObject({ kind: "terminal" });
    const [entry, ...others] = on.stored().sections ?? [];
    expect(others).toEqual([]);
    expect(entry).toMatchObject({ state: "Failed" });
    expect(`${entry?.message} ${entry?.fields?.join(" ")}`).toContain(field);
    expect(on.condition("Stalled")).toMatchObject({ status: "True" });
    await on.calls();
    await on.run("change");
    expect((await on.calls()).filter((id) => /apply|update|activate|initialize|disable|replace/u.test(id))).toEqual([]);
  });
});

describe("an add-on that is refused", () => {
  const customHostname = { hostname: "api.example.com" };

  it("holds up neither the others nor what needs those", async () => {
    await stage.start({ addons: { pitr: "Days7", ipv4: true, customDomain: true }, customHostname });
    expect(stage.entry("addons.pitr")).toMatchObject({ state: "Failed", fields: ["spec.addons.pitr"] });
    expect(await selected()).toEqual(["cd_default", "ci_micro", "ipv4_default"]);
    expect(stage.entry("customHostname")).toMatchObject({ state: "Waiting", reason: "DnsPending" });
  });

  it("holds up no vanity subdomain, which needs none", async () => {
    const spec = { addons: { pitr: "Days7" }, vanitySubdomain: { name: "shop" } };
    expect(await stage.apply(spec)).toMatchObject({ kind: "terminal", reason: "Rejected" });
    expect(stage.entry("vanitySubdomain")).toMatchObject({ state: "InSync" });
    expect(stage.condition("Stalled")).toMatchObject({ status: "True" });
  });

  it("is told with what needs it, and the Project rests as terminal until both are asked for again", async () => {
    await refuse("addons.apply", null);
    const outcome = await stage.apply({ addons: { customDomain: true }, customHostname });
    expect(outcome).toMatchObject({ kind: "terminal", reason: "Rejected" });
    expect(stage.entry("addons.customDomain")).toMatchObject({ state: "Failed" });
    expect(stage.entry("customHostname")).toMatchObject({
      state: "Failed",
      message: expect.stringContaining("needs the add-on customDomain"),
    });
    await stage.calls();
    await stage.run("change");
    expect(await stage.calls()).toEqual([]);
    const { faults, organizations } = stage.theatre.emulator.control;
    await faults.clear();
    await organizations.patch({ slug: "acme", plan: "team" });
    await stage.run();
    expect(stage.entry("customHostname")).toMatchObject({ state: "Waiting", reason: "DnsPending" });
  });

  it.each([
    { name: "addons.ipv4", spec: { addons: { ipv4: true } } },
    { name: "addons.customDomain", spec: { addons: { customDomain: true } } },
    { name: "addons.pitr", spec: { addons: { pitr: "Days7" } } },
    { name: "instanceSize", spec: { instanceSize: "small" } },
  ])("on the plan free names the plans that have it: $name", async ({ name, spec }) => {
    await stage.theatre.emulator.control.organizations.patch({ slug: "acme", plan: "free" });
    await stage.apply(spec);
    const needs = new RegExp(`spec\\.${name.replace(".", "\\.")} needs .*a plan of pro, team, enterprise`, "u");
    expect(stage.entry(name)).toMatchObject({ state: "Failed", message: expect.stringMatching(needs) });
  });
});

it("a vanity subdomain on a plan without them is refused for the plan also where the platform reads, and refuses what is asked for", async () => {
  const { faults, organizations } = stage.theatre.emulator.control;
  await organizations.patch({ slug: "acme", plan: "free" });
  const fault = { kind: "status", status: 200, body: { status: "not-used" } } as const;
  await faults.add({ operation: "vanitySubdomain.get", count: null, fault });
  await stage.apply({ vanitySubdomain: { name: "shop" } });
  expect(stage.entry("vanitySubdomain")).toMatchObject({
    state: "Failed",
    reason: "PlanLimit",
    message: expect.stringContaining("spec.vanitySubdomain needs a plan of pro, team, enterprise"),
  });
});

describe("an add-on that is given up with what needs it", () => {
  const absent = { addons: { customDomain: false }, customHostname: { absent: true } };

  beforeEach(async () => {
    await stage.start({ addons: { customDomain: true }, customHostname: { hostname: "api.example.com" } });
    await stage.calls();
  });

  it("goes after that, which nobody could take away any more", async () => {
    expect(await stage.apply(absent)).toMatchObject({ kind: "done" });
    const writes = (await stage.calls()).filter((id) => /delete|remove/u.test(id));
    expect(writes).toEqual(["customHostname.delete", "addons.remove"]);
    expect(stage.stored().sections?.map(({ state }) => state)).toEqual(["InSync", "InSync"]);
  });

  it("stays where that is refused to go, and goes once that has gone", async () => {
    await refuse("customHostname.delete", 1);
    expect(await stage.apply(absent)).toMatchObject({ kind: "terminal" });
    expect(stage.entry("customHostname")).toMatchObject({ state: "Failed" });
    expect(stage.entry("addons.customDomain")).toMatchObject({ state: "Failed" });
    expect(await stage.calls()).not.toContain("addons.remove");
    await stage.theatre.pass(3_700_000);
    await stage.settle();
    expect(stage.entry("customHostname")).toMatchObject({ state: "InSync" });
    expect(stage.entry("addons.customDomain")).toMatchObject({ state: "InSync" });
  });
});
