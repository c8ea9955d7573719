import { describe, expect, it } from "vitest";
import { firstCheck } from "./first-check.ts";

const seen = { generation: 3, observedGeneration: 3, ready: true, deleting: false, driftIntervalMs: 600_000 };

describe("firstCheck", () => {
  it("spreads objects that are reconciled over their drift interval", () => {
    expect(firstCheck(seen, () => 0)).toEqual({ lane: "drift", afterMs: 0, driftIntervalMs: 600_000 });
    expect(firstCheck(seen, () => 0.75)).toEqual({ lane: "drift", afterMs: 450_000, driftIntervalMs: 600_000 });
  });

  it.each([
    { change: { generation: 4 }, lane: "change", why: "the spec was edited while nobody looked" },
    { change: { observedGeneration: -1, ready: false }, lane: "change", why: "a new object says -1" },
    { change: { observedGeneration: undefined, ready: false }, lane: "change", why: "an object without a status" },
    { change: { generation: undefined, observedGeneration: undefined }, lane: "change", why: "nothing is known" },
    { change: { deleting: true }, lane: "change", why: "somebody waits for the deletion" },
    { change: { ready: false }, lane: "progress", why: "it was in the middle of something" },
  ])("runs at once in lane $lane: $why", ({ change, lane }) => {
    const options = firstCheck({ ...seen, ...change }, () => 0.5);
    expect(options.lane).toBe(lane);
    expect(options.afterMs).toBeUndefined();
  });

  it("puts an edit of a Ready object before first syncs", () => {
    expect(firstCheck({ ...seen, generation: 4 }, () => 0).wasReady).toBe(true);
    expect(firstCheck({ ...seen, observedGeneration: -1, ready: false }, () => 0).wasReady).toBe(false);
  });
});
