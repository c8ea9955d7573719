import { describe, expect, it } from "vitest";
import { SHOP } from "../../../test/support/controllers/asked.ts";
import { askedInEach } from "../../../test/support/controllers/asked-in-each.ts";

/** What annotations of a Project ask for: carried out once per id, whatever is lost on the way. */

const asked = askedInEach();

describe("a restart", () => {
  it("is asked for once per id, and its end is told", async () => {
    const life = await asked.withShop();
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
    const life = await asked.withShop({ state: "Running" });
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
    const life = await asked.withShop({ state: "Paused" });
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

  it("that the token may not ask for has failed with the permission that it takes", async () => {
    const life = await asked.withShop();
    const fault = { kind: "status", status: 403, body: { message: "no" } } as const;
    await asked.theatre.emulator.control.faults.add({ operation: "projects.restart", fault });
    asked.ask("Project", "shop", "restart", "1");
    await life.settle("Project", "shop");
    const [{ state, message } = {}] = asked.requests("Project", "shop", "restart");
    expect({ state, message }).toEqual({ state: "Failed", message: expect.stringMatching(/permission \w+_write/u) });
  });

  it("whose answer is lost is known by the state that it leads through", async () => {
    const life = await asked.withShop();
    await asked.theatre.emulator.control.faults.add({
      operation: "projects.restart",
      fault: { kind: "reset", phase: "after" },
    });
    asked.ask("Project", "shop", "restart", "1");
    await asked.settle(life, "Project", "shop");
    expect(asked.requests("Project", "shop", "restart")).toMatchObject([{ state: "Succeeded" }]);
    expect(await asked.calls("projects.restart")).toBe(1);
  });

  it("of which nothing is seen is not sent again: its outcome is unknown", async () => {
    const life = await asked.withShop();
    await asked.theatre.emulator.control.faults.add({
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
    const life = await asked.withShop();
    // A passing 401, of all that shows whether the token is good.
    for (const operation of ["projects.restart", "profile.get"]) {
      await asked.theatre.emulator.control.faults.add({
        operation,
        fault: { kind: "status", status: 401, phase: "before" },
      });
    }
    asked.ask("Project", "shop", "restart", "1");
    expect(await life.run("Project", "shop")).toMatchObject({ kind: "transient" });
    await asked.settle(life, "Project", "shop");
    expect(asked.requests("Project", "shop", "restart")).toMatchObject([{ state: "Succeeded" }]);
    expect(await asked.calls("projects.restart")).toBe(2);
  });
});

describe("other requests", () => {
  it("lift bans: all of them, or those that are named", async () => {
    const life = await asked.withShop();
    for (const address of ["203.0.113.7", "203.0.113.8", "203.0.113.9"]) {
      await asked.theatre.emulator.control.network.ban({ ref: asked.shopRef(), address });
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
    const life = await asked.withShop();
    await asked.theatre.emulator.control.disk.fill({ ref: asked.shopRef(), usedPercent: 97 });
    await asked.theatre.emulator.control.faults.add({
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
    const life = await asked.withShop();
    await asked.theatre.emulator.control.faults.add({
      operation: "readOnlyMode.disableTemporarily",
      fault: { kind: "reset", phase: "before" },
    });
    asked.ask("Project", "shop", "allow-writes", "1");
    await life.run("Project", "shop");
    expect(asked.requests("Project", "shop", "allow-writes")).toMatchObject([{ state: "Sending" }]);
    const began = asked.theatre.clock.now();
    await asked.settle(life, "Project", "shop");
    expect(asked.theatre.clock.now() - began).toBeGreaterThanOrEqual(120_000);
    expect(asked.requests("Project", "shop", "allow-writes")).toMatchObject([{ state: "Succeeded" }]);
    expect(await asked.calls("readOnlyMode.disableTemporarily")).toBe(2);
  });

  it("end realtime's connections; a lost answer leaves the outcome unknown", async () => {
    const life = await asked.withShop();
    asked.ask("Project", "shop", "shut-down-realtime", "1");
    await asked.settle(life, "Project", "shop");
    await asked.theatre.emulator.control.faults.add({
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

it("the list stays short, and what an annotation asks for is never forgotten", async () => {
  const life = await asked.withShop();
  for (let id = 0; id < 14; id += 1) {
    asked.ask("Project", "shop", "lift-network-bans", `id-${id}`);
    await life.run("Project", "shop");
  }
  expect(asked.requests("Project", "shop", "lift-network-bans").map(({ id }) => id)).toEqual(
    Array.from({ length: 10 }, (_, n) => `id-${n + 4}`),
  );
  const { version } = asked.theatre.kubernetes;
  await life.run("Project", "shop");
  expect(asked.theatre.kubernetes.version, "a look at rest writes nothing").toBe(version);
});
