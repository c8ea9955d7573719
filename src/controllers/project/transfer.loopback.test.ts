import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Asked } from "../../../test/support/controllers/asked.ts";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";

/** A Project whose spec names another organization, with leave to be transferred there. */

let theatre: Theatre;
let asked: Asked;

beforeEach(open);
afterEach(() => theatre[Symbol.asyncDispose]());

async function open(): Promise<void> {
  theatre = await openTheatre();
  asked = new Asked(theatre);
  await theatre.emulator.control.state.seed({ organizations: [{ slug: "other", members: { owner: "Owner" } }] });
}

async function anotherTheatre(): Promise<void> {
  await theatre[Symbol.asyncDispose]();
  await open();
}

const SHOP = { organization: "acme", name: "shop", deletionPolicy: "Delete", transferPolicy: "Allow" };
const MOVED = { ...SHOP, organization: "other" };

async function withShop(spec: object = {}): Promise<Life> {
  asked.put("Project", "shop", { ...SHOP, ...spec });
  const life = await theatre.life();
  expect(await life.settle("Project", "shop")).toMatchObject({ kind: "done" });
  return life;
}

async function projects() {
  const state = await theatre.emulator.control.state.read({});
  return state.projects.map(({ name, organization }) => ({ name, organization }));
}

const inOther = [{ name: "shop", organization: "other" }];
const inAcme = [{ name: "shop", organization: "acme" }];

it("is transferred once, after a preview, and Ready again", async () => {
  const life = await withShop();
  asked.put("Project", "shop", MOVED);
  expect(await life.settle("Project", "shop")).toMatchObject({ kind: "done" });
  expect(await projects()).toEqual(inOther);
  expect(asked.project("shop")).toMatchObject({
    organization: "other",
    transfer: { from: "acme", to: "other", state: "Succeeded" },
  });
  expect(life.events.map(({ reason }) => reason)).toEqual(expect.arrayContaining(["Transferring", "Transferred"]));
  await life.run("Project", "shop");
  expect(await asked.calls("transfers.preview")).toBe(1);
  expect(await asked.calls("transfers.create")).toBe(1);
});

it("goes back again where the spec does", async () => {
  const life = await withShop();
  for (const spec of [MOVED, SHOP]) {
    asked.put("Project", "shop", spec);
    await life.settle("Project", "shop");
  }
  expect(await projects()).toEqual(inAcme);
  expect(await asked.calls("transfers.create")).toBe(2);
});

it("an operator that dies after any one request transfers it once", async () => {
  await withShop();
  asked.put("Project", "shop", MOVED);
  const counted = await theatre.life();
  await counted.settle("Project", "shop");
  const whole = counted.begun;
  expect(whole).toBeGreaterThan(5);
  for (let survived = 0; survived < whole; survived += 1) {
    await anotherTheatre();
    await withShop();
    asked.put("Project", "shop", MOVED);
    await (await theatre.life(survived)).settle("Project", "shop");
    expect(await (await theatre.life()).settle("Project", "shop")).toMatchObject({ kind: "done" });
    expect(await projects(), `died after ${survived} requests`).toEqual(inOther);
    expect(await asked.calls("transfers.create"), `died after ${survived} requests`).toBe(1);
    expect(asked.project("shop").transfer).toMatchObject({ state: "Succeeded" });
  }
}, 120_000);

describe("an answer that is lost", () => {
  it.each([
    { phase: "after", calls: 1, leastMs: 0, why: "of a transfer that was made" },
    { phase: "before", calls: 2, leastMs: 119_000, why: "of one that was not" },
  ] as const)("$why, ends in one transfer", async ({ phase, calls, leastMs }) => {
    const life = await withShop();
    await theatre.emulator.control.faults.add({ operation: "transfers.create", fault: { kind: "reset", phase } });
    asked.put("Project", "shop", MOVED);
    expect(await life.run("Project", "shop")).toMatchObject({ kind: "waiting", reason: "Transferring" });
    const began = theatre.clock.now();
    expect(await life.settle("Project", "shop")).toMatchObject({ kind: "done" });
    expect(await projects()).toEqual(inOther);
    expect(await asked.calls("transfers.create")).toBe(calls);
    expect(theatre.clock.now() - began).toBeGreaterThanOrEqual(leastMs);
  });

  it("does not make a stranger of the project where the spec went back meanwhile", async () => {
    const life = await withShop();
    await theatre.emulator.control.faults.add({
      operation: "transfers.create",
      fault: { kind: "reset", phase: "after" },
    });
    asked.put("Project", "shop", MOVED);
    await life.run("Project", "shop");
    asked.put("Project", "shop", SHOP);
    expect(await life.settle("Project", "shop")).toMatchObject({ kind: "done" });
    expect(await projects()).toEqual(inAcme);
  });
});

describe("what is in the way", () => {
  it("keeps the project where it is, in the platform's words, until it is put right", async () => {
    const life = await withShop();
    await theatre.emulator.control.state.seed({ projects: [{ name: "shop", organization: "other" }] });
    asked.put("Project", "shop", MOVED);
    expect(await life.settle("Project", "shop")).toMatchObject({
      kind: "terminal",
      reason: "TransferBlocked",
      message: expect.stringContaining("has a project named"),
      recheckAfterMs: 60_000,
    });
    expect(asked.project("shop").transfer).toMatchObject({
      state: "Blocked",
      errors: [expect.stringContaining("has a project named")],
    });
    expect(asked.condition("Project", "shop", "Stalled")).toMatchObject({ reason: "TransferBlocked" });
    expect(await asked.calls("transfers.create")).toBe(0);
    // A rename beside it would wait for the transfer, and that for the name: the project is renamed where it is.
    asked.put("Project", "shop", { ...SHOP, name: "store" });
    await life.settle("Project", "shop");
    expect(asked.project("shop").transfer).toBeUndefined();
    asked.put("Project", "shop", { ...MOVED, name: "store" });
    expect(await life.settle("Project", "shop")).toMatchObject({ kind: "done" });
  });

  it("and what it only warns of is told", async () => {
    const life = await withShop();
    asked.put("Branch", "preview", { projectRef: { name: "shop" } });
    await life.settle("Branch", "preview");
    asked.put("Project", "shop", MOVED);
    expect(await life.settle("Project", "shop")).toMatchObject({ kind: "done" });
    expect(asked.project("shop").transfer).toMatchObject({
      warnings: [expect.stringContaining("1 preview branches move with the project")],
    });
    expect(await life.settle("Branch", "preview")).toMatchObject({ kind: "done" });
  });

  it("may be that the preview was right and the transfer is refused all the same", async () => {
    const life = await withShop();
    await theatre.emulator.control.faults.add({
      operation: "transfers.create",
      fault: { kind: "status", status: 400, body: { message: "not today" }, phase: "before" },
    });
    asked.put("Project", "shop", MOVED);
    expect(await life.run("Project", "shop")).toMatchObject({
      kind: "terminal",
      reason: "TransferBlocked",
      message: expect.stringContaining("not today"),
    });
    await theatre.pass(60_000);
    expect(await life.settle("Project", "shop")).toMatchObject({ kind: "done" });
    expect(await projects()).toEqual(inOther);
  });
});

describe("nothing is transferred", () => {
  it.each([
    { spec: { ...MOVED, transferPolicy: "Never" }, says: "transferPolicy is Never", why: "without leave" },
    {
      spec: { ...MOVED, managementPolicy: "Observe" },
      says: "Observe transfers nothing",
      why: "where it only observes",
    },
  ])("$why", async ({ spec, says }) => {
    const life = await withShop();
    asked.put("Project", "shop", spec);
    expect(await life.settle("Project", "shop")).toMatchObject({
      kind: "terminal",
      reason: "InvalidSpec",
      message: expect.stringContaining(says),
    });
    expect(await asked.calls("transfers.preview")).toBe(0);
  });

  it.each([
    { allowed: ["acme"], why: "to an organization that the connection does not allow" },
    { allowed: ["other"], why: "from one" },
  ])("$why", async ({ allowed }) => {
    const life = await withShop();
    const { sessions } = life.environment;
    const session = sessions.get(`Connection/${NAMESPACE}/default`);
    if (session !== undefined) sessions.set({ ...session, allowedOrganizations: allowed });
    asked.put("Project", "shop", MOVED);
    expect(await life.settle("Project", "shop")).toMatchObject({ kind: "terminal", reason: "NotAllowed" });
    expect(await asked.calls("transfers.preview")).toBe(0);
  });

  it("of what somebody else moved: that is not brought back", async () => {
    const life = await withShop();
    const answer = await fetch(`${theatre.emulator.url}/v2/projects/${asked.project("shop").ref}/transfers`, {
      method: "POST",
      headers: { authorization: "Bearer token", "content-type": "application/json" },
      body: JSON.stringify({
        data: { type: "project_transfer_input", attributes: { target_organization_slug: "other" } },
      }),
    });
    expect(answer.status).toBe(200);
    expect(await life.run("Project", "shop")).toMatchObject({ kind: "terminal", reason: "OwnedElsewhere" });
    expect(await projects()).toEqual(inOther);
    // Who writes down where it is now follows it there; nothing is asked for.
    asked.put("Project", "shop", MOVED);
    expect(await life.settle("Project", "shop")).toMatchObject({ kind: "done" });
    expect(await asked.calls("transfers.preview")).toBe(0);
  });
});

it("an object that is deleted before its transfer was made takes the project with it", async () => {
  const life = await withShop();
  asked.put("Project", "shop", MOVED);
  theatre.kubernetes.delete("projects", NAMESPACE, "shop");
  await life.settle("Project", "shop");
  expect(theatre.kubernetes.get("projects", NAMESPACE, "shop")).toBeUndefined();
  expect(await projects()).toEqual([]);
});
