import { describe, expect, it } from "vitest";
import type { SeedInput } from "../state/seed.ts";
import { emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { message } from "../../../test/support/emulator/scenario.ts";
import { typedClient } from "../../../test/support/emulator/typed-client.ts";

const REF = "abcdefghijklmnopqrst";
const PATH = `/v1/projects/${REF}/billing/addons`;

const shop = { name: "shop", ref: REF } as const;
const seed: SeedInput = { projects: [shop] };
const timings = { resizingMs: 4000 };

const compute = (variant: "ci_micro" | "ci_small" | "ci_large" | "ci_16xlarge") =>
  ({ addon_variant: variant, addon_type: "compute_instance" }) as const;

async function selected(client: ReturnType<typeof typedClient>): Promise<readonly string[]> {
  return (await client.addons.list({ ref: REF })).selected_addons.map(({ variant }) => variant.id);
}

describe("the add-ons of a project", () => {
  it("are ci_micro on a fresh one, and everything that can be had with its price", async () => {
    await using under = await emulatorUnderTest({ seed });
    await using client = typedClient(under);
    expect(await selected(client)).toEqual(["ci_micro"]);
    const { available_addons: available } = await client.addons.list({ ref: REF });
    expect(available.map(({ type, variants }) => [type, variants.length])).toEqual([
      ["compute_instance", 18],
      ["custom_domain", 1],
      ["pitr", 3],
      ["ipv4", 1],
      ["auth_mfa_phone", 1],
      ["auth_mfa_web_authn", 1],
      ["log_drain", 1],
    ]);
    expect(available[0]?.variants[3]).toEqual({
      id: "ci_large",
      name: "Large",
      price: { description: "$0.1517/hour (~$111/month)", type: "usage", interval: "hourly", amount: 0.1517 },
      meta: { cpu_cores: 2, cpu_dedicated: true, memory_gb: 8, connections_direct: 160, connections_pooler: 800 },
    });
  });

  it("have no compute variant where the size is none", async () => {
    await using under = await emulatorUnderTest({ seed: { projects: [{ ...shop, instanceSize: "nano" }] } });
    await using client = typedClient(under);
    expect(await selected(client)).toEqual([]);
  });

  it("are selected, replaced by another variant of their type, and removed", async () => {
    await using under = await emulatorUnderTest({ seed: { projects: [{ ...shop, instanceSize: "small" }] } });
    await using client = typedClient(under);
    await client.addons.apply({ ref: REF, body: { addon_variant: "pitr_7", addon_type: "pitr" } });
    await client.addons.apply({ ref: REF, body: { addon_variant: "ipv4_default", addon_type: "ipv4" } });
    await client.addons.apply({ ref: REF, body: { addon_variant: "cd_default", addon_type: "custom_domain" } });
    await client.addons.apply({ ref: REF, body: { addon_variant: "pitr_28", addon_type: "pitr" } });
    expect(await selected(client)).toEqual(["ci_small", "pitr_28", "ipv4_default", "cd_default"]);
    expect((await client.projects.get({ ref: REF })).status).toBe("ACTIVE_HEALTHY");
    await client.addons.remove({ ref: REF, addon_variant: "ipv4_default" });
    expect(await selected(client)).toEqual(["ci_small", "pitr_28", "cd_default"]);
  });

  it.each([
    { why: "the type is another one", body: { addon_variant: "pitr_7", addon_type: "ipv4" }, says: "expected 'pitr'" },
    {
      why: "there is no such variant",
      body: { addon_variant: "ci_huge", addon_type: "compute_instance" },
      says: "ci_16xlarge",
    },
    {
      why: "nano is no add-on",
      body: { addon_variant: "ci_nano", addon_type: "compute_instance" },
      says: "'ci_micro'",
    },
    {
      why: "it cannot be applied",
      body: { addon_variant: "log_drain_default", addon_type: "log_drain" },
      says: "addon_variant",
    },
    {
      why: "point-in-time recovery wants a small instance",
      body: { addon_variant: "pitr_7", addon_type: "pitr" },
      says: "the project has micro",
    },
    { why: "the type is missing", body: { addon_variant: "pitr_7" }, says: "addon_type" },
  ])("are not selected: $why", async ({ body, says }) => {
    await using under = await emulatorUnderTest({ seed });
    await using client = typedClient(under);
    const refused = await under.call("PATCH", PATH, { body });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining(says)]);
    expect(await selected(client)).toEqual(["ci_micro"]);
  });

  it("are not to be had on the plan free", async () => {
    await using under = await emulatorUnderTest({
      seed: { organizations: [{ slug: "acme", plan: "free", members: { owner: "Owner" } }], projects: [shop] },
    });
    const refused = await under.call("PATCH", PATH, { body: compute("ci_small") });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining("free plan")]);
  });

  it.each([
    { variant: "pitr_7", status: 404, why: "it was never selected" },
    { variant: "ci_large", status: 404, why: "another size is" },
    { variant: "ci_micro", status: 400, why: "there is no previous size" },
    { variant: "log_drain_default", status: 400, why: "it cannot be removed" },
  ])("are not removed: $variant gives $status, since $why", async ({ variant, status }) => {
    await using under = await emulatorUnderTest({ seed });
    expect((await under.call("DELETE", `${PATH}/${variant}`)).status).toBe(status);
  });
});

describe("another compute size", () => {
  it("[K-06] resizes the project: RESIZING for a while, the new size in every list, the same project", async () => {
    await using under = await emulatorUnderTest({ seed, timings });
    await using client = typedClient(under);
    await client.addons.apply({ ref: REF, body: compute("ci_large") });
    const seen = async () => {
      const { projects } = await client.organizations.listProjects({ slug: "acme" });
      return projects.map(({ ref, status, databases }) => [ref, status, databases?.[0]?.infra_compute_size]);
    };
    expect(await seen()).toEqual([[REF, "RESIZING", "large"]]);
    expect(await selected(client)).toEqual(["ci_large"]);
    under.clock.advance(3999);
    expect(await seen()).toEqual([[REF, "RESIZING", "large"]]);
    under.clock.advance(1);
    expect(await seen()).toEqual([[REF, "ACTIVE_HEALTHY", "large"]]);
  });

  it("goes back to the previous one when it is removed", async () => {
    await using under = await emulatorUnderTest({ seed, timings });
    await using client = typedClient(under);
    await client.addons.apply({ ref: REF, body: compute("ci_large") });
    under.clock.advance(4000);
    await client.addons.remove({ ref: REF, addon_variant: "ci_large" });
    expect([(await client.projects.get({ ref: REF })).status, await selected(client)]).toEqual([
      "RESIZING",
      ["ci_micro"],
    ]);
    under.clock.advance(4000);
    await expect(client.addons.remove({ ref: REF, addon_variant: "ci_micro" })).rejects.toMatchObject({ status: 400 });
  });

  it("is no change when it is the same", async () => {
    await using under = await emulatorUnderTest({ seed });
    await using client = typedClient(under);
    await client.addons.apply({ ref: REF, body: compute("ci_micro") });
    expect((await client.projects.get({ ref: REF })).status).toBe("ACTIVE_HEALTHY");
  });

  it.each(["COMING_UP", "INACTIVE", "RESIZING", "RESTARTING"] as const)(
    "is refused while the project is %s",
    async (status) => {
      await using under = await emulatorUnderTest({ seed: { projects: [{ ...shop, status }] } });
      const refused = await under.call("PATCH", PATH, { body: compute("ci_small") });
      expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining(status)]);
    },
  );

  it("is refused where it is too small for point-in-time recovery, until that is removed", async () => {
    await using under = await emulatorUnderTest({
      seed: { projects: [{ ...shop, instanceSize: "small", addons: ["pitr_7"] }] },
    });
    const refused = await under.call("PATCH", PATH, { body: compute("ci_micro") });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining("remove that add-on first")]);
    await under.call("DELETE", `${PATH}/pitr_7`);
    expect((await under.call("PATCH", PATH, { body: compute("ci_micro") })).status).toBe(200);
  });
});

describe("the add-on for point-in-time recovery", () => {
  it("[K-27] is what a branch with data needs", async () => {
    await using under = await emulatorUnderTest({
      seed: { projects: [{ ...shop, instanceSize: "small", branches: [{ name: "main" }] }] },
    });
    await using client = typedClient(under);
    const branch = () => client.branches.create({ ref: REF, body: { branch_name: "dev", with_data: true } });
    await expect(branch()).rejects.toMatchObject({ status: 400, message: expect.stringContaining("point-in-time") });
    await client.addons.apply({ ref: REF, body: { addon_variant: "pitr_7", addon_type: "pitr" } });
    expect((await branch()).with_data).toBe(true);
  });

  it("is the same thing that the seed's and the control call's pitr mean", async () => {
    await using under = await emulatorUnderTest({ seed: { projects: [{ ...shop, pitr: true }] } });
    await using client = typedClient(under);
    expect(await selected(client)).toEqual(["ci_small", "pitr_7"]);
    await under.control.projects.patch({ ref: REF, pitr: false });
    expect(await selected(client)).toEqual(["ci_small"]);
    await under.control.projects.patch({ ref: REF, pitr: true });
    expect((await client.backups.list({ ref: REF })).pitr_enabled).toBe(true);
  });
});
