import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Asked } from "../../../test/support/controllers/asked.ts";
import { openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";

/** A database that is to go back to a point in time: a second time would lose what was written after the first, so that it is never asked for twice. */

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

/** A time that point-in-time recovery reaches, once a minute has passed since it was switched on. */
async function withRecovery(): Promise<string> {
  await theatre.emulator.control.projects.patch({ ref: asked.shopRef(), pitr: true });
  await theatre.pass(120_000);
  return new Date(theatre.clock.now() - 60_000).toISOString().replace(/\.\d+Z$/u, "Z");
}

const faults = fc.constantFrom("none", "refused", "lost");

describe("a restoration to a point in time", () => {
  it("without the add-on has failed in the platform's words", async () => {
    const life = await asked.withShop();
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
    const life = await asked.withShop();
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
    await asked.withShop();
    const time = await withRecovery();
    asked.ask("Project", "shop", "restore-to", `1@${time}`);
    const counted = await theatre.life();
    await asked.settle(counted, "Project", "shop");
    const whole = counted.begun;
    expect(whole).toBeGreaterThan(4);
    const outcomes = new Set<string>();
    for (let survived = 0; survived < whole; survived += 1) {
      await anotherTheatre();
      await asked.withShop();
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

  it("is sent once whatever lives of the operator end when, and whatever writes to the apiserver fail", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ requests: fc.nat({ max: 12 }), skip: fc.nat({ max: 6 }), fault: faults }), {
          maxLength: 4,
        }),
        async (lives) => {
          await anotherTheatre();
          await asked.withShop();
          asked.ask("Project", "shop", "restore-to", `1@${await withRecovery()}`);
          for (const { requests, skip, fault } of lives) {
            if (fault !== "none") theatre.kubernetes.failWrite(skip, fault);
            await asked.settle(await theatre.life(requests), "Project", "shop");
          }
          await asked.settle(await theatre.life(), "Project", "shop");
          const calls = await asked.calls("backups.restorePitr");
          const [record] = asked.requests("Project", "shop", "restore-to");
          expect(calls).toBeLessThanOrEqual(1);
          // A restoration that was over before anybody who lived could look has left no trace: then nobody claims to know.
          expect(record?.state).toMatch(calls === 1 ? /^(?:Succeeded|Unknown)$/u : /^Unknown$/u);
        },
      ),
      { numRuns: 15 },
    );
  }, 120_000);

  it.each([
    {
      fault: { kind: "reset", phase: "after" },
      state: "Succeeded",
      why: "the answer is lost, and the restoration is seen",
    },
    { fault: { kind: "reset", phase: "before" }, state: "Unknown", why: "nothing arrives, and nothing tells" },
    { fault: { kind: "status", status: 503, phase: "after" }, state: "Succeeded", why: "a proxy answers in its place" },
    { fault: { kind: "status", status: 500, phase: "before" }, state: "Unknown", why: "the platform fails at it" },
    { fault: { kind: "half-open", phase: "before" }, state: "Unknown", why: "no answer ever comes" },
  ] as const)("is never sent again: $why", async ({ fault, state }) => {
    const life = await asked.withShop();
    const time = await withRecovery();
    await theatre.emulator.control.faults.add({ operation: "backups.restorePitr", fault });
    asked.ask("Project", "shop", "restore-to", `1@${time}`);
    await life.runWhileTimePasses("Project", "shop");
    await asked.settle(life, "Project", "shop");
    expect(asked.requests("Project", "shop", "restore-to")).toMatchObject([{ state }]);
    expect(await asked.calls("backups.restorePitr")).toBe(1);
  });

  it("can be cancelled by another request, which leaves the project paused", async () => {
    const life = await asked.withShop();
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
    const life = await asked.withShop({ state: "Running" });
    asked.ask("Project", "shop", "cancel-restore", "1");
    await life.settle("Project", "shop");
    expect(asked.requests("Project", "shop", "cancel-restore")).toMatchObject([
      { state: "Refused", message: expect.stringContaining("spec.state: Running") },
    ]);
    expect(await asked.calls("projects.cancelRestore")).toBe(0);
  });
});
