import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Asked } from "../../../test/support/controllers/asked.ts";
import { type Life, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";

/** A Project whose declared version of the database is another than the one that there is. */

const REF = "abcdefghijklmnopqrst";

let theatre: Theatre;
let asked: Asked;

beforeEach(open);
afterEach(() => theatre[Symbol.asyncDispose]());

async function open(): Promise<void> {
  theatre = await openTheatre();
  asked = new Asked(theatre);
  await theatre.emulator.control.state.seed({
    projects: [{ name: "shop", ref: REF, organization: "acme", postgresVersion: "15.8.1.085" }],
  });
}

async function anotherTheatre(): Promise<void> {
  await theatre[Symbol.asyncDispose]();
  await open();
}

const SHOP = { organization: "acme", ref: REF };
const RAISED = { ...SHOP, database: { version: "17" } };

async function withShop(spec: object = {}): Promise<Life> {
  asked.put("Project", "shop", { ...SHOP, ...spec });
  const life = await theatre.life();
  expect(await life.settle("Project", "shop")).toMatchObject({ kind: "done" });
  return life;
}

/** The engine that the platform says the project has. */
async function engine(): Promise<string> {
  const headers = { authorization: "Bearer token" };
  const answer = await fetch(`${theatre.emulator.url}/v1/projects/${REF}`, { headers });
  const body = (await answer.json()) as { database: { postgres_engine: string } };
  return body.database.postgres_engine;
}

it("is upgraded once, with the progress told, and Ready when it is over", async () => {
  const life = await withShop({ database: { version: "15" } });
  expect(await asked.calls("upgrades.eligibility")).toBe(0);
  asked.put("Project", "shop", RAISED);
  expect(await life.run("Project", "shop")).toMatchObject({ kind: "waiting", reason: "Upgrading" });
  expect(asked.project("shop").upgrade).toMatchObject({ from: "15", to: "17", state: "Running" });
  await theatre.pass(3000);
  expect(await life.run("Project", "shop", "progress")).toMatchObject({
    kind: "waiting",
    message: expect.stringMatching(/UPGRADING to version 17: \d+_\w+$/u),
  });
  expect(asked.project("shop").upgrade).toMatchObject({ progress: expect.stringMatching(/^\d+_/u) });
  expect(await life.settle("Project", "shop")).toMatchObject({ kind: "done" });
  expect(await engine()).toBe("17");
  expect(asked.project("shop").upgrade).toMatchObject({ state: "Succeeded", progress: expect.stringMatching(/^10_/u) });
  await life.run("Project", "shop", "drift");
  expect(await asked.calls("upgrades.start")).toBe(1);
  const told = life.events.map(({ reason }) => reason).filter((reason) => reason.startsWith("Upgrad"));
  // Each step of the platform's is told as it is seen.
  expect([told[0], told.at(-1), told.filter((reason) => reason === "Upgraded").length]).toEqual([
    "Upgrading",
    "Upgraded",
    1,
  ]);
});

it("an operator that dies after any one request upgrades it once", async () => {
  await withShop();
  asked.put("Project", "shop", RAISED);
  const counted = await theatre.life();
  await counted.settle("Project", "shop");
  const whole = Math.min(counted.begun, 11);
  expect(whole).toBeGreaterThan(6);
  for (let survived = 0; survived < whole; survived += 1) {
    await anotherTheatre();
    await withShop();
    asked.put("Project", "shop", RAISED);
    await (await theatre.life(survived)).settle("Project", "shop");
    expect(await (await theatre.life()).settle("Project", "shop")).toMatchObject({ kind: "done" });
    expect(await engine(), `died after ${survived} requests`).toBe("17");
    expect(await asked.calls("upgrades.start"), `died after ${survived} requests`).toBe(1);
    expect(asked.project("shop").upgrade).toMatchObject({ state: "Succeeded" });
  }
}, 120_000);

it.each([
  { phase: "after", calls: 1, why: "of an upgrade that has begun" },
  { phase: "before", calls: 2, why: "of one that has not" },
] as const)("an answer that is lost $why ends in one upgrade", async ({ phase, calls }) => {
  const life = await withShop();
  await theatre.emulator.control.faults.add({ operation: "upgrades.start", fault: { kind: "reset", phase } });
  asked.put("Project", "shop", RAISED);
  await life.run("Project", "shop");
  expect(await life.settle("Project", "shop")).toMatchObject({ kind: "done" });
  expect(await engine()).toBe("17");
  expect(await asked.calls("upgrades.start")).toBe(calls);
});

it("is not asked for again before it is certain that a lost request did not arrive", async () => {
  const life = await withShop();
  const fault = { kind: "reset", phase: "before" } as const;
  await theatre.emulator.control.faults.add({ operation: "upgrades.start", fault });
  asked.put("Project", "shop", RAISED);
  for (let look = 0; look < 10; look += 1) {
    expect(await life.run("Project", "shop", "progress")).toMatchObject({ kind: "waiting", reason: "Upgrading" });
    expect(await asked.calls("upgrades.start")).toBe(1);
    await theatre.pass(10_000);
  }
  await theatre.pass(60_000);
  await life.settle("Project", "shop");
  expect(await asked.calls("upgrades.start")).toBe(2);
});

describe("what stands in the way", () => {
  it("is listed, and nothing is asked for until it is gone", async () => {
    const life = await withShop();
    await theatre.emulator.control.upgrades.obstruct({
      ref: REF,
      validationErrors: [{ type: "active_replication_slot", dependents: ["copy"] }],
      unsupportedExtensions: ["plv8"],
      warnings: ["slow"],
    });
    asked.put("Project", "shop", RAISED);
    expect(await life.settle("Project", "shop")).toMatchObject({
      kind: "terminal",
      reason: "UpgradeBlocked",
      message: expect.stringContaining("active_replication_slot: copy"),
      recheckAfterMs: 600_000,
    });
    expect(asked.project("shop").upgrade).toMatchObject({
      state: "Blocked",
      blockers: expect.arrayContaining(["active_replication_slot: copy", "unsupported extensions: plv8"]),
      warnings: ["slow"],
    });
    expect(await asked.calls("upgrades.start")).toBe(0);
    await theatre.emulator.control.upgrades.obstruct({ ref: REF });
    await theatre.pass(600_000);
    expect(await life.settle("Project", "shop")).toMatchObject({ kind: "done" });
    expect(await engine()).toBe("17");
  });

  it("is among it what would be dropped", async () => {
    const life = await withShop();
    await theatre.emulator.control.upgrades.obstruct({ ref: REF, objectsToBeDropped: ["public.old"] });
    asked.put("Project", "shop", RAISED);
    expect(await life.settle("Project", "shop")).toMatchObject({ kind: "terminal", reason: "UpgradeBlocked" });
    expect(await asked.calls("upgrades.start")).toBe(0);
  });

  it("is forgotten with the declared version", async () => {
    const life = await withShop();
    await theatre.emulator.control.upgrades.obstruct({ ref: REF, objectsToBeDropped: ["public.old"] });
    asked.put("Project", "shop", RAISED);
    await life.settle("Project", "shop");
    asked.put("Project", "shop", SHOP);
    expect(await life.settle("Project", "shop")).toMatchObject({ kind: "done" });
    expect(asked.project("shop").upgrade).toBeUndefined();
  });
});

it("that fails is not begun again by itself: the platform's error is told, and writing the version anew tries again", async () => {
  const life = await withShop();
  await theatre.emulator.control.upgrades.obstruct({ ref: REF, nextError: "5_data_upgrade_completion_failed" });
  asked.put("Project", "shop", RAISED);
  expect(await life.settle("Project", "shop")).toMatchObject({
    kind: "terminal",
    reason: "UpgradeFailed",
    message: expect.stringContaining("5_data_upgrade_completion_failed"),
  });
  expect(asked.project("shop").upgrade).toMatchObject({ state: "Failed", error: "5_data_upgrade_completion_failed" });
  await theatre.pass(600_000);
  expect(await life.settle("Project", "shop")).toMatchObject({ kind: "terminal", reason: "UpgradeFailed" });
  asked.put("Project", "shop", { ...RAISED, name: "renamed" });
  expect(await life.settle("Project", "shop")).toMatchObject({ kind: "terminal", reason: "UpgradeFailed" });
  expect(await asked.calls("upgrades.start"), "another edit is no new try").toBe(1);
  asked.put("Project", "shop", SHOP);
  expect(await life.settle("Project", "shop")).toMatchObject({ kind: "done" });
  asked.put("Project", "shop", RAISED);
  expect(await life.settle("Project", "shop")).toMatchObject({ kind: "done" });
  expect(await engine()).toBe("17");
});

describe("a version", () => {
  it("is never brought down", async () => {
    const life = await withShop({ database: { version: "17" } });
    asked.put("Project", "shop", { ...SHOP, database: { version: "15" } });
    expect(await life.settle("Project", "shop")).toMatchObject({
      kind: "terminal",
      reason: "InvalidSpec",
      message: expect.stringContaining("never brought down to 15"),
    });
    expect(await asked.calls("upgrades.start")).toBe(1);
  });

  it("that the platform does not offer is said so", async () => {
    const life = await withShop();
    asked.put("Project", "shop", { ...SHOP, database: { version: "17-oriole" } });
    expect(await life.settle("Project", "shop")).toMatchObject({
      kind: "terminal",
      reason: "UpgradeBlocked",
      message: expect.stringContaining("offers no upgrade to 17-oriole"),
    });
  });

  it("is only a difference where the object observes", async () => {
    const life = await withShop({ managementPolicy: "Observe" });
    asked.put("Project", "shop", { ...RAISED, managementPolicy: "Observe" });
    expect(await life.settle("Project", "shop")).toMatchObject({ kind: "done" });
    expect(asked.condition("Project", "shop", "Drifted")).toMatchObject({
      message: expect.stringContaining("spec.database.version"),
    });
    expect(await asked.calls("upgrades.start")).toBe(0);
  });

  it("of a paused project is raised when it runs", async () => {
    const life = await withShop({ state: "Paused" });
    asked.put("Project", "shop", { ...RAISED, state: "Paused" });
    expect(await life.run("Project", "shop")).toMatchObject({
      kind: "waiting",
      reason: "Updating",
      message: "the database is upgraded to version 17 once the project runs",
    });
    expect(await asked.calls("upgrades.start")).toBe(0);
    asked.put("Project", "shop", { ...RAISED, state: "Running" });
    expect(await life.settle("Project", "shop")).toMatchObject({ kind: "done" });
    expect(await engine()).toBe("17");
  });
});

describe("a maintenance window", () => {
  /** One that opens in two hours, on the platform's clock. */
  function inTwoHours(): object {
    const start = new Date(theatre.clock.now() + 7_200_000).toISOString().slice(11, 16);
    return { start, duration: "1h" };
  }

  it("is waited for, also after the edit, while all else goes on", async () => {
    const life = await withShop();
    asked.put("Project", "shop", { ...RAISED, name: "renamed", maintenanceWindow: inTwoHours() });
    expect(await life.run("Project", "shop")).toMatchObject({
      kind: "waiting",
      reason: "AwaitingWindow",
      message: expect.stringContaining("when the maintenance window opens"),
      retryAfterMs: 600_000,
    });
    expect(asked.project("shop")).toMatchObject({ name: "renamed", upgrade: { state: "Waiting", to: "17" } });
    await theatre.pass(6_000_000);
    expect(await life.run("Project", "shop", "progress")).toMatchObject({ kind: "waiting", reason: "AwaitingWindow" });
    expect(await asked.calls("upgrades.start")).toBe(0);
    await theatre.pass(1_200_000);
    expect(await life.settle("Project", "shop")).toMatchObject({ kind: "done" });
    expect(await engine()).toBe("17");
  });

  it("says what is in the way before it opens", async () => {
    const life = await withShop();
    await theatre.emulator.control.upgrades.obstruct({ ref: REF, unsupportedExtensions: ["plv8"] });
    asked.put("Project", "shop", { ...RAISED, maintenanceWindow: inTwoHours() });
    expect(await life.run("Project", "shop")).toMatchObject({ kind: "terminal", reason: "UpgradeBlocked" });
  });
});

it("what came of the upgrade of a project that is gone says nothing of the one that was made in its place", async () => {
  const life = await withShop();
  asked.put("Project", "shop", { ...RAISED, ref: undefined });
  expect(await life.settle("Project", "shop")).toMatchObject({ kind: "done" });
  expect(asked.project("shop").upgrade).toMatchObject({ ref: REF, state: "Succeeded" });
  await theatre.emulator.control.projects.remove({ ref: REF });
  asked.put("Project", "shop", { ...RAISED, ref: undefined }, { "baas.dev/recreate": REF });
  expect(await life.settle("Project", "shop")).toMatchObject({ kind: "done" });
  expect(asked.project("shop").ref).not.toBe(REF);
  expect(asked.project("shop").upgrade).toBeUndefined();
});
