import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import { projectKind } from "../../resources/project/kind.ts";
import type { Outcome } from "../../runtime/outcome.ts";

/** A Project between two loopback servers: where the operator may die between any two requests, and where time is the test's own. */

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

function put(name: string, spec: object = {}): void {
  theatre.kubernetes.put("projects", {
    apiVersion: "baas.dev/v1alpha1",
    kind: "Project",
    metadata: { name, namespace: NAMESPACE },
    spec: { organization: "acme", deletionPolicy: "Delete", ...spec },
  });
}

function statusOf(name: string): ReturnType<typeof projectKind.parseStatus> {
  return projectKind.parseStatus(theatre.kubernetes.get("projects", NAMESPACE, name));
}

function conditionOf(name: string, type: string): object | undefined {
  return statusOf(name).conditions.find((condition) => condition.type === type);
}

async function names(): Promise<readonly string[]> {
  return (await theatre.emulator.control.state.read({})).projects.map(({ name }) => name).toSorted();
}

/** A life whose connection lets nothing be taken over: what the object made itself needs no leave. */
async function strictLife(requests?: number): Promise<Life> {
  const life = await theatre.life(requests);
  const { sessions } = life.environment;
  const session = sessions.get(`Connection/${NAMESPACE}/default`);
  if (session !== undefined) sessions.set({ ...session, allowedRefs: [] });
  return life;
}

/** What a life that nothing disturbs asks for, from the first run until the object is at rest. */
async function requestsOf(act: (life: Life) => Promise<Outcome>): Promise<number> {
  const life = await theatre.life();
  await act(life);
  return life.begun;
}

describe("an operator that dies", () => {
  it("[K-01] after any one request, and goes on in a new life, makes one project, with the password that it stored", async () => {
    put("counted");
    const whole = await requestsOf((life) => life.settle("Project", "counted"));
    expect(whole).toBeGreaterThan(6);
    for (let survived = 0; survived < whole; survived += 1) {
      await anotherTheatre();
      put("shop");
      await (await strictLife(survived)).settle("Project", "shop");
      expect(await (await strictLife()).settle("Project", "shop")).toMatchObject({ kind: "done" });
      expect(await names(), `died after ${survived} requests`).toEqual(["shop"]);
      expect(conditionOf("shop", "Ready")).toMatchObject({ status: "True" });
      expect(statusOf("shop").intent).toBeUndefined();
      expect(statusOf("shop").databasePassword).toMatchObject({ generated: true, sent: expect.any(Object) });
    }
  });

  it("after any one request of a deletion leaves nothing behind when it goes on", async () => {
    put("counted");
    await (await strictLife()).settle("Project", "counted");
    theatre.kubernetes.delete("projects", NAMESPACE, "counted");
    const whole = await requestsOf((life) => life.settle("Project", "counted"));
    expect(whole).toBeGreaterThan(1);
    for (let survived = 0; survived <= whole; survived += 1) {
      put("shop");
      await (await strictLife()).settle("Project", "shop");
      theatre.kubernetes.delete("projects", NAMESPACE, "shop");
      await (await strictLife(survived)).settle("Project", "shop");
      await (await strictLife()).settle("Project", "shop");
      expect(theatre.kubernetes.get("projects", NAMESPACE, "shop")).toBeUndefined();
      expect(await names(), `died after ${survived} requests`).toEqual([]);
    }
  });

  it("after any one request of its creation, with the object deleted then, leaves no project behind", async () => {
    put("counted");
    const whole = await requestsOf((life) => life.settle("Project", "counted"));
    for (let survived = 0; survived < whole; survived += 1) {
      await anotherTheatre();
      put("shop");
      await (await strictLife(survived)).settle("Project", "shop");
      theatre.kubernetes.delete("projects", NAMESPACE, "shop");
      await (await strictLife()).settle("Project", "shop");
      expect(theatre.kubernetes.get("projects", NAMESPACE, "shop")).toBeUndefined();
      expect(await names(), `died after ${survived} requests`).toEqual([]);
    }
  });
});

describe("a write to the apiserver that fails", () => {
  it.each(["refused", "lost"] as const)("whichever it is, costs no ownership: %s", async (fault) => {
    put("counted");
    await (await strictLife()).settle("Project", "counted");
    const whole = theatre.kubernetes.writes;
    for (let skip = 0; skip < whole; skip += 1) {
      await anotherTheatre();
      put("shop");
      theatre.kubernetes.failWrite(skip, fault);
      const life = await strictLife();
      expect(await life.settle("Project", "shop"), `write ${skip}`).toMatchObject({ kind: "done" });
      expect(await names()).toEqual(["shop"]);
      expect(statusOf("shop")).toMatchObject({
        ref: expect.any(String),
        databasePassword: { sent: expect.any(Object) },
      });
    }
  });
});

it("that is taken over keeps what is fixed at creation, and its status tells where it is", async () => {
  put("shop", { deletionPolicy: "Retain", region: { code: "us-east-1" } });
  const life = await theatre.life();
  await life.settle("Project", "shop");
  const { ref } = statusOf("shop");
  theatre.kubernetes.delete("projects", NAMESPACE, "shop");
  await life.settle("Project", "shop");
  const { last } = await theatre.emulator.control.log.read({});
  put("again", { ref, region: { code: "eu-west-1" }, highAvailability: true, templateUrl: "https://example.com/one" });
  expect(await life.settle("Project", "again")).toMatchObject({ kind: "done" });
  expect(statusOf("again")).toMatchObject({ ref, region: "us-east-1" });
  expect(conditionOf("again", "Drifted")).toBeUndefined();
  const { entries } = await theatre.emulator.control.log.read({ after: last });
  expect(entries.filter(({ method }) => method !== "GET")).toEqual([]);
});

describe("time", () => {
  it("[K-04] a project that never comes up is Stalled at its deadline, and watched all the same", async () => {
    await theatre.emulator.control.projects.hold({ refOrName: "stuck", at: "COMING_UP" });
    put("stuck", { provisioningTimeout: "10m" });
    const life = await theatre.life();
    const began = theatre.clock.now();
    expect(await life.settle("Project", "stuck")).toMatchObject({ kind: "terminal", reason: "DeadlineExceeded" });
    const lateMs = theatre.clock.now() - began - 600_000;
    expect(lateMs).toBeGreaterThanOrEqual(0);
    expect(lateMs).toBeLessThanOrEqual(31_000);
    expect(await names()).toEqual(["stuck"]);
    await theatre.emulator.control.projects.release({ refOrName: "stuck" });
    await theatre.pass(60_000);
    expect(await life.run("Project", "stuck", "drift")).toMatchObject({ kind: "done" });
    expect(conditionOf("stuck", "Stalled")).toBeUndefined();
  });

  it("[K-03] a pause that is turned round is waited out: one pause, one restore, no hot loop", async () => {
    put("shop", { state: "Running" });
    const life = await theatre.life();
    await life.settle("Project", "shop");
    put("shop", { state: "Paused" });
    await life.run("Project", "shop");
    put("shop", { state: "Running" });
    const { last } = await theatre.emulator.control.log.read({});
    expect(await life.settle("Project", "shop")).toMatchObject({ kind: "done" });
    const { entries } = await theatre.emulator.control.log.read({ after: last });
    expect(entries.filter(({ method }) => method !== "GET").map(({ operation }) => operation)).toEqual([
      "projects.restore",
    ]);
    expect(entries.length).toBeLessThan(20);
    expect(statusOf("shop").state).toBe("ACTIVE_HEALTHY");
  });

  it("a project to be paused from the start is paused when it is up, and that is no drift", async () => {
    put("shop", { state: "Paused", driftPolicy: "Report" });
    const life = await theatre.life();
    expect(await life.settle("Project", "shop")).toMatchObject({ kind: "done" });
    expect(statusOf("shop").state).toBe("INACTIVE");
    expect(conditionOf("shop", "Drifted")).toBeUndefined();
    expect(life.events.map(({ reason }) => reason)).not.toContain("DriftCorrected");
  });

  it("an idle hour writes nothing anywhere", async () => {
    put("shop", { state: "Running" });
    const life = await theatre.life();
    await life.settle("Project", "shop");
    const { version } = theatre.kubernetes;
    const { last } = await theatre.emulator.control.log.read({});
    for (let minutes = 0; minutes < 60; minutes += 10) {
      await theatre.pass(600_000);
      await life.run("Project", "shop", "drift");
    }
    expect(theatre.kubernetes.version).toBe(version);
    const { entries } = await theatre.emulator.control.log.read({ after: last });
    expect(entries.filter(({ method }) => method !== "GET")).toEqual([]);
  });
});
