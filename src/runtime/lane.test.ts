import { describe, expect, it } from "vitest";
import { baseLevel, type Lane, lanes, laneOfLevel, risenLevel } from "./lane.ts";

describe("levels of lanes", () => {
  it("order edits of Ready objects before first syncs before progress before drift", () => {
    const order: readonly (readonly [Lane, boolean])[] = [
      ["change", true],
      ["change", false],
      ["progress", false],
      ["drift", false],
    ];
    expect(order.map(([lane, wasReady]) => baseLevel(lane, wasReady))).toEqual([0, 1, 2, 3]);
  });

  it("name the lane that they came from", () => {
    for (const lane of lanes) expect(laneOfLevel(baseLevel(lane, false))).toBe(lane);
    expect(laneOfLevel(baseLevel("change", true))).toBe("change");
  });

  it.each([
    { base: 0, waitedMs: 1e9, interval: undefined, risen: { level: 0 }, why: "an edit is at the top" },
    {
      base: 1,
      waitedMs: 59_999,
      interval: undefined,
      risen: { level: 1, nextRiseMs: 1 },
      why: "a first sync has a minute",
    },
    { base: 1, waitedMs: 60_000, interval: undefined, risen: { level: 0 }, why: "and joins the edits then" },
    {
      base: 2,
      waitedMs: 60_000,
      interval: undefined,
      risen: { level: 1, nextRiseMs: 60_000 },
      why: "one step a minute",
    },
    {
      base: 3,
      waitedMs: 0,
      interval: 300_000,
      risen: { level: 3, nextRiseMs: 300_000 },
      why: "drift: its own interval",
    },
    {
      base: 3,
      waitedMs: 300_000,
      interval: 300_000,
      risen: { level: 2, nextRiseMs: 300_000 },
      why: "longer than it: up",
    },
    { base: 3, waitedMs: 900_000, interval: 300_000, risen: { level: 0 }, why: "in the end to the top" },
    {
      base: 3,
      waitedMs: 0,
      interval: 5,
      risen: { level: 3, nextRiseMs: 60_000 },
      why: "a tiny interval counts a minute",
    },
    {
      base: 3,
      waitedMs: 0,
      interval: undefined,
      risen: { level: 3, nextRiseMs: 600_000 },
      why: "no interval: ten minutes",
    },
  ])("rise with waiting: $why", ({ base, waitedMs, interval, risen }) => {
    expect(risenLevel(base, waitedMs, interval)).toEqual(risen);
  });
});
