import { expect, it } from "vitest";
import { ManualClock } from "../../base/manual-clock.ts";
import { DeletionTimes } from "./deletion-times.ts";

const MINUTE_MS = 60_000;

/** The apiserver's clock is an hour behind ours. */
function begin(): { readonly clock: ManualClock; readonly times: DeletionTimes; readonly ago: (ms: number) => string } {
  const clock = new ManualClock();
  const serverNow = (): number => clock.now() - 60 * MINUTE_MS;
  const ago = (ms: number): string => new Date(serverNow() - ms).toISOString();
  return { clock, times: new DeletionTimes(clock, serverNow), ago };
}

it("counts a deletion from when the apiserver wrote that it began", () => {
  const { clock, times, ago } = begin();
  const metadata = { uid: "a", deletionTimestamp: ago(MINUTE_MS) };
  expect(times.elapsedMs(metadata)).toBe(MINUTE_MS);
  clock.advance(MINUTE_MS);
  expect(times.elapsedMs(metadata)).toBe(2 * MINUTE_MS);
});

it.each([
  { why: "the timeout is not over", deletedMs: 5 * MINUTE_MS, timeout: "15m", leftMs: 10 * MINUTE_MS },
  { why: "it is over, and nobody tried", deletedMs: 60 * MINUTE_MS, timeout: "15m", leftMs: 2 * MINUTE_MS },
  { why: "it is over soon", deletedMs: 14 * MINUTE_MS, timeout: "15m", leftMs: 2 * MINUTE_MS },
  { why: "a shorter one is tried no longer than itself", deletedMs: 60 * MINUTE_MS, timeout: "1m", leftMs: MINUTE_MS },
])("leaves a process time to try: $why", ({ deletedMs, timeout, leftMs }) => {
  const { clock, times, ago } = begin();
  const metadata = { uid: "a", deletionTimestamp: ago(deletedMs) };
  expect(times.leftMs(metadata, timeout)).toBe(leftMs);
  clock.advance(leftMs);
  expect(times.leftMs(metadata, timeout)).toBe(0);
});

it.each([
  { why: "two minutes are left to carry it out", deletedMs: 0, timeout: "15m", waitMs: 13 * MINUTE_MS },
  { why: "of a shorter one half", deletedMs: 0, timeout: "2m", waitMs: MINUTE_MS },
  { why: "nobody followed what it waits for", deletedMs: 60 * MINUTE_MS, timeout: "15m", waitMs: 2 * MINUTE_MS },
  { why: "nor of a shorter one", deletedMs: 60 * MINUTE_MS, timeout: "2m", waitMs: MINUTE_MS },
])("lets a deletion wait, and be tried after that: $why", ({ deletedMs, timeout, waitMs }) => {
  const { clock, times, ago } = begin();
  const metadata = { uid: "a", deletionTimestamp: ago(deletedMs) };
  expect(times.leftToWaitMs(metadata, timeout)).toBe(waitMs);
  clock.advance(waitMs - 1);
  expect(times.leftToWaitMs(metadata, timeout)).toBe(1);
  clock.advance(1);
  expect(times.leftToWaitMs(metadata, timeout)).toBe(0);
  expect(times.leftMs(metadata, timeout)).toBeGreaterThanOrEqual(Math.min(waitMs, 2 * MINUTE_MS) - 1);
});

it.each([
  { why: "it has an hour", elapsedMs: 0, leftMs: 60 * MINUTE_MS },
  { why: "of which some is over", elapsedMs: 50 * MINUTE_MS, leftMs: 10 * MINUTE_MS },
  { why: "of which nobody followed any", elapsedMs: 120 * MINUTE_MS, leftMs: 2 * MINUTE_MS },
])("lets the end of a ttl wait for as long as it may, and for two minutes of this process: $why", (row) => {
  const { clock, times } = begin();
  const left = (passedMs: number): number => times.leftOfEndMs("a", row.elapsedMs + passedMs, 60 * MINUTE_MS);
  expect(left(0)).toBe(row.leftMs);
  clock.advance(row.leftMs);
  expect(left(row.leftMs)).toBe(0);
  times.forget("a");
  expect(times.size).toBe(0);
});

it("counts what the platform carries out from when that was first seen", () => {
  const { clock, times, ago } = begin();
  const metadata = { uid: "a", deletionTimestamp: ago(60 * MINUTE_MS) };
  expect(times.underWayMs(metadata)).toBe(0);
  clock.advance(MINUTE_MS);
  expect(times.underWayMs(metadata)).toBe(MINUTE_MS);
});

it("counts for how long nothing is let in, from the start or from the first look after one that was", () => {
  const { clock, times, ago } = begin();
  const metadata = { uid: "a", deletionTimestamp: ago(60 * MINUTE_MS) };
  times.elapsedMs(metadata);
  clock.advance(MINUTE_MS);
  expect(times.keptOutMs(metadata)).toBe(MINUTE_MS);
  times.letIn(metadata);
  clock.advance(MINUTE_MS);
  expect(times.keptOutMs(metadata)).toBe(0);
  clock.advance(MINUTE_MS);
  expect(times.keptOutMs(metadata)).toBe(MINUTE_MS);
});

it("remembers nothing of what is not being deleted, nor of what is gone", () => {
  const { times, ago } = begin();
  expect([times.elapsedMs({ uid: "b" }), times.size]).toEqual([0, 0]);
  times.leftMs({ uid: "a", deletionTimestamp: ago(0) }, "15m");
  expect(times.size).toBe(1);
  times.forget("a");
  expect(times.size).toBe(0);
});
