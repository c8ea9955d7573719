import { describe, expect, it } from "vitest";
import { baseLevel, type Lane, lanes, laneOfLevel, risenLevel, urgencyOf } from "./lane.ts";

const [edit, sync, poll, drift] = [0, 2, 3, 4] as const;

describe("levels of lanes", () => {
  it("order edits of Ready objects before first syncs before progress before drift", () => {
    const order: readonly (readonly [Lane, boolean])[] = [
      ["change", true],
      ["change", false],
      ["progress", false],
      ["drift", false],
    ];
    expect(order.map(([lane, wasReady]) => baseLevel(lane, wasReady))).toEqual([0, 2, 3, 4]);
  });

  it("name the lane that they came from", () => {
    for (const lane of lanes) expect(laneOfLevel(baseLevel(lane, false))).toBe(lane);
    expect(laneOfLevel(baseLevel("change", true))).toBe("change");
  });

  it.each([
    { base: edit, waitedMs: 1e9, interval: undefined, risen: { level: 0 }, why: "an edit is at the top" },
    { base: sync, waitedMs: 59_999, interval: undefined, risen: { level: 2, nextRiseMs: 1 }, why: "a minute" },
    {
      base: sync,
      waitedMs: 60_000,
      interval: undefined,
      risen: { level: 1 },
      why: "then a sync takes turns with edits",
    },
    {
      base: poll,
      waitedMs: 60_000,
      interval: undefined,
      risen: { level: 2, nextRiseMs: 60_000 },
      why: "a poll goes with the first syncs after a minute",
    },
    { base: poll, waitedMs: 120_000, interval: undefined, risen: { level: 1 }, why: "and with the edits after two" },
    { base: drift, waitedMs: 0, interval: 300_000, risen: { level: 4, nextRiseMs: 300_000 }, why: "its own interval" },
    { base: drift, waitedMs: 300_000, interval: 300_000, risen: { level: 1 }, why: "a check that missed its turn" },
    { base: drift, waitedMs: 0, interval: 5, risen: { level: 4, nextRiseMs: 60_000 }, why: "at least a minute" },
    { base: drift, waitedMs: 0, interval: undefined, risen: { level: 4, nextRiseMs: 600_000 }, why: "ten minutes" },
  ])("rise with waiting: $why", ({ base, waitedMs, interval, risen }) => {
    expect(risenLevel(base, waitedMs, interval)).toEqual(risen);
  });

  it.each([
    { base: edit, risen: edit, urgency: "change", why: "somebody waits" },
    { base: sync, risen: sync, urgency: "sync", why: "a first sync" },
    {
      base: sync,
      risen: 1,
      urgency: "sync",
      why: "the slots that are kept for edits are kept from first syncs, however old",
    },
    { base: poll, risen: poll, urgency: "progress", why: "a poll" },
    { base: poll, risen: sync, urgency: "sync", why: "a thousand first syncs do not keep a poll from its budget" },
    { base: drift, risen: drift, urgency: "drift", why: "a look" },
    { base: drift, risen: 1, urgency: "change", why: "edits do not keep a look from its budget for ever" },
  ])("say how urgent requests are ($urgency from level $base at $risen): $why", ({ base, risen, urgency }) => {
    expect(urgencyOf(base, risen)).toBe(urgency);
  });
});
