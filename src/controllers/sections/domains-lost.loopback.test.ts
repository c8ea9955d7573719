import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NAMESPACE } from "../../../test/support/controllers/life.ts";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";

/** A custom hostname whose deletion was not heard of, or that is said not to be there: what is gone is told, and what comes after it goes on. */

let stage: SectionStage;

beforeEach(async () => {
  stage = await openSectionStage({ seed: { organizations: [{ slug: "acme", name: "Acme", plan: "pro" }] } });
});

afterEach(() => stage[Symbol.asyncDispose]());

const HOSTNAME = "api.example.com";
const addons = { customDomain: true };
const declared = { addons, customHostname: { hostname: HOSTNAME } };
const other = { addons, customHostname: { hostname: "api.example.org" } };
const GONE = `${HOSTNAME} was deleted and serves no more`;

function declare(spec: object): void {
  stage.theatre.kubernetes.put("projects", {
    apiVersion: "baas.dev/v1alpha1",
    kind: "Project",
    metadata: { name: "shop", namespace: NAMESPACE },
    spec: { organization: "acme", ...spec },
  });
}

/** Declares the hostname and lets somebody create its DNS records. */
async function serve(): Promise<void> {
  await stage.start(declared);
  for (const { name, value } of stage.stored().customHostname?.records ?? []) {
    await stage.theatre.emulator.control.dns.set({ name, texts: [value] });
  }
  expect(await stage.run("progress")).toMatchObject({ kind: "done" });
}

async function fail(fault: "reset" | "500", phase: "before" | "after" = "after"): Promise<void> {
  const failure = fault === "reset" ? ({ kind: "reset" } as const) : ({ kind: "status", status: 500 } as const);
  const { faults } = stage.theatre.emulator.control;
  await faults.add({
    operation: "customHostname.delete",
    count: phase === "after" ? 1 : null,
    fault: { ...failure, phase },
  });
}

describe.each(["reset", "500"] as const)("[K-22] a deletion that arrived and was answered with a %s", (fault) => {
  it("is done: the other hostname is begun, and what is gone is told", async () => {
    await serve();
    await fail(fault);
    declare(other);
    await stage.life.runWhileTimePasses("Project", "shop");
    await stage.life.runWhileTimePasses("Project", "shop", "progress");

    expect(stage.entry("customHostname")).toMatchObject({ state: "Waiting", reason: "DnsPending" });
    expect(stage.entry("customHostname")?.message).toContain(GONE);
    expect(stage.stored().customHostname).toMatchObject({ hostname: "api.example.org" });
  });

  it("is done where none is to be had: in sync, with nothing told", async () => {
    await serve();
    await fail(fault);
    declare({ addons, customHostname: { absent: true } });
    await stage.life.runWhileTimePasses("Project", "shop");
    await stage.settle();

    expect(stage.entry("customHostname")).toMatchObject({ state: "InSync" });
    expect(stage.entry("customHostname")?.gone).toBeUndefined();
    expect(stage.stored().customHostname).toBeUndefined();
  });
});

describe("a custom hostname that is to be absent", () => {
  const absent = { addons, customHostname: { absent: true } };

  it("is not so for one 400, which says much: it is deleted by the next look", async () => {
    await serve();
    const fault = { kind: "status", status: 400, body: { message: "Bad Request" } } as const;
    await stage.theatre.emulator.control.faults.add({ operation: "customHostname.get", fault });
    expect(await stage.start(absent)).toMatchObject({ kind: "waiting", reason: "AnswerUnconfirmed" });
    await stage.theatre.pass(5000);
    await stage.run("progress");
    expect(stage.entry("customHostname")).toMatchObject({ state: "InSync" });
    expect(await stage.calls()).toContain("customHostname.delete");
  });

  it("where there never was one is so after seconds of which nobody is told", async () => {
    await stage.apply({ addons });
    const { kubernetes } = stage.theatre;
    const [told, writes] = [stage.life.events.length, kubernetes.writes];
    expect(await stage.start(absent)).toMatchObject({ kind: "waiting", untold: true });
    expect([stage.life.events.length, kubernetes.writes]).toEqual([told, writes]);
    expect(stage.condition("Ready")).toMatchObject({ status: "True" });
    await stage.theatre.pass(5000);
    expect(await stage.run("progress")).toMatchObject({ kind: "done" });
    expect(stage.entry("customHostname")).toMatchObject({ state: "InSync" });
  });

  it("and was so is, without another look, by an operator that starts as well", async () => {
    await stage.apply(absent);
    expect(stage.entry("customHostname")).toMatchObject({ state: "InSync" });
    const life = await stage.theatre.life();
    expect(await life.run("Project", "shop")).toMatchObject({ kind: "done" });
  });
});

describe("a vanity subdomain", () => {
  it.each(["Report", "Ignore"])(
    "whose deletion was sent and cannot be seen yet has that told: taken back at once under %s, the name is an edit",
    async (driftPolicy) => {
      const { faults } = stage.theatre.emulator.control;
      const named = { driftPolicy, vanitySubdomain: { name: "acme-shop" } };
      await stage.apply(named);
      expect(stage.entry("vanitySubdomain")).toMatchObject({ state: "InSync" });
      const fault = { kind: "status", status: 400, body: { message: "no" } } as const;
      await faults.add({ operation: "vanitySubdomain.get", skip: 1, fault });
      await faults.add({ operation: "organizations.get", count: null, fault: { kind: "status", status: 500 } });
      expect(await stage.start({ driftPolicy, vanitySubdomain: { absent: true } })).toMatchObject({
        kind: "waiting",
        reason: "AnswerUnconfirmed",
      });
      expect(stage.entry("vanitySubdomain")).not.toHaveProperty("applied");
      await faults.clear();
      await stage.apply(named);
      const found = await stage.client.vanitySubdomain.get({ ref: stage.ref });
      expect(found).toMatchObject({ status: "active" });
    },
  );

  it.each([403, 404, 500])(
    "that is to be absent is so of two looks where nothing tells the plan, and is asked for no plan once it is: %d",
    async (status) => {
      await stage[Symbol.asyncDispose]();
      stage = await openSectionStage({ seed: { organizations: [{ slug: "acme", name: "Acme", plan: "free" }] } });
      const fault = { kind: "status", status, body: { message: "no" } } as const;
      await stage.theatre.emulator.control.faults.add({ operation: "organizations.get", count: null, fault });
      expect(await stage.start({ vanitySubdomain: { absent: true } })).toMatchObject({
        kind: "waiting",
        reason: "AnswerUnconfirmed",
        untold: true,
      });
      await stage.theatre.pass(5000);
      expect(await stage.run("progress")).toMatchObject({ kind: "done" });
      expect(stage.entry("vanitySubdomain")).toMatchObject({ state: "InSync" });
      await stage.calls();
      await stage.theatre.pass(1_800_001);
      expect(await stage.run()).toMatchObject({ kind: "done" });
      expect(await stage.calls()).toEqual(["vanitySubdomain.get"]);
    },
  );
});

it("[K-22] a name that another object's status has of old, and its project has no more, is free", async () => {
  await serve();
  const { environment } = stage.life;
  const { account: identity = "" } = environment.sessions.get(`Connection/${NAMESPACE}/default`) ?? {};
  stage.theatre.kubernetes.put("projects", {
    apiVersion: "baas.dev/v1alpha1",
    kind: "Project",
    metadata: { name: "former", namespace: "elsewhere" },
    spec: { organization: "acme" },
    status: {
      ref: "a".repeat(20),
      connection: { kind: "Connection", name: "default", identity },
      customHostname: { hostname: "api.example.org", state: "5_services_reconfigured" },
    },
  });
  const log = async (operation: string): Promise<number> =>
    (await stage.theatre.emulator.control.log.read({})).entries.filter((entry) => entry.operation === operation).length;
  const deleted = await log("customHostname.delete");
  declare(other);
  await stage.run();
  expect(stage.entry("customHostname")).toMatchObject({ state: "Waiting", reason: "AnswerUnconfirmed" });
  expect(await log("customHostname.delete")).toBe(deleted);
  await stage.theatre.pass(59_999);
  await stage.run();
  expect(await log("customHostname.delete")).toBe(deleted);
  await stage.theatre.pass(1);
  await stage.run();
  expect(stage.stored().customHostname).toMatchObject({ hostname: "api.example.org" });
});

describe("[K-22] a hostname that serves, whose deletion is not heard of", () => {
  it("is told to be gone wherever the operator's life ended", async () => {
    for (let requests = 1; requests < 12; requests += 1) {
      await serve();
      declare(other);
      await (await stage.theatre.life(requests)).run("Project", "shop");
      await (await stage.theatre.life()).run("Project", "shop");
      await (await stage.theatre.life()).run("Project", "shop", "progress");
      expect([requests, stage.entry("customHostname")?.message]).toEqual([requests, expect.stringContaining(GONE)]);
      await stage.theatre.pass(120_000);
      declare({ addons, customHostname: { absent: true } });
      await (await stage.theatre.life()).settle("Project", "shop");
      await stage.theatre.pass(120_000);
    }
  });

  it("is not told to be gone where it is there still", async () => {
    await serve();
    await fail("500", "before");
    declare(other);
    await stage.life.runWhileTimePasses("Project", "shop");

    expect(stage.entry("customHostname")).toMatchObject({ state: "Waiting", reason: "ServerUnavailable" });
    expect(stage.entry("customHostname")?.gone).toBeUndefined();
    expect(stage.entry("customHostname")?.message).not.toContain(GONE);
    expect(stage.stored().customHostname).toMatchObject({ hostname: HOSTNAME });
  });
});
