import { describe, expect, it } from "vitest";
import { askedInEach } from "../../../test/support/controllers/asked-in-each.ts";
import { type Life, NAMESPACE } from "../../../test/support/controllers/life.ts";

/** A branch that is due to go while something that was asked of it is under way, or stands there unsent. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const inShop = { projectRef: { name: "shop" } };

const asked = askedInEach({ timings: { runningMigrationsMs: 10 * MINUTE_MS } });
let life: Life;

/** Work begins, and the ttl ends while it is under way. */
async function reachEndAmid(verb: string, spec: object = {}): Promise<void> {
  asked.put("Branch", "preview", { ...inShop, ...spec, ttl: "1h" });
  await life.settle("Branch", "preview");
  await asked.theatre.pass(Date.parse(asked.branch("preview").expiresAt ?? "") - asked.theatre.clock.now() - 5000);
  await asked.begin(life, "Branch", "preview", verb);
  await asked.theatre.pass(10_000);
}

/** Looks at the branch every minute until that is asked for its deletion. @returns milliseconds until then */
async function untilDeletion(): Promise<number> {
  const beganMs = asked.theatre.clock.now();
  for (let looks = 0; looks < 100; looks += 1) {
    await life.run("Branch", "preview", "progress");
    if ((await asked.calls("branches.delete")) > 0) break;
    await asked.theatre.pass(MINUTE_MS);
  }
  return asked.theatre.clock.now() - beganMs;
}

describe.each(["merge", "push", "reset"])("a %s that is under way", (verb) => {
  it("is not cut off by the end of the ttl, and its outcome is told", async () => {
    life = await asked.withPreview();
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
    life = await asked.withPreview();
    await asked.begin(life, "Branch", "preview", verb);
    asked.theatre.kubernetes.delete("branches", NAMESPACE, "preview");
    expect(await life.run("Branch", "preview")).toMatchObject({ kind: "waiting", reason: "Deleting" });
    expect(asked.condition("Branch", "preview", "Ready")).toMatchObject({
      message: expect.stringContaining(`the object is deleted: the branch is deleted once its ${verb} 1 is done`),
    });
    expect(await asked.calls("branches.delete")).toBe(0);
    await life.settle("Branch", "preview");
    expect(asked.theatre.kubernetes.get("branches", NAMESPACE, "preview")).toBeUndefined();
    expect(life.events.map(({ reason }) => reason)).toContain("RequestSucceeded");
    expect(await asked.calls("branches.delete")).toBeGreaterThan(0);
  });
});

/** No action run of the branch gets any further. */
async function hangAtMigrations(): Promise<void> {
  await asked.theatre.emulator.control.branches.hold({ refOrName: "preview", at: "RUNNING_MIGRATIONS" });
}

describe("an action run that does not end", () => {
  it("is waited for at the end of the ttl for an hour, and its outcome is unknown then", async () => {
    life = await asked.withPreview();
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
    life = await asked.withPreview({ deletionTimeout: "15m" });
    await hangAtMigrations();
    await asked.begin(life, "Branch", "preview", "push");
    asked.theatre.kubernetes.delete("branches", NAMESPACE, "preview");
    const waitedMs = await untilDeletion();
    expect(waitedMs).toBeGreaterThan(11 * MINUTE_MS);
    expect(waitedMs).toBeLessThan(15 * MINUTE_MS);
    await life.settle("Branch", "preview");
    expect(asked.theatre.kubernetes.get("branches", NAMESPACE, "preview")).toBeUndefined();
    expect(life.events.map(({ reason }) => reason)).toContain("RequestUnknown");
  });
});

describe("an action run that nobody followed for longer than it may keep a branch", () => {
  it.each(["ttl", "object"])("is given two minutes by the next operator: at the end of the %s", async (end) => {
    life = await asked.withPreview();
    await hangAtMigrations();
    if (end === "ttl") await reachEndAmid("push");
    else await asked.begin(life, "Branch", "preview", "push");
    if (end === "object") asked.theatre.kubernetes.delete("branches", NAMESPACE, "preview");
    await asked.theatre.pass(2 * HOUR_MS);
    life = await asked.theatre.life();
    await life.run("Project", "shop");
    const waitedMs = await untilDeletion();
    expect(waitedMs).toBeGreaterThan(MINUTE_MS);
    expect(waitedMs).toBeLessThanOrEqual(3 * MINUTE_MS);
    expect(await asked.calls("branches.delete")).toBe(1);
  });
});

it("an action run that is under way at the end of another ttl, which nobody watched, is given two minutes, too", async () => {
  life = await asked.withPreview();
  await hangAtMigrations();
  await reachEndAmid("push");
  await life.run("Branch", "preview", "progress");
  expect(asked.requests("Branch", "preview", "push")).toMatchObject([{ state: "Running" }]);
  asked.put("Branch", "preview", { ...inShop, ttl: "3h" });
  await life.run("Branch", "preview");
  await asked.theatre.pass(5 * HOUR_MS);
  const waitedMs = await untilDeletion();
  expect(waitedMs).toBeGreaterThan(MINUTE_MS);
  expect(waitedMs).toBeLessThanOrEqual(3 * MINUTE_MS);
});

describe("what stands unsent", () => {
  it.each(["ttl", "object"])(
    "at the end of the %s is refused in words, also behind a merge that is waited for",
    async (end) => {
      life = await asked.withPreview();
      if (end === "ttl") await reachEndAmid("merge");
      else await asked.begin(life, "Branch", "preview", "merge");
      asked.ask("Branch", "preview", "reset", "2");
      if (end === "object") asked.theatre.kubernetes.delete("branches", NAMESPACE, "preview");
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
    await asked.theatre.emulator.control.settings.patch({ timings: { runningMigrationsMs: 0 } });
    life = await asked.withPreview();
    asked.put("Branch", "preview", { ...inShop, ttl: "1h" });
    await life.settle("Branch", "preview");
    await asked.theatre.pass(2 * HOUR_MS);
    await asked.theatre.emulator.control.projects.remove({ ref: asked.branch("preview").ref ?? "" });
    asked.ask("Branch", "preview", "reset", "2");
    await life.settle("Branch", "preview");
    expect(asked.condition("Branch", "preview", "Expired")).toMatchObject({ status: "True" });
    expect(asked.requests("Branch", "preview", "reset")).toMatchObject([{ state: "Refused" }]);
  });
});

describe("requests of what is gone come to an end in the run that believes that", () => {
  it("of a persistent branch", async () => {
    life = await asked.withPreview({ persistent: true });
    await asked.begin(life, "Branch", "preview", "restart");
    asked.ask("Branch", "preview", "reset", "2");
    await asked.theatre.emulator.control.projects.remove({ ref: asked.branch("preview").ref ?? "" });
    await asked.theatre.pass(MINUTE_MS);
    expect(await life.settle("Branch", "preview")).toMatchObject({ kind: "terminal", reason: "RemoteMissing" });
    expect(asked.requests("Branch", "preview", "restart")).toMatchObject([{ state: "Running" }]);
    await asked.theatre.pass(MINUTE_MS);
    await life.run("Branch", "preview");
    expect(asked.requests("Branch", "preview", "restart")).toMatchObject([
      { state: "Unknown", message: expect.stringContaining("the branch does not exist any more") },
    ]);
    expect(asked.requests("Branch", "preview", "reset")).toMatchObject([{ state: "Refused" }]);
    expect(asked.condition("Branch", "preview", "RequestFailed")).toMatchObject({ reason: "RequestUnknown" });
  });

  it("of a project, and of the branches in it", async () => {
    life = await asked.withPreview();
    await asked.begin(life, "Branch", "preview", "merge");
    asked.ask("Project", "shop", "restart", "1");
    await life.run("Project", "shop");
    expect(asked.requests("Project", "shop", "restart")).toMatchObject([{ state: "Running" }]);
    asked.ask("Project", "shop", "allow-writes", "2");
    asked.ask("Branch", "preview", "reset", "2");
    await asked.theatre.emulator.control.projects.remove({ ref: asked.shopRef() });
    expect(await life.settle("Project", "shop")).toMatchObject({ kind: "terminal", reason: "RemoteMissing" });
    await life.run("Branch", "preview");
    expect(asked.requests("Project", "shop", "restart")).toMatchObject([{ state: "Running" }]);
    expect(asked.requests("Branch", "preview", "merge")).toMatchObject([{ state: "Running" }]);
    await asked.theatre.pass(MINUTE_MS);
    await life.run("Project", "shop");
    expect(asked.requests("Project", "shop", "restart")).toMatchObject([
      { state: "Unknown", message: expect.stringContaining("the project does not exist any more") },
    ]);
    expect(asked.requests("Project", "shop", "allow-writes")).toMatchObject([{ state: "Refused" }]);
    expect(await life.run("Branch", "preview")).toMatchObject({ reason: "ParentStalled" });
    expect(asked.requests("Branch", "preview", "merge")).toMatchObject([{ state: "Unknown" }]);
    expect(asked.requests("Branch", "preview", "reset")).toMatchObject([{ state: "Refused" }]);
  });
});
