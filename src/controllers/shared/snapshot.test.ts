import { expect, it } from "vitest";
import { acceptableAgeMs } from "./snapshot.ts";

const interval = 600_000;

it.each([
  { lane: "change" as const, ready: true, ms: 10_000, why: "an edit is decided on ten seconds at most (engine.md §3)" },
  { lane: "sync" as const, ready: false, ms: 10_000, why: "so is a first look" },
  { lane: "progress" as const, ready: false, ms: 2000, why: "what is polled must be seen to move" },
  { lane: "drift" as const, ready: true, ms: interval, why: "one read serves a whole interval" },
  { lane: "drift" as const, ready: false, ms: 2000, why: "a slow look at what is stalled is no drift check" },
])("a list may be $ms ms old in lane $lane (ready: $ready): $why", ({ lane, ready, ms }) => {
  expect(acceptableAgeMs({ lane, ready, driftIntervalMs: interval })).toBe(ms);
});

it("is as for a change where drift is not looked for", () => {
  expect(acceptableAgeMs({ lane: "drift", ready: true, driftIntervalMs: undefined })).toBe(10_000);
});
