import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Asked } from "../../../test/support/controllers/asked.ts";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";

/** What annotations of a Project ask for: carried out once per id, whatever is lost on the way. */

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

const SHOP = { organization: "acme", deletionPolicy: "Retain" };

/** A life in which the Project is Ready. */
async function withShop(spec: object = {}): Promise<Life> {
  asked.put("Project", "shop", { ...SHOP, ...spec });
  const life = await theatre.life();
  expect(await life.settle("Project", "shop")).toMatchObject({ kind: "done" });
  return life;
}

const refOf = (): string => asked.project("shop").ref ?? "";

/** A time that point-in-time recovery reaches, once a minute has passed since it was switched on. */
async function withRecovery(): Promise<string> {
  await theatre.emulator.control.projects.patch({ ref: refOf(), pitr: true });
  await theatre.pass(120_000);
  return new Date(theatre.clock.now() - 60_000).toISOString().replace(/\.\d+Z$/u, "Z");
}

describe("a restart", () => {
  it("is asked for once per id, and its end is told", async () => {
    const life = await withShop();
    asked.ask("Project", "shop", "restart", "1");
    await life.run("Project", "shop");
    expect(asked.requests("Project", "shop", "restart")).toMatchObject([{ id: "1", state: "Running" }]);
    expect(asked.condition("Project", "shop", "Ready")).toMatchObject({ status: "Unknown", reason: "Updating" });
    await asked.settle(life, "Project", "shop");
    expect(asked.requests("Project", "shop", "restart")).toMatchObject([
      { id: "1", state: "Succeeded", endedAt: expect.any(String) },
    ]);
    expect(asked.condition("Project", "shop", "Ready")).toMatchObject({ status: "True" });
    await life.run("Project", "shop");
    expect(await asked.calls("projects.restart")).toBe(1);
    asked.ask("Project", "shop", "restart", "2");
    await asked.settle(life, "Project", "shop");
    expect(await asked.calls("projects.restart")).toBe(2);
    asked.ask("Project", "shop", "restart", "1");
    await asked.settle(life, "Project", "shop");
    expect(await asked.calls("projects.restart"), "an id that was used before").toBe(2);
    const told = life.events.map(({ reason }) => reason).filter((reason) => reason.startsWith("Request"));
    expect(told).toEqual(["Requested", "RequestSucceeded", "Requested", "RequestSucceeded"]);
  });

  it("waits while the project changes its state, and is forgotten when nobody asks for it any more", async () => {
    const life = await withShop({ state: "Running" });
    asked.put("Project", "shop", { ...SHOP, state: "Paused" });
    await life.run("Project", "shop");
    asked.ask("Project", "shop", "restart", "1");
    await life.run("Project", "shop");
    expect(asked.requests("Project", "shop", "restart")).toMatchObject([
      { id: "1", state: "Waiting", message: expect.stringContaining("PAUSING") },
    ]);
    asked.ask("Project", "shop", "restart", undefined);
    await life.settle("Project", "shop");
    expect(asked.requests("Project", "shop", "restart")).toEqual([]);
    expect(await asked.calls("projects.restart")).toBe(0);
  });

  it("that the platform refuses has failed, in its words, and the project is Ready all the same", async () => {
    const life = await withShop({ state: "Paused" });
    asked.ask("Project", "shop", "restart", "1");
    await life.settle("Project", "shop");
    expect(asked.requests("Project", "shop", "restart")).toMatchObject([
      { state: "Failed", message: expect.stringContaining("cannot be restarted, it is INACTIVE") },
    ]);
    expect(asked.condition("Project", "shop", "RequestFailed")).toMatchObject({
      status: "True",
      reason: "RequestFailed",
    });
    expect(asked.condition("Project", "shop", "Ready")).toMatchObject({ status: "True" });
    asked.ask("Project", "shop", "restart", undefined);
    await life.settle("Project", "shop");
    expect(asked.condition("Project", "shop", "RequestFailed")).toBeUndefined();
  });

  it("whose answer is lost is known by the state that it leads through", async () => {
    const life = await withShop();
    await theatre.emulator.control.faults.add({
      operation: "projects.restart",
      fault: { kind: "reset", phase: "after" },
    });
    asked.ask("Project", "shop", "restart", "1");
    await asked.settle(life, "Project", "shop");
    expect(asked.requests("Project", "shop", "restart")).toMatchObject([{ state: "Succeeded" }]);
    expect(await asked.calls("projects.restart")).toBe(1);
  });

  it("of which nothing is seen is not sent again: its outcome is unknown", async () => {
    const life = await withShop();
    await theatre.emulator.control.faults.add({
      operation: "projects.restart",
      fault: { kind: "reset", phase: "before" },
    });
    asked.ask("Project", "shop", "restart", "1");
    await asked.settle(life, "Project", "shop");
    expect(asked.requests("Project", "shop", "restart")).toMatchObject([
      { state: "Unknown", message: expect.stringContaining("ask with another id") },
    ]);
    expect(asked.condition("Project", "shop", "RequestFailed")).toMatchObject({ reason: "RequestUnknown" });
    expect(await asked.calls("projects.restart")).toBe(1);
  });

  it("that was certainly not taken is sent when it can be", async () => {
    const life = await withShop();
    // A passing 401, of all that shows whether the token is good.
    for (const operation of ["projects.restart", "profile.get"]) {
      await theatre.emulator.control.faults.add({ operation, fault: { kind: "status", status: 401, phase: "before" } });
    }
    asked.ask("Project", "shop", "restart", "1");
    expect(await life.run("Project", "shop")).toMatchObject({ kind: "transient" });
    await asked.settle(life, "Project", "shop");
    expect(asked.requests("Project", "shop", "restart")).toMatchObject([{ state: "Succeeded" }]);
    expect(await asked.calls("projects.restart")).toBe(2);
  });
});

describe("a restoration to a point in time", () => {
  it("without the add-on has failed in the platform's words", async () => {
    const life = await withShop();
    asked.ask("Project", "shop", "restore-to", "1@2026-01-31T12:00:00Z");
    await asked.settle(life, "Project", "shop");
    const [record] = asked.requests("Project", "shop", "restore-to");
    expect(record?.state).toMatch(/^(Failed|Refused)$/u);
    const past = new Date(theatre.clock.now() - 5000).toISOString().replace(/\.\d+Z$/u, "Z");
    asked.ask("Project", "shop", "restore-to", `2@${past}`);
    await asked.settle(life, "Project", "shop");
    expect(asked.requests("Project", "shop", "restore-to")[1]).toMatchObject({
      id: "2",
      state: "Failed",
      message: expect.stringContaining("PITR is not enabled"),
    });
  });

  it("takes the database back once, however often the operator looks", async () => {
    const life = await withShop();
    const time = await withRecovery();
    asked.ask("Project", "shop", "restore-to", `1@${time}`);
    await asked.settle(life, "Project", "shop");
    expect(asked.requests("Project", "shop", "restore-to")).toMatchObject([
      { id: "1", request: `1@${time}`, state: "Succeeded", message: expect.stringContaining(time) },
    ]);
    await life.run("Project", "shop");
    const { entries } = await theatre.emulator.control.log.read({ operation: "backups.restorePitr" });
    expect(entries.map(({ body }) => body)).toEqual([{ recovery_time_target_unix: Date.parse(time) / 1000 }]);
  });

  it("an operator that dies after any one request never sends it twice, and tells what it knows", async () => {
    await withShop();
    const time = await withRecovery();
    asked.ask("Project", "shop", "restore-to", `1@${time}`);
    const counted = await theatre.life();
    await asked.settle(counted, "Project", "shop");
    const whole = counted.begun;
    expect(whole).toBeGreaterThan(4);
    const outcomes = new Set<string>();
    for (let survived = 0; survived < whole; survived += 1) {
      await anotherTheatre();
      await withShop();
      const again = await withRecovery();
      asked.ask("Project", "shop", "restore-to", `1@${again}`);
      await asked.settle(await theatre.life(survived), "Project", "shop");
      const sent = await asked.calls("backups.restorePitr");
      const last = await theatre.life();
      await asked.settle(last, "Project", "shop");
      const [record] = asked.requests("Project", "shop", "restore-to");
      const calls = await asked.calls("backups.restorePitr");
      expect(calls, `died after ${survived} requests`).toBeLessThanOrEqual(1);
      expect(record?.state, `died after ${survived} requests`).toMatch(calls === 1 ? /^Succeeded$/u : /^Unknown$/u);
      expect(calls).toBeGreaterThanOrEqual(sent);
      outcomes.add(record?.state ?? "");
    }
    // Between the record and the request nothing tells that nothing was sent.
    expect(outcomes).toEqual(new Set(["Succeeded", "Unknown"]));
  }, 120_000);

  it.each([
    { fault: { kind: "reset", phase: "after" }, state: "Succeeded", why: "the answer is lost, and the restoration is seen" },
    { fault: { kind: "reset", phase: "before" }, state: "Unknown", why: "nothing arrives, and nothing tells" },
    { fault: { kind: "status", status: 503, phase: "after" }, state: "Succeeded", why: "a proxy answers in its place" },
    { fault: { kind: "status", status: 500, phase: "before" }, state: "Unknown", why: "the platform fails at it" },
    { fault: { kind: "half-open", phase: "before" }, state: "Unknown", why: "no answer ever comes" },
  ] as const)("is never sent again: $why", async ({ fault, state }) => {
    const life = await withShop();
    const time = await withRecovery();
    await theatre.emulator.control.faults.add({ operation: "backups.restorePitr", fault });
    asked.ask("Project", "shop", "restore-to", `1@${time}`);
    await life.runWhileTimePasses("Project", "shop");
    await asked.settle(life, "Project", "shop");
    expect(asked.requests("Project", "shop", "restore-to")).toMatchObject([{ state }]);
    expect(await asked.calls("backups.restorePitr")).toBe(1);
  });

  it("can be cancelled by another request, which leaves the project paused", async () => {
    const life = await withShop();
    const time = await withRecovery();
    asked.ask("Project", "shop", "restore-to", `1@${time}`);
    await life.run("Project", "shop");
    asked.ask("Project", "shop", "cancel-restore", "1");
    await asked.settle(life, "Project", "shop");
    expect(asked.project("shop").state).toBe("INACTIVE");
    expect(asked.requests("Project", "shop", "cancel-restore")).toMatchObject([{ state: "Succeeded" }]);
    expect(asked.requests("Project", "shop", "restore-to")).toMatchObject([
      { state: "Failed", message: expect.stringContaining("cancelled") },
    ]);
  });

  it("is not cancelled where the spec would restore the project again at once", async () => {
    const life = await withShop({ state: "Running" });
    asked.ask("Project", "shop", "cancel-restore", "1");
    await life.settle("Project", "shop");
    expect(asked.requests("Project", "shop", "cancel-restore")).toMatchObject([
      { state: "Refused", message: expect.stringContaining("spec.state: Running") },
    ]);
    expect(await asked.calls("projects.cancelRestore")).toBe(0);
  });
});

describe("other requests", () => {
  it("lift bans: all of them, or those that are named", async () => {
    const life = await withShop();
    for (const address of ["203.0.113.7", "203.0.113.8", "203.0.113.9"]) {
      await theatre.emulator.control.network.ban({ ref: refOf(), address });
    }
    asked.ask("Project", "shop", "lift-network-bans", "1@203.0.113.7,198.51.100.1");
    await asked.settle(life, "Project", "shop");
    asked.ask("Project", "shop", "lift-network-bans", "2");
    await asked.settle(life, "Project", "shop");
    expect(asked.requests("Project", "shop", "lift-network-bans")).toMatchObject([
      { state: "Succeeded", message: "let in again: 203.0.113.7" },
      { state: "Succeeded", message: "let in again: 203.0.113.8, 203.0.113.9" },
    ]);
  });

  it("let a read-only database write for 15 minutes; a lost answer is told by the end of the override", async () => {
    const life = await withShop();
    await theatre.emulator.control.disk.fill({ ref: refOf(), usedPercent: 97 });
    await theatre.emulator.control.faults.add({
      operation: "readOnlyMode.disableTemporarily",
      fault: { kind: "reset", phase: "after" },
    });
    asked.ask("Project", "shop", "allow-writes", "1");
    await asked.settle(life, "Project", "shop");
    expect(asked.requests("Project", "shop", "allow-writes")).toMatchObject([
      { state: "Succeeded", message: expect.stringContaining("writes until") },
    ]);
    expect(await asked.calls("readOnlyMode.disableTemporarily")).toBe(1);
  });

  it("are sent again where it is certain that nothing came of them", async () => {
    const life = await withShop();
    await theatre.emulator.control.faults.add({
      operation: "readOnlyMode.disableTemporarily",
      fault: { kind: "reset", phase: "before" },
    });
    asked.ask("Project", "shop", "allow-writes", "1");
    await life.run("Project", "shop");
    expect(asked.requests("Project", "shop", "allow-writes")).toMatchObject([{ state: "Sending" }]);
    const began = theatre.clock.now();
    await asked.settle(life, "Project", "shop");
    expect(theatre.clock.now() - began).toBeGreaterThanOrEqual(120_000);
    expect(asked.requests("Project", "shop", "allow-writes")).toMatchObject([{ state: "Succeeded" }]);
    expect(await asked.calls("readOnlyMode.disableTemporarily")).toBe(2);
  });

  it("end realtime's connections; a lost answer leaves the outcome unknown", async () => {
    const life = await withShop();
    asked.ask("Project", "shop", "shut-down-realtime", "1");
    await asked.settle(life, "Project", "shop");
    await theatre.emulator.control.faults.add({
      operation: "realtime.shutdown",
      fault: { kind: "reset", phase: "after" },
    });
    asked.ask("Project", "shop", "shut-down-realtime", "2");
    await asked.settle(life, "Project", "shop");
    expect(asked.requests("Project", "shop", "shut-down-realtime")).toMatchObject([
      { id: "1", state: "Succeeded" },
      { id: "2", state: "Unknown" },
    ]);
    expect(await asked.calls("realtime.shutdown")).toBe(2);
  });
});

describe("nothing is sent", () => {
  const annotations = { "baas.dev/restart": "1", "baas.dev/restore-to": "1@2026-01-31T12:00:00Z" };

  it("for what stood on the object when it was first seen: a copied manifest, a restored backup", async () => {
    asked.put("Project", "shop", SHOP, annotations);
    const life = await theatre.life();
    await life.settle("Project", "shop");
    await asked.settle(life, "Project", "shop");
    expect(asked.project("shop").requests).toMatchObject([
      { verb: "restart", id: "1", state: "Ignored" },
      { verb: "restore-to", id: "1", state: "Ignored" },
    ]);
    expect(await asked.calls("projects.restart")).toBe(0);
    expect(await asked.calls("backups.restorePitr")).toBe(0);
    asked.ask("Project", "shop", "restart", "2");
    await asked.settle(life, "Project", "shop");
    expect(await asked.calls("projects.restart")).toBe(1);
  });

  it("for an object that was made again with the status of the one before", async () => {
    const life = await withShop();
    asked.ask("Project", "shop", "restart", "1");
    await asked.settle(life, "Project", "shop");
    const object = theatre.kubernetes.get("projects", NAMESPACE, "shop");
    if (object === undefined) throw new Error("there is no Project");
    theatre.kubernetes.put("projects", {
      ...object,
      metadata: { ...object.metadata, uid: "another", annotations: { ...object.metadata.annotations, ...annotations } },
      spec: { ...SHOP, ref: refOf() },
    });
    await asked.settle(life, "Project", "shop");
    expect(await asked.calls("projects.restart")).toBe(1);
    expect(await asked.calls("backups.restorePitr")).toBe(0);
    expect(asked.project("shop")).toMatchObject({
      requestsFor: "another",
      requests: [{ verb: "restart", state: "Ignored" }, { verb: "restore-to", state: "Ignored" }],
    });
  });

  it.each([
    { verb: "restart", request: "a b", says: "write a request id", why: "no id" },
    { verb: "restart", request: "1@2026-01-31T12:00:00Z", says: "write a request id", why: "a parameter that it has not" },
    { verb: "restore-to", request: "1", says: "7@2026-01-31T12:00:00Z", why: "no time" },
    { verb: "restore-to", request: "1@2026-02-31T12:00:00Z", says: "7@2026-01-31T12:00:00Z", why: "a day that there is not" },
    { verb: "restore-to", request: "1@2026-01-31", says: "7@2026-01-31T12:00:00Z", why: "a day without a time" },
    { verb: "restore-to", request: "1@2126-01-31T12:00:00Z", says: "yet to come", why: "a time that is yet to come" },
    { verb: "lift-network-bans", request: "1@203.0.113", says: "203.0.113.7", why: "no address" },
  ])("for what is not well-formed: $why", async ({ verb, request, says }) => {
    const life = await withShop();
    const { last } = await theatre.emulator.control.log.read({});
    asked.ask("Project", "shop", verb, request);
    await asked.settle(life, "Project", "shop");
    expect(asked.requests("Project", "shop", verb)).toMatchObject([
      { state: "Refused", message: expect.stringContaining(says) },
    ]);
    expect(asked.condition("Project", "shop", "RequestFailed")).toMatchObject({ status: "True" });
    const { entries } = await theatre.emulator.control.log.read({ after: last });
    expect(entries.filter(({ method }) => method !== "GET")).toEqual([]);
  });

  it("where the object only observes, or is paused", async () => {
    const life = await withShop();
    asked.put("Project", "shop", { ...SHOP, managementPolicy: "Observe" });
    asked.ask("Project", "shop", "restart", "1");
    await life.settle("Project", "shop");
    expect(asked.requests("Project", "shop", "restart")).toMatchObject([
      { state: "Refused", message: expect.stringContaining("Observe") },
    ]);
    asked.put("Project", "shop", SHOP, { "baas.dev/paused": "true", "baas.dev/restart": "2" });
    await life.run("Project", "shop");
    expect(asked.condition("Project", "shop", "Paused")).toMatchObject({ status: "True" });
    expect(await asked.calls("projects.restart")).toBe(0);
  });

  it("for an id that stands for another request of the same verb", async () => {
    const life = await withShop();
    asked.ask("Project", "shop", "lift-network-bans", "1");
    await asked.settle(life, "Project", "shop");
    asked.ask("Project", "shop", "lift-network-bans", "1@203.0.113.7");
    await asked.settle(life, "Project", "shop");
    expect(asked.requests("Project", "shop", "lift-network-bans")[1]).toMatchObject({
      state: "Refused",
      message: expect.stringContaining("write a new one"),
    });
  });

  it("by a run that could not record it first", async () => {
    const life = await withShop();
    asked.ask("Project", "shop", "restart", "1");
    theatre.kubernetes.failWrite(0, "refused");
    await life.run("Project", "shop");
    expect(await asked.calls("projects.restart")).toBe(0);
    await asked.settle(life, "Project", "shop");
    expect(asked.requests("Project", "shop", "restart")).toMatchObject([{ state: "Succeeded" }]);
    expect(await asked.calls("projects.restart")).toBe(1);
  });
});

it("the list stays short, and what an annotation asks for is never forgotten", async () => {
  const life = await withShop();
  for (let id = 0; id < 14; id += 1) {
    asked.ask("Project", "shop", "lift-network-bans", `id-${id}`);
    await life.run("Project", "shop");
  }
  expect(asked.requests("Project", "shop", "lift-network-bans").map(({ id }) => id)).toEqual(
    Array.from({ length: 10 }, (_, n) => `id-${n + 4}`),
  );
  const { version } = theatre.kubernetes;
  await life.run("Project", "shop");
  expect(theatre.kubernetes.version, "a look at rest writes nothing").toBe(version);
});
