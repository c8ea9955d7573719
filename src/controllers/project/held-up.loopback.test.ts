import { describe, expect, it } from "vitest";
import { SHOP } from "../../../test/support/controllers/asked.ts";
import { askedInEach } from "../../../test/support/controllers/asked-in-each.ts";
import type { Life } from "../../../test/support/controllers/life.ts";

/** A request that cannot be sent, or whose outcome cannot be read: all else of the object goes on. */

const asked = askedInEach();

/** What a token without the right to it is answered. */
async function forbid(operation: string): Promise<void> {
  const fault = { kind: "status", status: 403, body: { message: "not allowed" }, phase: "before" } as const;
  await asked.theatre.emulator.control.faults.add({ operation, count: null, fault });
}

/** Asks for something and for another name at once. */
async function askAndRename(life: Life, verb: string): Promise<void> {
  asked.put("Project", "shop", { ...SHOP, name: "renamed" });
  asked.ask("Project", "shop", verb, "1");
  await life.runWhileTimePasses("Project", "shop");
}

describe("a request", () => {
  it("that needs a read which the token may not make has failed, since nothing was sent", async () => {
    const life = await asked.withShop();
    await forbid("networkBans.list");
    await askAndRename(life, "lift-network-bans");
    expect(asked.requests("Project", "shop", "lift-network-bans")).toMatchObject([
      { state: "Failed", message: expect.stringContaining("not allowed") },
    ]);
    expect(asked.project("shop").name).toBe("renamed");
    expect(await life.settle("Project", "shop")).toMatchObject({ kind: "done" });
    expect(await asked.calls("networkBans.delete")).toBe(0);
  });

  it("whose outcome may not be read ends as Unknown, and the project goes on meanwhile", async () => {
    const life = await asked.withShop();
    await forbid("readOnlyMode.get");
    await asked.theatre.emulator.control.faults.add({
      operation: "readOnlyMode.disableTemporarily",
      fault: { kind: "reset", phase: "before" },
    });
    await askAndRename(life, "allow-writes");
    expect(asked.requests("Project", "shop", "allow-writes")).toMatchObject([
      { state: "Sending", message: expect.stringContaining("not allowed") },
    ]);
    expect(asked.project("shop").name).toBe("renamed");
    await life.run("Project", "shop", "progress");
    await asked.theatre.pass(130_000);
    await life.run("Project", "shop", "progress");
    expect(asked.requests("Project", "shop", "allow-writes")).toMatchObject([
      { state: "Unknown", message: expect.stringContaining("not allowed") },
    ]);
    expect(await life.settle("Project", "shop")).toMatchObject({ kind: "done" });
    expect(await asked.calls("readOnlyMode.disableTemporarily")).toBe(1);
  });

  it("that was answered was done, whatever is read after it", async () => {
    const life = await asked.withShop();
    await forbid("readOnlyMode.get");
    await askAndRename(life, "allow-writes");
    expect(asked.requests("Project", "shop", "allow-writes")).toMatchObject([{ state: "Succeeded" }]);
    expect(await asked.calls("readOnlyMode.disableTemporarily")).toBe(1);
  });

  it("that comes late in a run is recorded with the time that it is by then", async () => {
    const life = await asked.withShop();
    await asked.theatre.emulator.control.faults.add({
      operation: "readOnlyMode.get",
      fault: { kind: "half-open", phase: "before" },
    });
    asked.ask("Project", "shop", "allow-writes", "1");
    asked.ask("Project", "shop", "shut-down-realtime", "1");
    await life.runWhileTimePasses("Project", "shop");
    const [first] = asked.requests("Project", "shop", "allow-writes");
    const [second] = asked.requests("Project", "shop", "shut-down-realtime");
    expect([first?.state, second?.state]).toEqual(["Succeeded", "Succeeded"]);
    expect(Date.parse(second?.sentAt ?? "") - Date.parse(first?.sentAt ?? "")).toBeGreaterThanOrEqual(10_000);
  });
});

it("a branch goes on where the action runs may not be read", async () => {
  const life = await asked.withShop();
  asked.put("Branch", "preview", { projectRef: { name: "shop" } });
  await life.settle("Branch", "preview");
  await forbid("actions.list");
  asked.put("Branch", "preview", { projectRef: { name: "shop" }, name: "renamed" });
  asked.ask("Branch", "preview", "merge", "1");
  expect(await life.settle("Branch", "preview")).toMatchObject({ kind: "done" });
  expect(asked.requests("Branch", "preview", "merge")).toMatchObject([
    { state: "Failed", message: expect.stringContaining("not allowed") },
  ]);
  expect(await asked.calls("branches.merge")).toBe(0);
  const { branches } = await asked.theatre.emulator.control.state.read({});
  expect(branches.map(({ name }) => name)).toContain("renamed");
});
