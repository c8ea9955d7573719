import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Life, NAMESPACE } from "../../../test/support/controllers/life.ts";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";

/** Who asks for a look while sections cannot be looked at has it once they can be: once, whatever lives the operator has until then. */

let stage: SectionStage;

beforeEach(async () => {
  stage = await openSectionStage({ seed: { organizations: [{ slug: "acme", name: "Acme", plan: "free" }] } });
});

afterEach(() => stage[Symbol.asyncDispose]());

/** Of which the plan does not take the hook, and of which a Secret is. */
const PASSWORD = { secretKeyRef: { name: "smtp", key: "password" } };
const SMTP = { host: "mail.test", port: 25, user: "shop", adminEmail: "shop@mail.test", password: PASSWORD };
const AUTH = { auth: { hooks: { sendSms: { enabled: true } }, passwords: { minLength: 9 }, smtp: SMTP } };

/** Declares that, and goes on saying what the object says. */
function declare(spec: object): void {
  const { metadata, ...object } = stage.theatre.kubernetes.get("projects", NAMESPACE, "shop") ?? {};
  stage.theatre.kubernetes.put("projects", {
    ...object,
    metadata: { ...metadata },
    spec: { organization: "acme", ...spec },
  });
}

/** How often the refused field was asked for. */
async function asked(): Promise<number> {
  const { entries } = await stage.theatre.emulator.control.log.read({ operation: "authConfig.update" });
  return entries.filter(({ body }) => JSON.stringify(body).includes("hook_send_sms_enabled")).length;
}

/** Declares what is refused in part. @returns how often that was asked for */
async function refused(): Promise<number> {
  stage.putSecret("smtp", { password: "the-password" });
  expect(await stage.apply(AUTH)).toMatchObject({ kind: "terminal", reason: "PlanLimit" });
  return asked();
}

/** Somebody asks, and is told that they were heard. */
async function ask(said: string): Promise<void> {
  stage.ask(said);
  await stage.run("change");
  expect(stage.stored()).toMatchObject({ lastHandledReconcileAt: said });
}

type Failing = "projects.get" | `${"authConfig" | "sslEnforcement"}.${"get" | "update"}`;

async function fails(operation: Failing, status: 403 | 500 = 500): Promise<() => Promise<unknown>> {
  const fault = { kind: "status", status, body: { message: "down" } } as const;
  await stage.theatre.emulator.control.faults.add({ operation, count: null, fault });
  return () => stage.theatre.emulator.control.faults.clear({});
}

async function force(status: "INACTIVE" | "UPGRADING" | "RESTORING"): Promise<() => Promise<unknown>> {
  const { projects } = stage.theatre.emulator.control;
  await projects.force({ ref: stage.ref, status });
  return () => projects.force({ ref: stage.ref, status: "ACTIVE_HEALTHY" });
}

/** Looks of any kind, one after the other, by that life and by one that starts. */
async function looks(life: Life): Promise<void> {
  for (const each of [life, await stage.theatre.life()]) {
    for (const lane of ["progress", "drift", "change"] as const) {
      await each.run("Project", "shop", lane);
      await stage.theatre.pass(60_000);
    }
  }
}

/** What keeps sections from being looked at, and what ends that. */
const HELD_UP = [
  { what: "the project is paused", begin: () => force("INACTIVE") },
  { what: "the project is upgraded", begin: () => force("UPGRADING") },
  { what: "the project is restored", begin: () => force("RESTORING") },
  { what: "the project cannot be read", begin: () => fails("projects.get") },
  { what: "the section cannot be read", begin: () => fails("authConfig.get") },
  {
    what: "a Secret is not there",
    begin: () => {
      stage.putSecret("smtp", {});
      return Promise.resolve(() => Promise.resolve(stage.putSecret("smtp", { password: "the-password" })));
    },
  },
  {
    what: "the spec cannot be read",
    begin: () => {
      declare({ ...AUTH, driftInterval: "soon" });
      return Promise.resolve(() => Promise.resolve(declare(AUTH)));
    },
  },
] as const;

describe.each(HELD_UP)("asked while $what, what was refused", ({ begin }) => {
  it.each(["the same operator", "one that starts"])("is asked for once after that, by %s", async (who) => {
    const before = await refused();
    const end = await begin();
    await ask("now");
    await stage.theatre.pass(10_000);
    await stage.run("progress");
    expect(await asked(), "meanwhile").toBe(before);
    await end();
    const life = who === "one that starts" ? await stage.theatre.life() : stage.life;
    await life.settle("Project", "shop");
    expect(await asked()).toBe(before + 1);
    await looks(life);
    expect(await asked(), "with later looks").toBe(before + 1);
    expect(stage.entry("auth")).toMatchObject({ state: "Failed", reason: "PlanLimit" });
    expect(stage.entry("auth")).not.toHaveProperty("owed");
  });
});

it("is told in one write of the status, and not again until it is had", async () => {
  await refused();
  const end = await force("INACTIVE");
  await stage.run("progress");
  const { kubernetes } = stage.theatre;
  const before = kubernetes.writes;
  await ask("now");
  expect(stage.entry("auth")).toMatchObject({ state: "Failed", owed: true });
  for (const lane of ["progress", "drift", "change"] as const) await stage.run(lane);
  expect(kubernetes.writes).toBe(before + 1);
  await end();
  await stage.settle();
  const after = kubernetes.writes;
  await looks(stage.life);
  expect(kubernetes.writes).toBe(after);
});

it("a section that is refused again as a whole is asked for once", async () => {
  const fault = { kind: "status", status: 400, body: { message: "no" } } as const;
  await stage.theatre.emulator.control.faults.add({ operation: "storage.update", count: null, fault });
  await stage.apply({ storage: { fileSizeLimit: "10Mi" } });
  const end = await force("INACTIVE");
  await ask("now");
  await end();
  await stage.calls();
  await stage.settle();
  for (const lane of ["progress", "drift", "change"] as const) await stage.run(lane);
  expect((await stage.calls()).filter((id) => id === "storage.update")).toHaveLength(1);
  expect(stage.entry("storage")).not.toHaveProperty("owed");
});

it("is had where what was asked for is not taken for the token: no drift check asks for it again", async () => {
  const before = await refused();
  const end = await fails("authConfig.update", 403);
  await ask("now");
  for (let nth = 0; nth < 12; nth += 1) {
    await stage.theatre.pass(600_000);
    await stage.run("drift");
  }
  expect(await asked()).toBe(before + 1);
  expect(stage.entry("auth")).not.toHaveProperty("owed");
  await end();
});

describe("a run of which nobody is told yet, since the project is not found for once", () => {
  beforeEach(() => stage.apply({ realtime: { maxConcurrentUsers: 100 } }));

  /** Somebody asks, and the run that sees it does not find the project. @returns how many writes that made */
  async function askUnfound(said: string): Promise<number> {
    const fault = { kind: "status", status: 404, body: { message: "not found" } } as const;
    await stage.theatre.emulator.control.faults.add({ operation: "projects.get", count: 1, fault });
    const before = stage.theatre.kubernetes.writes;
    stage.ask(said);
    await stage.run("change");
    expect(stage.stored().lastHandledReconcileAt).not.toBe(said);
    return stage.theatre.kubernetes.writes - before;
  }

  it("says nothing of the ask: the next one does, in one write", async () => {
    expect(await askUnfound("now")).toBe(0);
    expect(stage.entry("realtime")).not.toHaveProperty("owed");
    await stage.settle();
    expect(stage.stored()).toMatchObject({ lastHandledReconcileAt: "now" });
    expect(stage.entry("realtime")).not.toHaveProperty("owed");
  });

  it("leaves owed what an earlier ask is owed", async () => {
    const end = await force("INACTIVE");
    await ask("first");
    expect(await askUnfound("second")).toBe(0);
    expect(stage.entry("realtime")).toMatchObject({ owed: true });
    await end();
    await stage.settle();
    expect(stage.stored()).toMatchObject({ lastHandledReconcileAt: "second" });
    expect(stage.entry("realtime")).not.toHaveProperty("owed");
  });
});

it("an ask that is had at once is had once, also by an operator that starts", async () => {
  const before = await refused();
  await ask("now");
  expect(await asked()).toBe(before + 1);
  await looks(stage.life);
  expect(await asked()).toBe(before + 1);
});

it.each([1, 2, 3, 4, 5, 6, 7, 8])(
  "is had after the end of a life that died %i requests after it was heard",
  async (requests) => {
    const before = await refused();
    // What was sent of it is given up in the status before it is sent, and with that the ask is heard.
    stage.putSecret("smtp", { password: "another-password" });
    stage.ask("now");
    await (await stage.theatre.life(requests)).run("Project", "shop");
    const next = await stage.theatre.life();
    await next.settle("Project", "shop");
    const after = await asked();
    expect(after).toBeGreaterThan(before);
    expect(after, "once, and again for an answer that nobody had").toBeLessThanOrEqual(before + 2);
    await looks(next);
    expect(await asked()).toBe(after);
  },
);

it("what was changed by hand before a pause is found at once after it, and not with the next drift check", async () => {
  await stage.apply({ realtime: { maxConcurrentUsers: 100 } });
  await stage.client.realtime.update({ ref: stage.ref, body: { max_concurrent_users: 150 } });
  const end = await force("INACTIVE");
  await ask("now");
  await end();
  await stage.run("progress");
  expect(await stage.client.realtime.get({ ref: stage.ref })).toMatchObject({ max_concurrent_users: 100 });
  await stage.calls();
  await stage.run("progress");
  expect(await stage.calls()).toEqual([]);
});

/** Drifted by hand, so that only an outage repairs it, of a project that is unwell. */
async function unwell(): Promise<void> {
  await stage.apply({ database: { ssl: { enforced: true } } });
  await drift();
  await stage.theatre.pass(3_600_000);
  await stage.theatre.emulator.control.projects.force({ ref: stage.ref, status: "ACTIVE_UNHEALTHY" });
  await stage.run();
}

async function drift(): Promise<void> {
  await stage.client.sslEnforcement.update({ ref: stage.ref, body: { requestedConfig: { database: false } } });
}

async function repairs(): Promise<number> {
  return (await stage.calls()).filter((id) => id === "sslEnforcement.update").length;
}

it("what only an outage repairs of an unwell project is repaired once for who asked when it could not be looked at", async () => {
  await unwell();
  const end = await fails("sslEnforcement.get");
  await ask("now");
  await end();
  await stage.calls();
  const life = await stage.theatre.life();
  await life.run("Project", "shop");
  expect(await repairs()).toBe(1);
  await drift();
  await stage.calls();
  await stage.theatre.pass(3_600_000);
  await looks(life);
  expect(await repairs()).toBe(0);
});

it("an outage that fails is asked for once by who asked once", async () => {
  await unwell();
  const end = await fails("sslEnforcement.update");
  await stage.calls();
  await ask("now");
  await looks(stage.life);
  for (let nth = 0; nth < 6; nth += 1) {
    await stage.theatre.pass(600_000);
    await stage.run("drift");
  }
  expect(await repairs()).toBe(1);
  expect(stage.entry("database.ssl")).toMatchObject({ state: "Drifted" });
  expect(stage.entry("database.ssl")?.message).toContain("baas.dev/reconcile-at");
  await end();
});
