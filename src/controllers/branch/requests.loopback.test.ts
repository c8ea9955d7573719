import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Asked } from "../../../test/support/controllers/asked.ts";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";

/** What annotations of a Branch ask for, its action runs, and a deletion that can be taken back. */

const HOUR_MS = 3_600_000;

let theatre: Theatre;
let asked: Asked;

beforeEach(open);
afterEach(() => theatre[Symbol.asyncDispose]());

async function open(): Promise<void> {
  theatre = await openTheatre();
  asked = new Asked(theatre);
}

async function anotherTheatre(): Promise<void> {
  await theatre[Symbol.asyncDispose]();
  await open();
}

const inShop = { projectRef: { name: "shop" } };

/** A life in which the Project and the Branch are Ready. */
async function withPreview(spec: object = {}): Promise<Life> {
  const life = await asked.withShop();
  asked.put("Branch", "preview", { ...inShop, ...spec });
  expect(await life.settle("Branch", "preview")).toMatchObject({ kind: "done" });
  return life;
}

async function branches() {
  return (await theatre.emulator.control.state.read({})).branches.filter(({ isDefault }) => !isDefault);
}

const headers = { authorization: "Bearer token" };

/** How many action runs the project has had. */
async function runs(): Promise<number> {
  const answer = await fetch(`${theatre.emulator.url}/v1/projects/${asked.shopRef()}/actions`, {
    method: "HEAD",
    headers,
  });
  return Number(answer.headers.get("x-total-count"));
}

describe.each(["merge", "push", "reset"] as const)("%s", (verb) => {
  it("is asked for once, and the steps of its action run stand in the status until they are done", async () => {
    const life = await withPreview();
    asked.ask("Branch", "preview", verb, "1");
    await life.run("Branch", "preview");
    expect(asked.requests("Branch", "preview", verb)).toMatchObject([
      { id: "1", state: "Running", run: { id: expect.any(String) } },
    ]);
    await theatre.pass(500);
    await life.run("Branch", "preview");
    const [running] = asked.requests("Branch", "preview", verb);
    expect(running?.run?.steps.map(({ name }) => name)).toEqual([
      "clone",
      "pull",
      "health",
      "configure",
      "migrate",
      "seed",
      "deploy",
    ]);
    expect(running?.run?.steps.some(({ status }) => status === "RUNNING")).toBe(true);
    await asked.settle(life, "Branch", "preview");
    const [done] = asked.requests("Branch", "preview", verb);
    expect(done).toMatchObject({ state: "Succeeded", run: { id: running?.run?.id } });
    expect(done?.run?.steps.every(({ status }) => status === "EXITED")).toBe(true);
    expect(await asked.calls(`branches.${verb}`)).toBe(1);
    expect(asked.condition("Branch", "preview", "Ready")).toMatchObject({ status: "True" });
  });

  it("has failed when a step does, and is told so", async () => {
    const life = await withPreview();
    await theatre.emulator.control.actions.failStep({ step: "migrate", message: "no room" });
    asked.ask("Branch", "preview", verb, "1");
    await asked.settle(life, "Branch", "preview");
    expect(asked.requests("Branch", "preview", verb)).toMatchObject([
      { state: "Failed", message: expect.stringContaining("the step migrate"), run: { id: expect.any(String) } },
    ]);
    expect(asked.condition("Branch", "preview", "RequestFailed")).toMatchObject({ status: "True" });
    expect(await asked.calls(`branches.${verb}`)).toBe(1);
  });

  it("whose answer is lost is known by its action run", async () => {
    const life = await withPreview();
    await theatre.emulator.control.faults.add({
      operation: `branches.${verb}`,
      fault: { kind: "reset", phase: "after" },
    });
    asked.ask("Branch", "preview", verb, "1");
    await asked.settle(life, "Branch", "preview");
    expect(asked.requests("Branch", "preview", verb)).toMatchObject([{ state: "Succeeded" }]);
    expect(await asked.calls(`branches.${verb}`)).toBe(1);
  });

  it("names a migration, which the platform must know", async () => {
    const life = await withPreview();
    asked.ask("Branch", "preview", verb, "1@20260131120000");
    await asked.settle(life, "Branch", "preview");
    expect(asked.requests("Branch", "preview", verb)).toMatchObject([
      { state: "Failed", message: expect.stringContaining("no migration 20260131120000") },
    ]);
    const { entries } = await theatre.emulator.control.log.read({ operation: `branches.${verb}` });
    expect(entries.map(({ body }) => body)).toEqual([{ migration_version: "20260131120000" }]);
  });

  it("an operator that dies after any one request has it done once, or says that nobody can tell", async () => {
    await withPreview();
    asked.ask("Branch", "preview", verb, "1");
    const counted = await theatre.life();
    await asked.settle(counted, "Branch", "preview");
    const whole = Math.min(counted.begun, 12);
    expect(whole).toBeGreaterThan(4);
    for (let survived = 0; survived < whole; survived += 1) {
      await anotherTheatre();
      await withPreview();
      const before = await runs();
      asked.ask("Branch", "preview", verb, "1");
      await asked.settle(await theatre.life(survived), "Branch", "preview");
      await asked.settle(await theatre.life(), "Branch", "preview");
      const [record] = asked.requests("Branch", "preview", verb);
      const made = (await runs()) - before;
      const say = `died after ${survived} requests`;
      const isLost = verb === "reset" && made === 0;
      expect({ state: record?.state, made, say }).toEqual({
        state: isLost ? "Unknown" : "Succeeded",
        made: isLost ? 0 : 1,
        say,
      });
    }
  }, 120_000);
});

it("a request without effect is sent again for a merge, and never for a reset, which destroys", async () => {
  const life = await withPreview();
  for (const verb of ["merge", "reset"]) {
    await theatre.emulator.control.faults.add({
      operation: `branches.${verb}`,
      fault: { kind: "reset", phase: "before" },
    });
    asked.ask("Branch", "preview", verb, "1");
    await asked.settle(life, "Branch", "preview");
  }
  expect(asked.requests("Branch", "preview", "merge")).toMatchObject([{ state: "Succeeded" }]);
  expect(await asked.calls("branches.merge")).toBe(2);
  expect(asked.requests("Branch", "preview", "reset")).toMatchObject([
    { state: "Unknown", message: expect.stringContaining("ask with another id") },
  ]);
  expect(await asked.calls("branches.reset")).toBe(1);
});

it("requests go one after another", async () => {
  const life = await withPreview();
  asked.ask("Branch", "preview", "merge", "1");
  asked.ask("Branch", "preview", "push", "1");
  await life.run("Branch", "preview");
  expect(asked.requests("Branch", "preview", "merge")).toMatchObject([{ state: "Running" }]);
  expect(asked.requests("Branch", "preview", "push")).toMatchObject([
    { state: "Waiting", message: "waits for merge 1" },
  ]);
  await asked.settle(life, "Branch", "preview");
  expect(asked.requests("Branch", "preview", "push")).toMatchObject([{ state: "Succeeded" }]);
});

it("a branch is restarted by its own ref, and a review of it asked for", async () => {
  const life = await withPreview();
  const { ref } = asked.branch("preview");
  asked.ask("Branch", "preview", "restart", "1");
  await asked.settle(life, "Branch", "preview");
  asked.ask("Branch", "preview", "request-review", "1");
  await asked.settle(life, "Branch", "preview");
  expect(asked.branch("preview").requests).toMatchObject([
    { verb: "restart", state: "Succeeded" },
    { verb: "request-review", state: "Succeeded" },
  ]);
  const { entries } = await theatre.emulator.control.log.read({ operation: "projects.restart" });
  expect(entries.map(({ path }) => path)).toEqual([`/v1/projects/${ref}/restart`]);
});

it("a restart that waited for what an edit then finds to be over is looked at again by itself", async () => {
  const life = await asked.withShop();
  asked.put("Branch", "preview", inShop);
  await life.run("Branch", "preview");
  while ((await branches())[0]?.status !== "FUNCTIONS_DEPLOYED") await theatre.pass(100);
  // The list that was read is young enough for an edit, and old enough to tell of a branch that comes up.
  asked.put("Branch", "preview", { ...inShop, name: "renamed" });
  asked.ask("Branch", "preview", "restart", "1");
  const before = life.asked.length;
  expect(await life.run("Branch", "preview")).toMatchObject({ kind: "done" });
  expect(asked.condition("Branch", "preview", "Ready")).toMatchObject({ status: "True" });
  expect(asked.requests("Branch", "preview", "restart")).toMatchObject([{ state: "Waiting" }]);
  expect(life.asked.slice(before)).toMatchObject([{ options: { lane: "progress", afterMs: 2000 } }]);
  await theatre.pass(2000);
  await asked.settle(life, "Branch", "preview");
  expect(asked.requests("Branch", "preview", "restart")).toMatchObject([{ state: "Succeeded" }]);
});

describe("soft deletion", () => {
  async function withSoftDeletion(spec: object = {}): Promise<Life> {
    const life = await withPreview({ softDelete: true, ...spec });
    await theatre.emulator.control.projects.patch({ ref: asked.shopRef(), softBranchDeletion: true });
    return life;
  }

  it("of a Branch lets the object go and the platform delete the branch an hour later", async () => {
    const life = await withSoftDeletion();
    theatre.kubernetes.delete("branches", NAMESPACE, "preview");
    await life.settle("Branch", "preview");
    expect(theatre.kubernetes.get("branches", NAMESPACE, "preview")).toBeUndefined();
    expect(life.events.at(-1)).toMatchObject({
      reason: "Deleted",
      note: expect.stringContaining("until then it can be restored"),
    });
    expect(await branches()).toHaveLength(1);
    await theatre.pass(HOUR_MS);
    expect(await branches()).toHaveLength(0);
  });

  it.each([
    { softDelete: true, offered: false, why: "the platform has none" },
    { softDelete: false, offered: true, why: "nobody asked for it" },
  ])("does not happen where $why: the branch is deleted at once", async ({ softDelete, offered }) => {
    const life = await withPreview({ softDelete });
    await theatre.emulator.control.projects.patch({ ref: asked.shopRef(), softBranchDeletion: offered });
    theatre.kubernetes.delete("branches", NAMESPACE, "preview");
    await life.settle("Branch", "preview");
    expect(await branches()).toHaveLength(0);
    expect(await asked.calls("branches.delete")).toBe(1);
  });

  it("at the end of a ttl can be taken back for an hour, too", async () => {
    const life = await withSoftDeletion({ ttl: "1h" });
    await theatre.pass(HOUR_MS);
    await life.settle("Branch", "preview");
    expect(asked.condition("Branch", "preview", "Expired")).toMatchObject({ status: "True" });
    expect(await branches()).toHaveLength(1);
    await theatre.pass(HOUR_MS);
    expect(await branches()).toHaveLength(0);
  });

  it("is taken back by a new object that takes the branch over and asks for that", async () => {
    const life = await withSoftDeletion();
    const { ref } = asked.branch("preview");
    theatre.kubernetes.delete("branches", NAMESPACE, "preview");
    await life.settle("Branch", "preview");
    asked.put("Branch", "again", { ...inShop, name: "preview", adoptionPolicy: "IfNameMatches" });
    expect(await life.run("Branch", "again")).toMatchObject({
      kind: "waiting",
      reason: "ConfirmingAbsence",
      message: expect.stringContaining("baas.dev/restore"),
    });
    asked.ask("Branch", "again", "restore", "1");
    await asked.settle(life, "Branch", "again");
    expect(asked.branch("again")).toMatchObject({ ref, requests: [{ verb: "restore", state: "Succeeded" }] });
    await theatre.pass(HOUR_MS);
    expect(await branches()).toHaveLength(1);
    expect(asked.condition("Branch", "again", "Ready")).toMatchObject({ status: "True" });
  });

  it.each([
    { phase: "after", calls: 1, why: "the answer is lost" },
    { phase: "before", calls: 2, why: "the request is" },
  ] as const)(
    "of an object's branch on the platform is taken back on request, also where $why",
    async ({ phase, calls }) => {
      const life = await withSoftDeletion();
      await theatre.emulator.control.faults.add({ operation: "branches.restore", fault: { kind: "reset", phase } });
      await deleteByHand();
      await theatre.pass(10_000);
      expect(await life.run("Branch", "preview")).toMatchObject({
        kind: "waiting",
        reason: "Deleting",
        message: expect.stringContaining("baas.dev/restore"),
      });
      asked.ask("Branch", "preview", "restore", "1");
      for (
        let look = 0;
        look < 30 && asked.requests("Branch", "preview", "restore")[0]?.state !== "Succeeded";
        look += 1
      ) {
        await life.run("Branch", "preview", "progress");
        await theatre.pass(10_000);
      }
      expect(asked.requests("Branch", "preview", "restore")).toMatchObject([{ state: "Succeeded" }]);
      expect(await asked.calls("branches.restore")).toBe(calls);
      await theatre.pass(HOUR_MS);
      await life.settle("Branch", "preview");
      expect(await branches()).toHaveLength(1);
      expect(asked.branch("preview").deletionScheduledAt).toBeUndefined();
    },
  );

  it("that is not scheduled cannot be taken back", async () => {
    const life = await withSoftDeletion();
    asked.ask("Branch", "preview", "restore", "1");
    await asked.settle(life, "Branch", "preview");
    expect(asked.requests("Branch", "preview", "restore")).toMatchObject([
      { state: "Refused", message: expect.stringContaining("no deletion of the branch is scheduled") },
    ]);
    expect(await asked.calls("branches.restore")).toBe(0);
  });

  /** Somebody else deletes the branch, softly. */
  async function deleteByHand(): Promise<void> {
    const { ref } = asked.branch("preview");
    const answer = await fetch(`${theatre.emulator.url}/v1/branches/${ref}?force=false`, {
      method: "DELETE",
      headers,
    });
    expect(answer.status).toBe(200);
  }
});
