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
const declared = { addons: { customDomain: true }, customHostname: { hostname: HOSTNAME } };

describe("[K-22] a custom hostname", () => {
  it("says which add-on is missing, and is begun once it is there", async () => {
    expect(await stage.apply({ customHostname: { hostname: HOSTNAME } })).toMatchObject({ kind: "terminal" });
    expect(stage.entry("customHostname")).toMatchObject({ state: "Failed", reason: "Rejected" });
    expect(stage.entry("customHostname")?.message).toContain("needs the add-on customDomain (spec.addons.customDomain");
    await stage.start(declared);
    expect(stage.entry("customHostname")).toMatchObject({ state: "Waiting", reason: "DnsPending" });
  });

  it("waits with its records in the status, looks once a minute, and is put into service once", async () => {
    await stage.start(declared);
    expect(await stage.calls()).toEqual([
      "addons.list",
      "addons.apply",
      "addons.list",
      "customHostname.get",
      "customHostname.initialize",
    ]);
    expect(stage.entry("customHostname")).toMatchObject({ state: "Waiting", reason: "DnsPending" });
    const { records = [], state } = stage.stored().customHostname ?? {};
    expect(state).toBe("2_initiated");
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

  it("on a plan without them names those that have them, and is not asked for again until the plan is another", async () => {
    await stage[Symbol.asyncDispose]();
    stage = await openSectionStage({ seed: { organizations: [{ slug: "acme", name: "Acme", plan: "free" }] } });
    await stage.apply({ vanitySubdomain: { name: "shop" } });
    expect(stage.entry("vanitySubdomain")).toMatchObject({
      state: "Failed",
      reason: "Rejected",
      message: expect.stringContaining("spec.vanitySubdomain needs a plan of pro, team, enterprise"),
    });
    await stage.calls();
    await stage.run("change");
    expect(await stage.calls()).toEqual([]);
    await stage.theatre.emulator.control.organizations.patch({ slug: "acme", plan: "pro" });
    await stage.run();
    expect(stage.entry("vanitySubdomain")).toMatchObject({ state: "InSync" });
  });
});
