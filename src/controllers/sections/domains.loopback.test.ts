import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";

let stage: SectionStage;

beforeEach(async () => {
  stage = await openSectionStage({
    seed: { organizations: [{ slug: "acme", name: "Acme", plan: "pro" }] },
  });
});

afterEach(() => stage[Symbol.asyncDispose]());

const HOSTNAME = "api.example.com";
const OTHER = "api.example.org";

/** Declares the hostname and lets somebody create its DNS records. */
async function serve(): Promise<void> {
  await stage.start(declared);
  for (const { name, value } of stage.stored().customHostname?.records ?? []) {
    await stage.theatre.emulator.control.dns.set({ name, texts: [value] });
  }
  expect(await stage.run("progress")).toMatchObject({ kind: "done" });
}
const declared = { addons: { customDomain: true }, customHostname: { hostname: HOSTNAME } };

describe("[K-22] a custom hostname", () => {
  it("says which add-on is missing, and is begun once it is there", async () => {
    expect(await stage.apply({ customHostname: { hostname: HOSTNAME } })).toMatchObject({ kind: "terminal" });
    expect(stage.entry("customHostname")).toMatchObject({ state: "Failed", reason: "Rejected" });
    expect(stage.entry("customHostname")?.message).toContain("needs the add-on customDomain (spec.addons.customDomain");
    await stage.start(declared);
    expect(stage.entry("customHostname")).toMatchObject({ state: "Waiting", reason: "DnsPending" });
  });

  it("waits with its records in the status, looks after a minute, and is put into service once", async () => {
    await stage.start(declared);
    expect(await stage.calls()).toEqual([
      "addons.list",
      "addons.apply",
      "addons.list",
      "customHostname.get",
      "customHostname.initialize",
    ]);
    expect(stage.entry("customHostname")).toMatchObject({ state: "Waiting", reason: "DnsPending" });
    const { records = [], state, errors } = stage.stored().customHostname ?? {};
    expect(state).toBe("2_initiated");
    expect(errors).toEqual([expect.stringContaining("_custom-hostname"), expect.stringContaining("_acme-challenge")]);
    expect(records.map(({ type, name }) => `${type} ${name}`)).toEqual([
      `TXT _custom-hostname.${HOSTNAME}`,
      `TXT _acme-challenge.${HOSTNAME}`,
      `CNAME ${HOSTNAME}`,
    ]);
    expect(await stage.run("progress")).toMatchObject({ kind: "waiting", retryAfterMs: 60_000 });
    expect(await stage.calls()).toEqual(["customHostname.get", "customHostname.reverify"]);
    for (const { name, value } of records) {
      await stage.theatre.emulator.control.dns.set({ name, texts: [value] });
    }
    expect(await stage.run("progress")).toMatchObject({ kind: "done" });
    expect(await stage.calls()).toEqual(["customHostname.get", "customHostname.reverify", "customHostname.activate"]);
    expect(stage.entry("customHostname")).toMatchObject({ state: "InSync" });
    expect(stage.stored().customHostname).toEqual({ hostname: HOSTNAME, state: "5_services_reconfigured" });
    await stage.run();
    expect(await stage.calls()).toEqual(["addons.list", "customHostname.get"]);
  });

  it("that is another one takes the old one away first", async () => {
    await stage.start(declared);
    await stage.calls();
    await stage.start({ ...declared, customHostname: { hostname: "db.example.com" } });
    expect(await stage.calls()).toEqual(["customHostname.get", "customHostname.delete", "customHostname.initialize"]);
    await stage.apply({ ...declared, customHostname: { absent: true } });
    expect(stage.entry("customHostname")).toMatchObject({ state: "InSync" });
    expect(stage.stored().customHostname).toBeUndefined();
  });
});

describe("[K-22] a custom hostname whose add-on is selected", () => {
  const MINUTE_MS = 60_000;

  /** Verified, and the next step of the platform's own not done. */
  async function verified(): Promise<void> {
    await stage.start(declared);
    for (const { name, value } of stage.stored().customHostname?.records ?? []) {
      await stage.theatre.emulator.control.dns.set({ name, texts: [value] });
    }
  }

  it("waits while the platform sets up its origin, and is put into service then", async () => {
    await verified();
    const { client, ref, theatre } = stage;
    const body = { ...(await client.customHostname.get({ ref })), status: "3_challenge_verified" };
    const fault = { kind: "status", status: 200, body } as const;
    await theatre.emulator.control.faults.add({ operation: "customHostname.get", count: 2, fault });
    const answer = { kind: "status", status: 201, body } as const;
    await theatre.emulator.control.faults.add({ operation: "customHostname.reverify", count: 2, fault: answer });
    await stage.calls();
    for (const _ of [1, 2]) {
      expect(await stage.run("progress")).toMatchObject({ kind: "waiting", retryAfterMs: MINUTE_MS });
      expect(stage.entry("customHostname")).toMatchObject({ state: "Waiting" });
    }
    expect(await stage.calls()).not.toContain("customHostname.activate");
    expect(await stage.life.settle("Project", "shop")).toMatchObject({ kind: "done" });
    expect(stage.entry("customHostname")).toMatchObject({ state: "InSync" });
  });

  it.each(["customHostname.activate", "customHostname.initialize"] as const)(
    "is asked for again in an hour where %s is refused, and nobody is told to select it",
    async (operation) => {
      const fault = { kind: "status", status: 400, body: { message: "in progress" } } as const;
      await stage.theatre.emulator.control.faults.add({ operation, fault });
      await verified();
      await stage.run("progress");
      expect(stage.entry("customHostname")).toMatchObject({ state: "Failed" });
      expect(stage.entry("customHostname")?.message).toMatch(/in progress; .*every hour/u);
      expect(stage.entry("customHostname")?.message).not.toContain("needs the add-on");
      await stage.theatre.emulator.control.dns.set({ name: "example.com", obeys: true });
      await stage.theatre.pass(61 * MINUTE_MS);
      await stage.run("drift");
      await stage.theatre.pass(MINUTE_MS);
      await stage.life.settle("Project", "shop");
      expect(stage.entry("customHostname")).toMatchObject({ state: "InSync" });
    },
  );
});

describe.each([
  { section: "addons.ipv4", spec: { addons: { ipv4: true } }, operation: "addons.apply" },
  { section: "instanceSize", spec: { instanceSize: "small" }, operation: "addons.apply" },
  { section: "addons.pitr", spec: { addons: { pitr: "Days7" }, instanceSize: "small" }, operation: "addons.apply" },
  { section: "vanitySubdomain", spec: { vanitySubdomain: { name: "shop" } }, operation: "vanitySubdomain.activate" },
] as const)("what the plan has and the platform refuses all the same: $section", ({ section, spec, operation }) => {
  it("may pass: it is asked for again in an hour, and no plan is asked for", async () => {
    const fault = { kind: "status", status: 400, body: { message: "another one is in progress" } } as const;
    if (section === "addons.pitr") await stage.apply({ instanceSize: "small" });
    await stage.theatre.emulator.control.faults.add({ operation, fault });
    await stage.apply(spec);
    expect(stage.entry(section)).toMatchObject({ state: "Failed" });
    expect(stage.entry(section)?.message).toMatch(/in progress; .*every hour/u);
    expect(stage.entry(section)?.message).not.toContain("a plan of");
    await stage.theatre.pass(3_660_000);
    await stage.run("drift");
    await stage.theatre.pass(60_001);
    await stage.life.settle("Project", "shop");
    expect(stage.entry(section)).toMatchObject({ state: "InSync" });
  });
});

describe("a custom hostname whose add-on somebody took away", () => {
  it("waits for it and asks no oftener than that is looked at, though its drift check is due", async () => {
    const { client, ref, theatre } = stage;
    await theatre.emulator.control.dns.set({ name: "example.com", obeys: true });
    await stage.apply(declared);
    expect(stage.entry("customHostname")).toMatchObject({ state: "InSync" });
    await client.addons.remove({ ref, addon_variant: "cd_default" });
    const fault = { kind: "status", status: 200, body: {} } as const;
    await theatre.emulator.control.faults.add({ operation: "addons.apply", count: null, fault });
    await theatre.pass(600_000);
    expect(await stage.run()).toMatchObject({ kind: "waiting", retryAfterMs: 2000 });
    expect(stage.entry("customHostname")).toMatchObject({ state: "Waiting", message: "waits for addons.customDomain" });
  });
});

describe("a vanity subdomain", () => {
  it("is taken when it is free, replaced and given back", async () => {
    const { client, ref } = stage;
    await stage.apply({ vanitySubdomain: { name: "shop" } });
    expect(await stage.calls()).toEqual([
      "vanitySubdomain.get",
      "vanitySubdomain.checkAvailability",
      "vanitySubdomain.activate",
      "vanitySubdomain.get",
    ]);
    expect(await client.vanitySubdomain.get({ ref })).toMatchObject({ status: "active" });
    await stage.apply({ vanitySubdomain: { name: "store" } });
    expect((await client.vanitySubdomain.get({ ref })).custom_domain).toMatch(/^store\./u);
    await stage.apply({ vanitySubdomain: { absent: true } });
    expect(await client.vanitySubdomain.get({ ref })).toMatchObject({ status: "not-used" });
  });

  it("that is taken is told so, and not asked for", async () => {
    const ref = "abcdefghijklmnopqrst";
    await stage.theatre.emulator.control.state.seed({ projects: [{ name: "other", ref, organization: "acme" }] });
    await stage.client.vanitySubdomain.activate({ ref, body: { vanity_subdomain: "shop" } });
    await stage.calls();
    await stage.apply({ vanitySubdomain: { name: "shop" } });
    expect(stage.entry("vanitySubdomain")).toMatchObject({
      state: "Failed",
      reason: "Rejected",
      message: expect.stringContaining("spec.vanitySubdomain.name: shop is taken: choose another name"),
    });
    expect(await stage.calls()).not.toContain("vanitySubdomain.activate");
  });

  it("on a plan without them names those that have them, and is not asked for again until the plan is another", async () => {
    await stage[Symbol.asyncDispose]();
    stage = await openSectionStage({ seed: { organizations: [{ slug: "acme", name: "Acme", plan: "free" }] } });
    await stage.apply({ vanitySubdomain: { name: "shop" } });
    expect(stage.entry("vanitySubdomain")).toMatchObject({
      state: "Failed",
      reason: "PlanLimit",
      message: expect.stringContaining("spec.vanitySubdomain needs a plan of pro, team, enterprise"),
    });
    await stage.calls();
    await stage.run("change");
    expect(await stage.calls()).toEqual([]);
    // Of a day's drift checks none asks for it: that the plan is the same tells enough.
    for (let check = 0; check < 48; check += 1) {
      await stage.theatre.pass(1_800_001);
      await stage.run();
    }
    expect((await stage.calls()).filter((operation) => operation.startsWith("vanitySubdomain."))).toEqual([]);
    await stage.theatre.emulator.control.organizations.patch({ slug: "acme", plan: "pro" });
    await stage.run();
    expect(stage.entry("vanitySubdomain")).toMatchObject({ state: "InSync" });
  });

  it("that is to be absent is so on a plan without them, whose words are told", async () => {
    await stage[Symbol.asyncDispose]();
    stage = await openSectionStage({ seed: { organizations: [{ slug: "acme", name: "Acme", plan: "free" }] } });
    expect(await stage.apply({ vanitySubdomain: { absent: true } })).toMatchObject({ kind: "done" });
    expect(stage.entry("vanitySubdomain")).toMatchObject({ state: "InSync" });
    expect(stage.entry("vanitySubdomain")?.message).toContain("could not read the vanity subdomain");
    expect(await stage.calls()).toEqual(["vanitySubdomain.get", "organizations.get"]);
  });

  it("that is to be absent is not so for any 400 on a plan that has them: it is deleted once it can be read", async () => {
    const { client, ref, theatre } = stage;
    await stage.apply({ vanitySubdomain: { name: "shop" } });
    const fault = { kind: "status", status: 400, body: { message: "try later" } } as const;
    await theatre.emulator.control.faults.add({ operation: "vanitySubdomain.get", count: null, fault });
    await stage.apply({ vanitySubdomain: { absent: true } });
    expect(stage.entry("vanitySubdomain")).toMatchObject({ state: "Failed", reason: "Rejected" });
    await theatre.emulator.control.faults.clear({});
    await theatre.pass(3_600_000);
    await stage.run();
    expect(stage.entry("vanitySubdomain")).toMatchObject({ state: "InSync" });
    expect(await client.vanitySubdomain.get({ ref })).toMatchObject({ status: "not-used" });
  });

  it("that the platform says the plan is without is absent, whatever the plan is called", async () => {
    const fault = { kind: "status", status: 402, body: { message: "not on this plan" } } as const;
    await stage.theatre.emulator.control.faults.add({ operation: "vanitySubdomain.get", count: null, fault });
    await stage.apply({ vanitySubdomain: { absent: true } });
    expect(stage.entry("vanitySubdomain")).toMatchObject({ state: "InSync" });
    expect(await stage.calls()).toEqual(["vanitySubdomain.get"]);
  });
});

describe("a custom hostname that serves and is replaced", () => {
  const GONE = `${HOSTNAME} was deleted and serves no more: declared again it is a new one, with DNS records of its own`;

  it("is told to be gone where the platform refuses the other one, as long as nothing serves", async () => {
    await serve();
    const fault = { kind: "status", status: 400, body: { message: "the name is taken" } } as const;
    await stage.theatre.emulator.control.faults.add({ operation: "customHostname.initialize", count: null, fault });
    await stage.apply({ ...declared, customHostname: { hostname: OTHER } });

    expect(stage.entry("customHostname")).toMatchObject({ state: "Failed", reason: "Rejected", gone: GONE });
    expect(stage.entry("customHostname")?.message).toContain(GONE);
    expect(stage.condition("Ready")?.message).toContain(GONE);
    expect(stage.stored().customHostname).toBeUndefined();
    const failed = stage.entry("customHostname");
    await stage.run();
    expect(stage.entry("customHostname")).toEqual(failed);

    await stage.theatre.emulator.control.faults.clear({});
    await stage.start(declared);
    expect(stage.entry("customHostname")).toMatchObject({ state: "Waiting", reason: "DnsPending", gone: GONE });
    await serve();
    expect(stage.entry("customHostname")?.gone).toBeUndefined();
    expect(stage.entry("customHostname")?.message).toBeUndefined();
  });

  it("is told to be gone while the other one waits for its DNS records", async () => {
    await serve();
    await stage.start({ ...declared, customHostname: { hostname: OTHER } });
    const { message = "" } = stage.entry("customHostname") ?? {};
    expect(message).toContain("are not found yet");
    expect(message.split(GONE)).toHaveLength(2);
    await stage.theatre.pass(60_001);
    await stage.run("progress");
    expect(stage.entry("customHostname")?.message).toBe(message);
  });

  it("is not told to be gone where the platform did not delete it", async () => {
    await serve();
    const fault = { kind: "status", status: 400, body: { message: "not now" } } as const;
    await stage.theatre.emulator.control.faults.add({ operation: "customHostname.delete", count: null, fault });
    await stage.apply({ ...declared, customHostname: { hostname: OTHER } });
    expect(stage.entry("customHostname")).toMatchObject({ state: "Failed" });
    expect(stage.entry("customHostname")?.gone).toBeUndefined();
    expect(stage.stored().customHostname).toMatchObject({ hostname: HOSTNAME });
  });

  it("is not deleted for one that another object's project is known to have", async () => {
    await serve();
    stage.theatre.kubernetes.put("projects", {
      apiVersion: "baas.dev/v1alpha1",
      kind: "Project",
      metadata: { name: "other", namespace: "elsewhere" },
      spec: { organization: "acme" },
      status: { ref: "a".repeat(20), customHostname: { hostname: OTHER.toUpperCase(), state: "2_initiated" } },
    });
    await stage.calls();
    await stage.apply({ ...declared, customHostname: { hostname: OTHER } });
    expect(await stage.calls()).not.toContain("customHostname.delete");
    expect(stage.entry("customHostname")).toMatchObject({ state: "Failed", reason: "Rejected" });
    expect(stage.entry("customHostname")?.message).toContain(`${OTHER} is the hostname of another project`);
  });
});
