import { beforeEach, describe, expect, it } from "vitest";
import { askedInEach } from "../../../test/support/controllers/asked-in-each.ts";
import type { Life } from "../../../test/support/controllers/life.ts";

/** Requests whose effect outlives what they were asked of: the action runs of a branch are its project's, and tell when the branch is gone. */

const MINUTE_MS = 60_000;
const inShop = { projectRef: { name: "shop" } };

const asked = askedInEach({ timings: { runningMigrationsMs: 10 * MINUTE_MS } });
let life: Life;

beforeEach(async () => {
  life = await asked.withShop();
});

async function withPreview(spec: object): Promise<void> {
  asked.put("Branch", "preview", { ...inShop, ...spec });
  expect(await life.settle("Branch", "preview")).toMatchObject({ kind: "done" });
}

async function begin(verb: string): Promise<void> {
  asked.ask("Branch", "preview", verb, "1");
  await life.run("Branch", "preview");
  expect(asked.requests("Branch", "preview", verb)).toMatchObject([{ state: "Running" }]);
}

/** Somebody deletes the branch on the platform. */
async function lose(): Promise<void> {
  await asked.theatre.emulator.control.projects.remove({ ref: asked.branch("preview").ref ?? "" });
  await asked.theatre.pass(MINUTE_MS);
}

describe.each(["merge", "push", "reset"])("a %s of a branch that is gone", (verb) => {
  it("is followed to its end where the branch is not made again", async () => {
    await withPreview({ persistent: true });
    await begin(verb);
    await lose();
    expect(await life.settle("Branch", "preview")).toMatchObject({ kind: "terminal", reason: "RemoteMissing" });
    expect(asked.requests("Branch", "preview", verb)).toMatchObject([{ state: "Running" }]);
    await asked.theatre.pass(11 * MINUTE_MS);
    await life.run("Branch", "preview", "progress");
    expect(asked.requests("Branch", "preview", verb)).toMatchObject([{ state: "Succeeded" }]);
  });

  it("is followed to its end where another one is made in its place", async () => {
    await withPreview({});
    const { ref } = asked.branch("preview");
    await begin(verb);
    await lose();
    await life.settle("Branch", "preview");
    expect(asked.branch("preview").ref).not.toBe(ref);
    await asked.theatre.pass(11 * MINUTE_MS);
    await asked.settle(life, "Branch", "preview");
    expect(asked.requests("Branch", "preview", verb)).toMatchObject([{ state: "Succeeded" }]);
    expect(await asked.calls(`branches.${verb}`)).toBe(1);
  });

  it("is followed to its end where its ttl is over", async () => {
    await withPreview({ ttl: "1h" });
    await asked.theatre.pass(
      Date.parse(asked.branch("preview").expiresAt ?? "") - asked.theatre.clock.now() - 2 * MINUTE_MS,
    );
    await begin(verb);
    await lose();
    await asked.theatre.pass(2 * MINUTE_MS);
    await life.settle("Branch", "preview");
    expect(asked.condition("Branch", "preview", "Expired")).toMatchObject({ status: "True" });
    expect(asked.requests("Branch", "preview", verb)).toMatchObject([{ state: "Running" }]);
    await asked.theatre.pass(11 * MINUTE_MS);
    await life.run("Branch", "preview", "progress");
    expect(asked.requests("Branch", "preview", verb)).toMatchObject([{ state: "Succeeded" }]);
    expect(asked.condition("Branch", "preview", "Ready")).toMatchObject({ status: "True", reason: "Expired" });
  });
});

it.each([
  { phase: "after", state: "Succeeded" },
  { phase: "before", state: "Unknown" },
] as const)(
  "a merge that is in doubt when its branch goes is looked for all the same: lost $phase it was taken",
  async (row) => {
    await withPreview({ persistent: true });
    const { faults } = asked.theatre.emulator.control;
    await faults.add({ operation: "branches.merge", fault: { kind: "reset", phase: row.phase } });
    // What was there before the merge is read; what came of it is not.
    await faults.add({ operation: "actions.list", fault: { kind: "delay", ms: 0 } });
    await faults.add({ operation: "actions.list", count: null, fault: { kind: "status", status: 503 } });
    asked.ask("Branch", "preview", "merge", "1");
    await life.runWhileTimePasses("Branch", "preview");
    await faults.clear();
    await asked.theatre.emulator.control.projects.remove({ ref: asked.branch("preview").ref ?? "" });
    await life.settle("Branch", "preview");
    await asked.theatre.pass(11 * MINUTE_MS);
    await asked.settle(life, "Branch", "preview");
    expect(asked.requests("Branch", "preview", "merge")).toMatchObject([{ state: row.state }]);
    expect(await asked.calls("branches.merge")).toBe(1);
  },
);

it("nothing tells of a merge whose project is gone, and that is believed of two looks", async () => {
  await withPreview({ persistent: true });
  await begin("merge");
  await lose();
  await life.settle("Branch", "preview");
  const fault = { kind: "status", status: 404, phase: "before" } as const;
  await asked.theatre.emulator.control.faults.add({ operation: "actions.get", count: null, fault });
  await asked.theatre.pass(MINUTE_MS);
  await life.run("Branch", "preview", "progress");
  expect(asked.requests("Branch", "preview", "merge")).toMatchObject([{ state: "Running" }]);
  await asked.theatre.pass(MINUTE_MS);
  await life.run("Branch", "preview", "progress");
  expect(asked.requests("Branch", "preview", "merge")).toMatchObject([{ state: "Unknown" }]);
});

describe("in a project that no object manages", () => {
  const REF = "unmanagedprojectrefx";

  beforeEach(async () => {
    await asked.theatre.emulator.control.state.seed({
      projects: [{ ref: REF, name: "unmanaged", organization: "acme" }],
    });
    asked.put("Branch", "preview", { projectRef: { ref: REF } });
    await life.settle("Branch", "preview");
    await begin("merge");
    asked.ask("Branch", "preview", "reset", "2");
    await asked.theatre.pass(15_000);
  });

  const states = () => (asked.branch("preview").requests ?? []).map(({ verb, state }) => `${verb} ${state}`);

  it("what was asked of its branches comes to an end once it is gone", async () => {
    await asked.theatre.emulator.control.projects.remove({ ref: REF });
    await life.run("Branch", "preview");
    expect(states()).toEqual(["merge Running", "reset Waiting"]);
    await asked.theatre.pass(MINUTE_MS);
    await life.run("Branch", "preview");
    expect(states()).toEqual(["merge Unknown", "reset Refused"]);
    expect(asked.condition("Branch", "preview", "RequestFailed")).toMatchObject({
      message: expect.stringContaining("the project does not exist any more"),
    });
  });

  it("so does what was asked of another of its branches, which is told the same at the same time", async () => {
    asked.put("Branch", "other", { projectRef: { ref: REF } });
    await life.settle("Branch", "other");
    asked.ask("Branch", "other", "merge", "1");
    await life.run("Branch", "other");
    await asked.theatre.emulator.control.projects.remove({ ref: REF });
    for (let looks = 0; looks < 3; looks += 1) {
      for (const name of ["preview", "other"]) await life.run("Branch", name);
      await asked.theatre.pass(MINUTE_MS);
    }
    expect(asked.requests("Branch", "other", "merge")).toMatchObject([{ state: "Unknown" }]);
  });

  it("what its look fails with is told, where the organizations cannot be read either", async () => {
    const { faults } = asked.theatre.emulator.control;
    await faults.add({ operation: "branches.list", fault: { kind: "status", status: 404, phase: "before" } });
    await faults.add({ operation: "organizations.list", count: null, fault: { kind: "status", status: 503 } });
    expect(await life.runWhileTimePasses("Branch", "preview")).toMatchObject({ reason: "ReferenceNotFound" });
  });

  it("its requests go on where it is not found once, and looks fail otherwise since then", async () => {
    const { faults } = asked.theatre.emulator.control;
    await faults.add({ operation: "branches.list", fault: { kind: "status", status: 404, phase: "before" } });
    await life.run("Branch", "preview");
    await faults.add({ operation: "branches.list", count: null, fault: { kind: "status", status: 503 } });
    for (let looks = 0; looks < 3; looks += 1) {
      await asked.theatre.pass(MINUTE_MS);
      await life.runWhileTimePasses("Branch", "preview");
    }
    expect(states()[0]).toBe("merge Running");
    await faults.clear();
    await asked.theatre.pass(11 * MINUTE_MS);
    await asked.settle(life, "Branch", "preview");
    expect(states()).toEqual(["merge Succeeded", "reset Succeeded"]);
  });

  it.each([
    { why: "it is not found once", count: 1, operations: ["branches.list"] },
    { why: "the token reads no organization either", count: null, operations: ["branches.list", "organizations.list"] },
  ])("its requests go on where $why", async ({ count, operations }) => {
    const fault = { kind: "status", status: 404, phase: "before" } as const;
    for (const operation of operations) await asked.theatre.emulator.control.faults.add({ operation, count, fault });
    await life.run("Branch", "preview");
    await asked.theatre.pass(MINUTE_MS);
    await life.run("Branch", "preview");
    expect(states()[0]).toBe("merge Running");
    await asked.theatre.emulator.control.faults.clear();
    await asked.theatre.pass(11 * MINUTE_MS);
    await asked.settle(life, "Branch", "preview");
    expect(states()).toEqual(["merge Succeeded", "reset Succeeded"]);
  });
});
