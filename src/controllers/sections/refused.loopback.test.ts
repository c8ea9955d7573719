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
  { field: "spec.instanceSize", why: "there is no size to go back to", spec: { instanceSize: "nano" } },
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
