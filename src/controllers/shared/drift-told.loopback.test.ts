import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DRIFT_MS, type Drifts, drifts, openDrifts } from "../../../test/support/controllers/drifts.ts";
import { type Readings, readings } from "../../../test/support/runtime/readings.ts";

/** engine.md §6: that drift was corrected is told, and counted, of a write that was made, and once of each. */

let read: Readings["read"];
let stage: Drifts;

beforeEach(async () => {
  const { meter, ...reading } = readings();
  ({ read } = reading);
  stage = await openDrifts({ meter });
});

afterEach(() => stage.theatre[Symbol.asyncDispose]());

const faults = [
  { fault: { kind: "status", status: 403 }, why: "is refused" },
  { fault: { kind: "status", status: 429, headers: { "retry-after": "30" } }, why: "waits for budget" },
  { fault: { kind: "reset", phase: "before" }, why: "is lost with its answer" },
] as const;

const cases = drifts.flatMap((row) => faults.map((fault) => ({ ...row, ...fault })));

/** What the events of this life say of drift that was corrected. */
function corrected(): readonly string[] {
  return stage.life.events.filter(({ reason }) => reason === "DriftCorrected").map(({ note }) => note);
}

describe("that drift was corrected is told", () => {
  it.each(cases)("once, and only when it was: $what, whose write $why", async (row) => {
    const { kind, name, drift, operation, field, fault } = row;
    const { theatre, life } = stage;
    await drift(stage);
    await theatre.pass(DRIFT_MS);
    await theatre.emulator.control.faults.add({ operation, count: 3, fault });
    const { last } = await theatre.emulator.control.log.read({});
    const counted = (): number => read("baas_drift_total", { kind, action: "corrected" });
    const written = async (): Promise<number> => {
      const { entries } = await theatre.emulator.control.log.read({ after: last, operation });
      return entries.filter(({ status }) => status !== null && status < 300).length;
    };
    for (let run = 0; run < 5; run += 1) {
      await life.runWhileTimePasses(kind, name, run === 0 ? "drift" : "progress");
      const writes = await written();
      expect([corrected().length, counted()], `after run ${run}`).toEqual([writes, writes]);
      await theatre.pass(60_000);
    }
    await theatre.emulator.control.faults.clear();
    await theatre.pass(DRIFT_MS);
    expect(await life.settle(kind, name)).toMatchObject({ kind: "done" });
    expect(corrected()).toEqual([`the remote side differed and was repaired: ${field}`]);
    expect(counted()).toBe(1);
  });
});
