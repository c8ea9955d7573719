import { describe, expect, it } from "vitest";
import { GATHER_MS, holdMs, MOST_HELD_MS, outcomeOf } from "./redeploy-rules.ts";

describe("a function whose environment has changed", () => {
  it.each([
    { why: "waits a moment for further changes", sinceMs: 0, changing: false, held: GATHER_MS },
    { why: "waits for the rest of that moment", sinceMs: 500, changing: false, held: GATHER_MS - 500 },
    { why: "is deployed when it is over", sinceMs: GATHER_MS, changing: false, held: 0 },
    { why: "waits for changes that have begun", sinceMs: GATHER_MS, changing: true, held: MOST_HELD_MS - GATHER_MS },
    { why: "waits for none that does not end", sinceMs: MOST_HELD_MS, changing: true, held: 0 },
    { why: "waits no less than nothing", sinceMs: 10 * MOST_HELD_MS, changing: true, held: 0 },
  ])("$why", ({ sinceMs, changing, held }) => {
    expect(holdMs({ sinceMs, changing })).toBe(held);
  });
});

describe("a deployment that was recorded", () => {
  it.each([
    { why: "has come to pass where the version is another one", version: 4, inDoubtMs: 1000, outcome: "deployed" },
    { why: "has so too after any time", version: 4, inDoubtMs: -1, outcome: "deployed" },
    { why: "has so where the function was made anew since", version: 1, inDoubtMs: 1000, outcome: "deployed" },
    { why: "is in doubt while its effect may arrive", version: 3, inDoubtMs: 1, outcome: "in doubt" },
    { why: "came to nothing when that is over", version: 3, inDoubtMs: 0, outcome: "nothing" },
    { why: "says nothing of a function that is missing", version: undefined, inDoubtMs: 1000, outcome: "nothing" },
  ])("$why", ({ version, inDoubtMs, outcome }) => {
    expect(outcomeOf({ version: 3 }, version === undefined ? undefined : { version }, inDoubtMs)).toBe(outcome);
  });
});
