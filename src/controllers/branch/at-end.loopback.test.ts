import { afterEach, describe, expect, it } from "vitest";
import { Asked } from "../../../test/support/controllers/asked.ts";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";

/** A branch that is due to go while something that was asked of it is under way, or stands there unsent. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const inShop = { projectRef: { name: "shop" } };

let theatre: Theatre;
let asked: Asked;
let life: Life;

afterEach(() => theatre[Symbol.asyncDispose]());

/** A Branch that is at rest, where an action run takes so long. */
async function withPreview(runningMigrationsMs: number, spec: object = {}): Promise<void> {
  theatre = await openTheatre({ timings: { runningMigrationsMs } });
  asked = new Asked(theatre);
  life = await asked.withShop();
  asked.put("Branch", "preview", { ...inShop, ...spec });
  expect(await life.settle("Branch", "preview")).toMatchObject({ kind: "done" });
}

/** Asks for work, which begins. */
async function begin(verb: string): Promise<void> {
  asked.ask("Branch", "preview", verb, "1");
  await life.run("Branch", "preview");
  expect(asked.requests("Branch", "preview", verb)).toMatchObject([{ state: "Running" }]);
}

/** Work begins, and the ttl ends while it is under way. */
async function reachEndAmid(verb: string, spec: object = {}): Promise<void> {
  asked.put("Branch", "preview", { ...inShop, ...spec, ttl: "1h" });
  await life.settle("Branch", "preview");
  await theatre.pass(Date.parse(asked.branch("preview").expiresAt ?? "") - theatre.clock.now() - 5000);
  await begin(verb);
  await theatre.pass(10_000);
}

/** Looks at the branch every minute until that is asked for its deletion. @returns milliseconds until then */
async function untilDeletion(): Promise<number> {
  const beganMs = theatre.clock.now();
  for (let looks = 0; looks < 100; looks += 1) {
    await life.run("Branch", "preview", "progress");
    if ((await asked.calls("branches.delete")) > 0) break;
    await theatre.pass(MINUTE_MS);
  }
  return theatre.clock.now() - beganMs;
}

describe.each(["merge", "push", "reset"])("a %s that is under way", (verb) => {
  it("is not cut off by the end of the ttl, and its outcome is told", async () => {
    await withPreview(10 * MINUTE_MS);
    await reachEndAmid(verb);
    expect(await life.run("Branch", "preview")).toMatchObject({ kind: "waiting", reason: "Deleting" });
    expect(asked.condition("Branch", "preview", "Ready")).toMatchObject({
      message: expect.stringContaining(`the ttl of the branch ended: the branch is deleted once its ${verb} 1 is done`),
    });
    expect(await asked.calls("branches.delete")).toBe(0);
    await life.settle("Branch", "preview");
    expect(asked.requests("Branch", "preview", verb)).toMatchObject([{ state: "Succeeded" }]);
    expect(asked.condition("Branch", "preview", "Expired")).toMatchObject({ status: "True" });
    expect(await asked.calls("branches.delete")).toBeGreaterThan(0);
  });

  it("is not cut off by the deletion of the object, and its outcome is told", async () => {
    await withPreview(10 * MINUTE_MS);
    await begin(verb);
    theatre.kubernetes.delete("branches", NAMESPACE, "preview");
    expect(await life.run("Branch", "preview")).toMatchObject({ kind: "waiting", reason: "Deleting" });
    expect(asked.condition("Branch", "preview", "Ready")).toMatchObject({
      message: expect.stringContaining(`the object is deleted: the branch is deleted once its ${verb} 1 is done`),
    });
    expect(await asked.calls("branches.delete")).toBe(0);
    await life.settle("Branch", "preview");
    expect(theatre.kubernetes.get("branches", NAMESPACE, "preview")).toBeUndefined();
    expect(life.events.map(({ reason }) => reason)).toContain("RequestSucceeded");
    expect(await asked.calls("branches.delete")).toBeGreaterThan(0);
  });
});

/** No action run of the branch gets any further. */
async function hangAtMigrations(): Promise<void> {
  await theatre.emulator.control.branches.hold({ refOrName: "preview", at: "RUNNING_MIGRATIONS" });
}

describe("an action run that does not end", () => {
  it("is waited for at the end of the ttl for an hour, and its outcome is unknown then", async () => {
    await withPreview(10 * MINUTE_MS);
    await hangAtMigrations();
    await reachEndAmid("push");
    const waitedMs = await untilDeletion();
    expect(waitedMs).toBeGreaterThan(58 * MINUTE_MS);
    expect(waitedMs).toBeLessThan(62 * MINUTE_MS);
    await life.settle("Branch", "preview");
    expect(asked.requests("Branch", "preview", "push")).toMatchObject([{ state: "Unknown" }]);
    expect(asked.condition("Branch", "preview", "RequestFailed")).toMatchObject({ reason: "RequestUnknown" });
    expect(asked.condition("Branch", "preview", "Expired")).toMatchObject({ status: "True" });
  });

  it("is waited for at the deletion of the object until there is just the time left for that", async () => {
    await withPreview(10 * MINUTE_MS, { deletionTimeout: "15m" });
    await hangAtMigrations();
    await begin("push");
    theatre.kubernetes.delete("branches", NAMESPACE, "preview");
    const waitedMs = await untilDeletion();
    expect(waitedMs).toBeGreaterThan(11 * MINUTE_MS);
    expect(waitedMs).toBeLessThan(15 * MINUTE_MS);
    await life.settle("Branch", "preview");
    expect(theatre.kubernetes.get("branches", NAMESPACE, "preview")).toBeUndefined();
    expect(life.events.map(({ reason }) => reason)).toContain("RequestUnknown");
  });
});

describe("an action run that nobody followed for longer than it may keep a branch", () => {
  it.each(["ttl", "object"])("is given two minutes by the next operator: at the end of the %s", async (end) => {
    await withPreview(10 * MINUTE_MS);
    await hangAtMigrations();
    if (end === "ttl") await reachEndAmid("push");
    else await begin("push");
    if (end === "object") theatre.kubernetes.delete("branches", NAMESPACE, "preview");
    await theatre.pass(2 * HOUR_MS);
    life = await theatre.life();
    await life.run("Project", "shop");
    const waitedMs = await untilDeletion();
    expect(waitedMs).toBeGreaterThan(MINUTE_MS);
    expect(waitedMs).toBeLessThanOrEqual(3 * MINUTE_MS);
    expect(await asked.calls("branches.delete")).toBe(1);
  });
});

describe("what stands unsent", () => {
  it.each(["ttl", "object"])(
    "at the end of the %s is refused in words, also behind a merge that is waited for",
    async (end) => {
      await withPreview(10 * MINUTE_MS);
      if (end === "ttl") await reachEndAmid("merge");
      else await begin("merge");
      asked.ask("Branch", "preview", "reset", "2");
      if (end === "object") theatre.kubernetes.delete("branches", NAMESPACE, "preview");
      await life.run("Branch", "preview");
      const why = end === "ttl" ? "the ttl of the branch ended" : "the object is deleted";
      expect(asked.requests("Branch", "preview", "reset")).toMatchObject([
        { state: "Refused", message: `nothing was sent: ${why}` },
      ]);
      await life.settle("Branch", "preview");
      expect(await asked.calls("branches.reset")).toBe(0);
    },
  );

  it("is refused in the run that finds the branch gone at the end of its ttl", async () => {
    await withPreview(0);
    asked.put("Branch", "preview", { ...inShop, ttl: "1h" });
    await life.settle("Branch", "preview");
    await theatre.pass(2 * HOUR_MS);
    await theatre.emulator.control.projects.remove({ ref: asked.branch("preview").ref ?? "" });
    asked.ask("Branch", "preview", "reset", "2");
    await life.settle("Branch", "preview");
    expect(asked.condition("Branch", "preview", "Expired")).toMatchObject({ status: "True" });
    expect(asked.requests("Branch", "preview", "reset")).toMatchObject([{ state: "Refused" }]);
  });
});

describe("requests of what is gone come to an end in the run that believes that", () => {
  it("of a persistent branch", async () => {
    await withPreview(10 * MINUTE_MS, { persistent: true });
    await begin("restart");
    asked.ask("Branch", "preview", "reset", "2");
    await theatre.emulator.control.projects.remove({ ref: asked.branch("preview").ref ?? "" });
    await theatre.pass(MINUTE_MS);
    expect(await life.settle("Branch", "preview")).toMatchObject({ kind: "terminal", reason: "RemoteMissing" });
    expect(asked.requests("Branch", "preview", "restart")).toMatchObject([
      { state: "Unknown", message: expect.stringContaining("the branch does not exist any more") },
    ]);
    expect(asked.requests("Branch", "preview", "reset")).toMatchObject([{ state: "Refused" }]);
    expect(asked.condition("Branch", "preview", "RequestFailed")).toMatchObject({ reason: "RequestUnknown" });
  });

  it("of a project, and of the branches in it", async () => {
    await withPreview(10 * MINUTE_MS);
    await begin("merge");
    asked.ask("Project", "shop", "restart", "1");
    await life.run("Project", "shop");
    expect(asked.requests("Project", "shop", "restart")).toMatchObject([{ state: "Running" }]);
    asked.ask("Project", "shop", "allow-writes", "2");
    asked.ask("Branch", "preview", "reset", "2");
    await theatre.emulator.control.projects.remove({ ref: asked.shopRef() });
    expect(await life.settle("Project", "shop")).toMatchObject({ kind: "terminal", reason: "RemoteMissing" });
    expect(asked.requests("Project", "shop", "restart")).toMatchObject([
      { state: "Unknown", message: expect.stringContaining("the project does not exist any more") },
    ]);
    expect(asked.requests("Project", "shop", "allow-writes")).toMatchObject([{ state: "Refused" }]);
    expect(await life.run("Branch", "preview")).toMatchObject({ reason: "ParentStalled" });
    expect(asked.requests("Branch", "preview", "merge")).toMatchObject([{ state: "Unknown" }]);
    expect(asked.requests("Branch", "preview", "reset")).toMatchObject([{ state: "Refused" }]);
  });
});
