import { beforeEach, describe, expect, it } from "vitest";
import { askedInEach } from "../../../test/support/controllers/asked-in-each.ts";
import type { Life } from "../../../test/support/controllers/life.ts";

/** A request that the platform certainly did not take is sent again, and only what changes is told: at most one write of the status for each try. */

const asked = askedInEach();
let life: Life;

beforeEach(async () => {
  life = await asked.withShop();
});

/** Has the platform refuse so many requests of a restart, and those by which it is found out whether the token is good. */
async function refuse(status: number, count: number | null): Promise<void> {
  for (const operation of ["projects.restart", ...(status === 401 ? ["profile.get"] : [])]) {
    await asked.theatre.emulator.control.faults.add({
      operation,
      count,
      fault: { kind: "status", status, phase: "before" },
    });
  }
}

/** Longer than the platform is left alone after a 429, milliseconds. */
const REST_MS = 120_000;

/** A run in which it is tried. @returns how often it wrote to the apiserver */
async function writesOfTry(): Promise<number> {
  await asked.theatre.pass(REST_MS);
  const calls = await asked.calls("projects.restart");
  const { writes } = asked.theatre.kubernetes;
  await life.runWhileTimePasses("Project", "shop");
  expect(await asked.calls("projects.restart")).toBeGreaterThan(calls);
  return asked.theatre.kubernetes.writes - writes;
}

describe.each([401, 429])("refused with %i", (status) => {
  it("writes once for each try, but for the first, which says more than one thing", async () => {
    await refuse(status, null);
    asked.ask("Project", "shop", "restart", "1");
    expect(await writesOfTry()).toBeLessThanOrEqual(2);
    const [first] = asked.requests("Project", "shop", "restart");
    expect(first?.message).toContain("was not sent yet");
    for (let n = 0; n < 4; n += 1) {
      expect(await writesOfTry()).toBeLessThanOrEqual(1);
      expect(asked.requests("Project", "shop", "restart")).toMatchObject([{ message: first?.message }]);
    }
  });

  it("is sent once it is taken, once", async () => {
    await refuse(status, null);
    asked.ask("Project", "shop", "restart", "1");
    for (let n = 0; n < 3; n += 1) await writesOfTry();
    await asked.theatre.emulator.control.faults.clear();
    const before = await asked.calls("projects.restart");
    await asked.settle(life, "Project", "shop");
    expect(asked.requests("Project", "shop", "restart")).toMatchObject([{ state: "Succeeded" }]);
    expect(await asked.calls("projects.restart")).toBe(before + 1);
  });

  it("is never sent again by a life that knows nothing of the tries of the one before", async () => {
    await refuse(status, null);
    asked.ask("Project", "shop", "restart", "1");
    for (let n = 0; n < 3; n += 1) await writesOfTry();
    await asked.theatre.emulator.control.faults.clear();
    const before = await asked.calls("projects.restart");
    const next = await asked.theatre.life();
    await asked.settle(next, "Project", "shop");
    expect(asked.requests("Project", "shop", "restart")).toMatchObject([{ state: "Unknown" }]);
    expect(await asked.calls("projects.restart")).toBe(before);
  });

  it("is told as before where it is not tried any more", async () => {
    await refuse(status, null);
    asked.ask("Project", "shop", "restart", "1");
    for (let n = 0; n < 3; n += 1) await writesOfTry();
    asked.ask("Project", "shop", "restart", undefined);
    await asked.theatre.emulator.control.faults.clear();
    await asked.settle(life, "Project", "shop");
    expect(asked.requests("Project", "shop", "restart")).toEqual([]);
  });
});
