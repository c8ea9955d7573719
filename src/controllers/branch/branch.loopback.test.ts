import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import { branchKind } from "../../resources/branch/kind.ts";
import type { Outcome } from "../../runtime/outcome.ts";

/** A Branch between two loopback servers: where the operator may die between any two requests, and where time is the test's own. */

const HOUR_MS = 3_600_000;

let theatre: Theatre;

beforeEach(async () => {
  theatre = await openTheatre();
});

afterEach(async () => {
  await theatre[Symbol.asyncDispose]();
});

/** Nothing of what was before. */
async function anotherTheatre(): Promise<void> {
  await theatre[Symbol.asyncDispose]();
  theatre = await openTheatre();
}

function put(kind: "Project" | "Branch", name: string, spec: object, annotations: object = {}): void {
  const plural = kind === "Project" ? "projects" : "branches";
  const metadata = { name, namespace: NAMESPACE, annotations };
  theatre.kubernetes.put(plural, { apiVersion: "baas.dev/v1alpha1", kind, metadata, spec });
}

const inShop = { projectRef: { name: "shop" } };

/** A life in which the Project is Ready. */
async function withProject(spec: object = {}): Promise<Life> {
  put("Project", "shop", { organization: "acme", deletionPolicy: "Delete", ...spec });
  const life = await theatre.life();
  expect(await life.settle("Project", "shop")).toMatchObject({ kind: "done" });
  return life;
}

function statusOf(name: string): ReturnType<typeof branchKind.parseStatus> {
  return branchKind.parseStatus(theatre.kubernetes.get("branches", NAMESPACE, name));
}

function conditionOf(name: string, type: string): object | undefined {
  return statusOf(name).conditions.find((condition) => condition.type === type);
}

async function names(): Promise<readonly string[]> {
  const { branches } = await theatre.emulator.control.state.read({});
  return branches.map(({ name, isDefault }) => `${name}${isDefault ? " (default)" : ""}`).toSorted();
}

async function requests(operation: string): Promise<number> {
  return (await theatre.emulator.control.log.read({ operation })).entries.length;
}

/** How often faults have hit. That a request has arrived is not enough: the wait of a delay begins when its body was read. */
const hits = async () => (await theatre.emulator.control.faults.list({})).reduce((sum, rule) => sum + rule.hits, 0);

/** What a life that nothing disturbs asks for, from the first run until the object is at rest. */
async function requestsOf(act: (life: Life) => Promise<Outcome>): Promise<number> {
  const life = await theatre.life();
  await act(life);
  return life.begun;
}

describe("an operator that dies", () => {
  it("after any one request, and goes on in a new life, makes one default branch and one preview branch", async () => {
    await withProject();
    put("Branch", "counted", inShop);
    const whole = await requestsOf((life) => life.settle("Branch", "counted"));
    expect(whole).toBeGreaterThan(8);
    for (let survived = 0; survived < whole; survived += 1) {
      await anotherTheatre();
      await withProject();
      put("Branch", "preview", inShop);
      await (await theatre.life(survived)).settle("Branch", "preview");
      const last = await theatre.life();
      expect(await last.settle("Branch", "preview")).toMatchObject({ kind: "done" });
      expect(await names(), `died after ${survived} requests`).toEqual(["main (default)", "preview"]);
      expect(conditionOf("preview", "Ready")).toMatchObject({ status: "True" });
      expect(statusOf("preview").intent).toBeUndefined();
    }
  });

  it("again and again makes no more of them, however many objects there are", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ requests: fc.nat({ max: 10 }), object: fc.constantFrom("one", "two") }), { maxLength: 5 }),
        async (lives) => {
          await anotherTheatre();
          await withProject();
          for (const name of ["one", "two"]) put("Branch", name, inShop);
          for (const { requests: survived, object } of lives) {
            await (await theatre.life(survived)).settle("Branch", object);
          }
          const last = await theatre.life();
          await Promise.all(["one", "two"].map((name) => last.run("Branch", name)));
          for (const name of ["one", "two"]) await last.settle("Branch", name);
          expect(await names()).toEqual(["main (default)", "one", "two"]);
        },
      ),
      { numRuns: 25 },
    );
  });

  it("after any one request of a deletion leaves nothing behind when it goes on", async () => {
    await withProject();
    put("Branch", "counted", { ...inShop, persistent: true, deletionPolicy: "Delete" });
    await (await theatre.life()).settle("Branch", "counted");
    theatre.kubernetes.delete("branches", NAMESPACE, "counted");
    const whole = await requestsOf((life) => life.settle("Branch", "counted"));
    expect(whole).toBeGreaterThan(3);
    for (let survived = 0; survived <= whole; survived += 1) {
      put("Branch", "preview", { ...inShop, persistent: true, deletionPolicy: "Delete" });
      await (await theatre.life()).settle("Branch", "preview");
      theatre.kubernetes.delete("branches", NAMESPACE, "preview");
      await (await theatre.life(survived)).settle("Branch", "preview");
      await (await theatre.life()).settle("Branch", "preview");
      expect(theatre.kubernetes.get("branches", NAMESPACE, "preview")).toBeUndefined();
      expect(await names(), `died after ${survived} requests`).toEqual(["main (default)"]);
    }
  });

  it("after any one request at the end of a ttl does not revive the branch", async () => {
    await withProject();
    put("Branch", "counted", { ...inShop, ttl: "1h" });
    await (await theatre.life()).settle("Branch", "counted");
    await theatre.pass(HOUR_MS);
    const whole = await requestsOf((life) => life.settle("Branch", "counted"));
    expect(conditionOf("counted", "Expired")).toMatchObject({ status: "True" });
    for (let survived = 0; survived <= whole; survived += 1) {
      const name = `preview-${survived}`;
      put("Branch", name, { ...inShop, ttl: "1h" });
      await (await theatre.life()).settle("Branch", name);
      await theatre.pass(HOUR_MS);
      const made = await requests("branches.create");
      await (await theatre.life(survived)).settle("Branch", name);
      await (await theatre.life()).settle("Branch", name);
      expect(conditionOf(name, "Expired"), `died after ${survived} requests`).toMatchObject({ status: "True" });
      expect(await names()).toEqual(["main (default)"]);
      expect(await requests("branches.create")).toBe(made);
    }
  });
});

describe("a write to the apiserver that fails", () => {
  it.each(["refused", "lost"] as const)("whichever it is, costs no ownership: %s", async (fault) => {
    await withProject();
    const before = theatre.kubernetes.writes;
    put("Branch", "counted", inShop);
    await (await theatre.life()).settle("Branch", "counted");
    const whole = theatre.kubernetes.writes - before;
    for (let skip = 0; skip < whole; skip += 1) {
      await anotherTheatre();
      await withProject();
      put("Branch", "preview", inShop);
      theatre.kubernetes.failWrite(skip, fault);
      const life = await theatre.life();
      expect(await life.settle("Branch", "preview"), `write ${skip}`).toMatchObject({ kind: "done" });
      expect(await names()).toEqual(["main (default)", "preview"]);
      expect(conditionOf("preview", "Ready")).toMatchObject({ status: "True" });
    }
  });
});

describe("a create request that takes effect long after it was given up", () => {
  it.each([
    { what: "the object's own", settled: ["first"], expected: ["first", "main (default)", "slow"] },
    { what: "the default branch", settled: [], expected: ["main (default)", "slow"] },
  ])("is waited for, and makes no second one: $what", async ({ settled, expected }) => {
    const life = await withProject();
    for (const name of settled) {
      put("Branch", name, inShop);
      await life.settle("Branch", name);
    }
    await theatre.emulator.control.faults.add({ operation: "branches.create", fault: { kind: "delay", ms: 50_000 } });
    put("Branch", "slow", inShop);
    const dying = await theatre.life();
    const run = dying.run("Branch", "slow");
    await expect.poll(hits).toBe(1);
    await dying[Symbol.asyncDispose](); // it dies while it waits
    await run;
    expect(statusOf("slow").intent).toBeDefined();

    const last = await theatre.life();
    expect(await last.run("Branch", "slow")).toMatchObject({ kind: "waiting", reason: "ConfirmingAbsence" });
    expect(await last.settle("Branch", "slow")).toMatchObject({ kind: "done" });
    expect(await names()).toEqual(expected);
    await theatre.pass(HOUR_MS);
    expect(await names()).toEqual(expected);
  });

  it("for another object's default branch is waited for as well", async () => {
    await withProject();
    await theatre.emulator.control.faults.add({ operation: "branches.create", fault: { kind: "delay", ms: 50_000 } });
    put("Branch", "one", inShop);
    const dying = await theatre.life();
    const run = dying.run("Branch", "one");
    await expect.poll(hits).toBe(1);
    await dying[Symbol.asyncDispose]();
    await run;
    put("Branch", "two", inShop);
    const last = await theatre.life();
    expect(await last.run("Branch", "two")).toMatchObject({ kind: "waiting", reason: "ConfirmingAbsence" });
    await last.settle("Branch", "two");
    await last.settle("Branch", "one");
    expect(await names()).toEqual(["main (default)", "one", "two"]);
  });
});

describe("time", () => {
  it("[K-26] a branch that is stuck is Stalled at its deadline, with the time stuck, and watched all the same", async () => {
    const life = await withProject();
    await theatre.emulator.control.branches.hold({ refOrName: "stuck", at: "CREATING_PROJECT" });
    put("Branch", "stuck", { ...inShop, provisioningTimeout: "10m" });
    const began = theatre.clock.now();
    expect(await life.settle("Branch", "stuck")).toMatchObject({
      kind: "terminal",
      reason: "DeadlineExceeded",
      recheckAfterMs: 60_000,
    });
    const lateMs = theatre.clock.now() - began - 600_000;
    expect(lateMs).toBeGreaterThanOrEqual(0);
    expect(lateMs).toBeLessThanOrEqual(31_000);
    expect(await names()).toEqual(["main (default)", "stuck"]);
    await theatre.emulator.control.branches.release({ refOrName: "stuck" });
    await theatre.pass(60_000);
    expect(await life.run("Branch", "stuck", "drift")).toMatchObject({ kind: "done" });
    expect(conditionOf("stuck", "Stalled")).toBeUndefined();
  });

  it("asks for the next look at the end of the ttl when that comes before the next drift check, and not before", async () => {
    const life = await withProject();
    put("Branch", "preview", { ...inShop, ttl: "1h", driftInterval: "10m" });
    expect(await life.settle("Branch", "preview")).toMatchObject({
      result: { requeueAfterMs: 600_000, lane: "drift" },
    });
    const end = Date.parse(statusOf("preview").createdAt ?? "") + HOUR_MS;
    await theatre.pass(end - theatre.clock.now() - 5000);
    const outcome = await life.run("Branch", "preview", "drift");
    expect(outcome).toMatchObject({ kind: "done", result: { lane: "progress" } });
    const next = outcome.kind === "done" ? (outcome.result.requeueAfterMs ?? 0) : 0;
    expect(Math.abs(next - 5000)).toBeLessThanOrEqual(1000); // as exact as the platform's Date header tells its time
  });

  it("takes MIGRATIONS_PASSED for the end of a branch's way after five minutes, and stays with that", async () => {
    const life = await withProject();
    await theatre.emulator.control.branches.hold({ refOrName: "plain", at: "MIGRATIONS_PASSED" });
    put("Branch", "plain", inShop);
    const began = theatre.clock.now();
    expect(await life.settle("Branch", "plain")).toMatchObject({ kind: "done" });
    expect(theatre.clock.now() - began).toBeGreaterThanOrEqual(300_000);
    for (let check = 0; check < 3; check += 1) {
      await theatre.pass(600_000);
      expect(await life.run("Branch", "plain", "drift")).toMatchObject({ kind: "done" });
      expect(conditionOf("plain", "Ready")).toMatchObject({ status: "True" });
    }
  });

  it("an idle hour writes nothing anywhere", async () => {
    const life = await withProject();
    put("Branch", "preview", { ...inShop, gitBranch: "one", notifyUrl: "https://example.com", ttl: "72h" });
    await life.settle("Branch", "preview");
    const { version } = theatre.kubernetes;
    const { last } = await theatre.emulator.control.log.read({});
    for (let minutes = 0; minutes < 60; minutes += 10) {
      await theatre.pass(600_000);
      await life.run("Branch", "preview", "drift");
    }
    expect(theatre.kubernetes.version).toBe(version);
    const { entries } = await theatre.emulator.control.log.read({ after: last });
    expect(entries.filter(({ method }) => method !== "GET")).toEqual([]);
    // A list and the health of the branch's services: six checks of each.
    expect(entries).toHaveLength(12);
  });
});

describe("the list of a project's branches", () => {
  it("is read once for all objects that look at the same time", async () => {
    const life = await withProject();
    const all = ["one", "two", "three", "four"];
    for (const name of all) put("Branch", name, inShop);
    for (const name of all) await life.settle("Branch", name);
    await theatre.pass(600_000);
    const before = await requests("branches.list");
    await Promise.all(all.map((name) => life.run("Branch", name, "drift")));
    expect((await requests("branches.list")) - before).toBe(1);
  });

  it("that fails is not taken for an empty one", async () => {
    const life = await withProject();
    put("Branch", "preview", inShop);
    await life.settle("Branch", "preview");
    await theatre.pass(600_000);
    await theatre.emulator.control.faults.add({
      operation: "branches.list",
      count: null,
      fault: { kind: "status", status: 500 },
    });
    const outcome = await life.runWhileTimePasses("Branch", "preview", "drift");
    expect(outcome).toMatchObject({ kind: "transient", reason: "ServerUnavailable" });
    expect(await names()).toEqual(["main (default)", "preview"]);
  });

  it("is empty where branching is off, as an older platform says with 422", async () => {
    const life = await withProject();
    await theatre.emulator.control.faults.add({
      operation: "branches.list",
      fault: { kind: "status", status: 422, body: { message: "Preview branching is not enabled for this project." } },
    });
    put("Branch", "preview", inShop);
    expect(await life.settle("Branch", "preview")).toMatchObject({ kind: "done" });
    expect(await names()).toEqual(["main (default)", "preview"]);
  });
});
