import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { refusal } from "../../../test/support/crds/refusal.ts";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";

/** A custom hostname in service, and what would take it away or stands beside it without being able to. */

let stage: SectionStage;

beforeEach(async () => {
  stage = await openSectionStage({ seed: { organizations: [{ slug: "acme", name: "Acme", plan: "pro" }] } });
});

afterEach(() => stage[Symbol.asyncDispose]());

const HOSTNAME = "api.example.com";
const declared = { addons: { customDomain: true }, customHostname: { hostname: HOSTNAME } };

async function serve(): Promise<void> {
  await stage.start(declared);
  for (const { name, value } of stage.stored().customHostname?.records ?? []) {
    await stage.theatre.emulator.control.dns.set({ name, texts: [value] });
  }
  expect(await stage.run("progress")).toMatchObject({ kind: "done" });
  await stage.calls();
}

/** Somebody begins a hostname, of which the next answer tells nothing. */
async function begunByHand(): Promise<void> {
  const { client, ref, theatre } = stage;
  await client.customHostname.initialize({ ref, body: { custom_hostname: HOSTNAME } });
  const fault = { kind: "status", status: 400, body: { message: "Bad Request" } } as const;
  await theatre.emulator.control.faults.add({ operation: "customHostname.get", fault });
  await stage.calls();
}

async function state(): Promise<string> {
  return (await stage.client.customHostname.get({ ref: stage.ref })).status;
}

describe("the add-on customDomain", () => {
  it("is not removed while a hostname serves that nobody declares: it would serve no more", async () => {
    await serve();
    await stage.apply({ addons: { customDomain: false } });
    expect(await stage.calls()).not.toContain("addons.remove");
    expect(await state()).toBe("5_services_reconfigured");
    expect(stage.entry("addons.customDomain")).toMatchObject({
      state: "Failed",
      reason: "Rejected",
      message: expect.stringContaining(`without the add-on ${HOSTNAME} would be out of service`),
      fields: ["spec.addons.customDomain"],
    });
    expect(stage.condition("Ready")).toMatchObject({ status: "False" });
  });

  it("is not removed while a hostname is on its way that nobody declares, whose DNS records may be there already", async () => {
    await stage.start(declared);
    await stage.calls();
    await stage.apply({ addons: { customDomain: false } });
    expect(await stage.calls()).not.toContain("addons.remove");
    expect(await state()).toBe("2_initiated");
    expect(stage.entry("addons.customDomain")).toMatchObject({
      state: "Failed",
      reason: "Rejected",
      message: expect.stringContaining(`without the add-on ${HOSTNAME}`),
    });
  });

  it("is not removed for one answer that finds no hostname", async () => {
    await serve();
    const fault = { kind: "status", status: 400, body: { message: "Bad Request" } } as const;
    await stage.theatre.emulator.control.faults.add({ operation: "customHostname.get", fault });
    await stage.apply({ addons: { customDomain: false } });
    expect(await stage.calls()).not.toContain("addons.remove");
    expect(await state()).toBe("5_services_reconfigured");
    expect(stage.entry("addons.customDomain")).toMatchObject({ state: "Failed", reason: "Rejected" });
  });

  it("is removed where two looks, a minute apart, find no hostname", async () => {
    await stage.apply({ addons: { customDomain: true } });
    await stage.calls();
    expect(await stage.start({ addons: { customDomain: false } })).toMatchObject({
      kind: "waiting",
      reason: "AnswerUnconfirmed",
      retryAfterMs: 60_000,
    });
    expect(await stage.calls()).not.toContain("addons.remove");
    await stage.theatre.pass(60_000);
    expect(await stage.run("progress")).toMatchObject({ kind: "done" });
    expect(await stage.calls()).toEqual(["addons.list", "customHostname.get", "addons.remove", "addons.list"]);
  });

  it("is not removed for one answer that finds no hostname, where a look of long ago found none either", async () => {
    await stage.apply({ addons: { customDomain: true }, customHostname: { absent: true } });
    await stage.theatre.pass(3_600_000);
    await stage.apply({ addons: { customDomain: true } });
    await begunByHand();
    expect(await stage.start({ addons: { customDomain: false } })).toMatchObject({ reason: "AnswerUnconfirmed" });
    expect(await stage.calls()).not.toContain("addons.remove");
    expect(await state()).toBe("2_initiated");
  });

  it("is not removed for one answer that finds no hostname, where the one before was deleted long ago", async () => {
    await serve();
    await stage.apply({ addons: { customDomain: true }, customHostname: { absent: true } });
    await stage.apply({ addons: { customDomain: true } });
    await stage.theatre.pass(86_400_000);
    await begunByHand();
    expect(await stage.start({ addons: { customDomain: false } })).toMatchObject({ reason: "AnswerUnconfirmed" });
    expect(await stage.calls()).not.toContain("addons.remove");
    expect(await state()).toBe("2_initiated");
  });

  it("is removed once the hostname is to go too, and then nothing is left of either", async () => {
    await serve();
    await stage.apply({ addons: { customDomain: false } });
    await stage.apply({ addons: { customDomain: false }, customHostname: { absent: true } });
    expect(await stage.calls()).toEqual(expect.arrayContaining(["customHostname.delete", "addons.remove"]));
    expect(stage.entry("addons.customDomain")).toMatchObject({ state: "InSync" });
    expect(stage.condition("Ready")).toMatchObject({ status: "True" });
  });

  it("is not removed under a hostname whose deletion the platform refused", async () => {
    await serve();
    const fault = { kind: "status", status: 422, body: { message: "not now" } } as const;
    await stage.theatre.emulator.control.faults.add({ operation: "customHostname.delete", count: null, fault });
    await stage.apply({ addons: { customDomain: false }, customHostname: { absent: true } });
    expect(await stage.calls()).not.toContain("addons.remove");
    expect(await state()).toBe("5_services_reconfigured");
  });
});

describe("a custom hostname in service", () => {
  it("is kept where the platform answers its name in other letters' case", async () => {
    await serve();
    const { client, ref, theatre } = stage;
    const body = { ...(await client.customHostname.get({ ref })), custom_hostname: HOSTNAME.toUpperCase() };
    const fault = { kind: "status", status: 200, body } as const;
    await theatre.emulator.control.faults.add({ operation: "customHostname.get", count: null, fault });
    await stage.calls();
    expect(await stage.run()).toMatchObject({ kind: "done" });
    expect(await stage.calls()).toEqual(["addons.list", "customHostname.get"]);
    expect(stage.entry("customHostname")).toMatchObject({ state: "InSync" });
  });
});

describe("a vanity subdomain beside a custom hostname in service", () => {
  it("is told what is in its way, and not that its own name is taken", async () => {
    await stage.apply({ vanitySubdomain: { name: "shop" } });
    await serve();
    await stage.apply({ vanitySubdomain: { name: "shop" } });
    const { message = "" } = stage.entry("vanitySubdomain") ?? {};
    expect(stage.entry("vanitySubdomain")).toMatchObject({ state: "Failed", reason: "Rejected" });
    expect(message).toContain(`spec.vanitySubdomain.name: the custom hostname ${HOSTNAME} is in service`);
    expect(message).not.toContain("is taken");
    expect(await stage.calls()).not.toContain("vanitySubdomain.checkAvailability");
  });

  it("comes after the hostname that is to go, by one edit of both", async () => {
    await serve();
    await stage.apply({ customHostname: { absent: true }, vanitySubdomain: { name: "shop" } });
    expect(stage.entry("vanitySubdomain")).toMatchObject({ state: "InSync" });
    expect(await stage.client.vanitySubdomain.get({ ref: stage.ref })).toMatchObject({ status: "active" });
  });

  it("is a difference and no failure where the project is only observed", async () => {
    await serve();
    await stage.apply({ managementPolicy: "Observe", vanitySubdomain: { name: "shop" } });
    expect(stage.entry("vanitySubdomain")).toMatchObject({ state: "Drifted", fields: ["spec.vanitySubdomain.name"] });
  });
});

describe("what needs what is declared off", () => {
  it.each([
    {
      spec: { addons: { customDomain: false }, customHostname: { hostname: HOSTNAME } },
      says: "spec.addons.customDomain",
    },
    {
      spec: { vanitySubdomain: { name: "shop" }, customHostname: { hostname: HOSTNAME } },
      says: "spec.vanitySubdomain",
    },
    { spec: { instanceSize: "micro", addons: { pitr: "Days7" } }, says: "spec.addons.pitr" },
  ])("is refused: $says", ({ spec, says }) => {
    expect(refusal("Project", { organization: "acme", ...spec })).toContain(says);
  });

  it.each([
    { spec: { addons: { customDomain: false }, customHostname: { absent: true } } },
    { spec: { addons: { customDomain: true }, customHostname: { hostname: HOSTNAME } } },
    { spec: { addons: {}, customHostname: { hostname: HOSTNAME } } },
    { spec: { vanitySubdomain: { absent: true }, customHostname: { hostname: HOSTNAME } } },
    { spec: { vanitySubdomain: { name: "shop" }, customHostname: { absent: true } } },
    { spec: { instanceSize: "micro", addons: { pitr: "Off" } } },
    { spec: { instanceSize: "small", addons: { pitr: "Days7" } } },
    { spec: { addons: { pitr: "Days7" } } },
  ])("is not refused where nothing is in the way: $spec", ({ spec }) => {
    expect(refusal("Project", { organization: "acme", ...spec })).toBe("");
  });
});
