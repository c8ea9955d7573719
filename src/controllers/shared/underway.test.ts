import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runOf, testEnvironment } from "../../../test/support/controllers/environment.ts";
import { ManualClock } from "../../base/manual-clock.ts";
import { branchKind } from "../../resources/branch/kind.ts";
import { pollDelayMs } from "./polling.ts";
import { trackUnderway } from "./underway.ts";

const creating = {
  operation: "Creating",
  reason: "Provisioning",
  message: "the branch is CREATING_PROJECT",
  timeout: "10m",
} as const;

function runWith(clock: ManualClock, underway?: object) {
  const status = { observedGeneration: 1, conditions: [], ...(underway === undefined ? {} : { underway }) };
  const metadata = { name: "preview", namespace: "ns", uid: "uid", resourceVersion: "1", generation: 1 };
  return runOf(testEnvironment({ clock }), branchKind, {
    apiVersion: "baas.dev/v1alpha1",
    kind: "Branch",
    metadata,
    status,
  });
}

describe("trackUnderway", () => {
  it("notes when it began, once, and waits", () => {
    const clock = new ManualClock();
    const run = runWith(clock);
    expect(trackUnderway(run, creating)).toMatchObject({ code: "WAITING", reason: "Provisioning", retryAfterMs: 2000 });
    expect(run.status.current.underway).toEqual({ operation: "Creating", since: "2026-01-01T00:00:00Z" });
    clock.advance(100_000);
    expect(trackUnderway(run, creating)).toMatchObject({ retryAfterMs: 20_000 });
    expect(run.status.current.underway?.since).toBe("2026-01-01T00:00:00Z");
  });

  it("[K-04] [K-26] is Stalled at the deadline, counted from before a restart, and looked at all the same", () => {
    const clock = new ManualClock();
    const since = "2026-01-01T00:00:00Z";
    clock.advance(600_000 - 1);
    expect(trackUnderway(runWith(clock, { operation: "Creating", since }), creating)).toMatchObject({
      code: "WAITING",
    });
    clock.advance(1);
    const late = trackUnderway(runWith(clock, { operation: "Creating", since }), creating);
    expect(late).toMatchObject({ code: "TERMINAL", reason: "DeadlineExceeded", recheckAfterMs: 60_000 });
    expect(late.message).toContain(`since ${since}, longer than provisioningTimeout 10m`);
  });

  it("says the same for as long as it is stuck, so that nothing is written again and again", () => {
    const clock = new ManualClock();
    const run = runWith(clock, { operation: "Creating", since: "2026-01-01T00:00:00Z" });
    clock.advance(3_600_000);
    const { message } = trackUnderway(run, creating);
    clock.advance(3_600_000);
    expect(trackUnderway(run, creating).message).toBe(message);
  });

  it("begins anew with another operation", () => {
    const clock = new ManualClock();
    const run = runWith(clock, { operation: "Creating", since: "2026-01-01T00:00:00Z" });
    clock.advance(3_600_000);
    expect(trackUnderway(run, { ...creating, operation: "Migrating" })).toMatchObject({ code: "WAITING" });
    expect(run.status.current.underway).toEqual({ operation: "Migrating", since: "2026-01-01T01:00:00Z" });
  });
});

describe("pollDelayMs", () => {
  it("looks soon at first, then ever less often, and never more than half a minute apart", () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (a, b) => {
        expect(pollDelayMs(a)).toBeGreaterThanOrEqual(2000);
        expect(pollDelayMs(a)).toBeLessThanOrEqual(30_000);
        expect(pollDelayMs(Math.max(a, b))).toBeGreaterThanOrEqual(pollDelayMs(Math.min(a, b)));
      }),
    );
  });
});
