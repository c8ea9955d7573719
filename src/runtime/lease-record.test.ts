import { describe, expect, it } from "vitest";
import { microTime } from "../base/micro-time.ts";
import { heldSpec, isFree, observe, releasedSpec } from "./lease-record.ts";

const spec = {
  holderIdentity: "a",
  leaseDurationSeconds: 15,
  acquireTime: "2026-01-01T00:00:00.000000Z",
  renewTime: "2026-01-01T00:00:00.000000Z",
  leaseTransitions: 2,
};
const lease = { resourceVersion: "1", spec };

describe("observe", () => {
  it("keeps the time since when a record is the same, also when its labels and with them its version changed", () => {
    const first = observe(undefined, lease, 100);
    expect(observe(first, { ...lease, resourceVersion: "2" }, 900).atMs).toBe(100);
  });

  it.each([
    { change: { renewTime: "2026-01-01T00:00:02.000000Z" }, why: "a renewal" },
    { change: { renewTime: "1970-01-01T00:00:00.000000Z" }, why: "a renewal by a clock that is decades late" },
    { change: { holderIdentity: "b" }, why: "another holder" },
    { change: { leaseTransitions: 3 }, why: "another term" },
  ])("takes any change as a sign of life: $why", ({ change }) => {
    const first = observe(undefined, lease, 100);
    expect(observe(first, { resourceVersion: "2", spec: { ...spec, ...change } }, 900).atMs).toBe(900);
  });
});

describe("isFree", () => {
  it.each([
    { change: { holderIdentity: "" }, afterMs: 0, free: true, why: "released" },
    { change: { holderIdentity: undefined }, afterMs: 0, free: true, why: "never held" },
    { change: {}, afterMs: 14_999, free: false, why: "silent for less than announced" },
    { change: {}, afterMs: 15_000, free: true, why: "silent for as long as announced" },
    { change: { leaseDurationSeconds: 60 }, afterMs: 59_999, free: false, why: "a holder that announced more" },
    {
      change: { leaseDurationSeconds: undefined },
      afterMs: 14_999,
      free: false,
      why: "nothing announced: ours counts",
    },
    { change: { leaseDurationSeconds: 0 }, afterMs: 999, free: false, why: "nonsense counts as one second" },
    {
      change: { leaseDurationSeconds: 2_147_483_647 },
      afterMs: 3_600_000,
      free: true,
      why: "nonsense counts as one hour",
    },
    { change: { renewTime: "2999-01-01T00:00:00.000000Z" }, afterMs: 15_000, free: true, why: "times are not read" },
  ])("$why", ({ change, afterMs, free }) => {
    const seen = observe(undefined, { resourceVersion: "1", spec: { ...spec, ...change } }, 1_000);
    expect(isFree(seen, 1_000 + afterMs, 15_000)).toBe(free);
  });
});

describe("what is written", () => {
  const wallMs = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
  const now = "2026-01-02T03:04:05.678000Z";
  const us = { identity: "us", durationMs: 15_000, wallMs };

  it("has times with microseconds", () => {
    expect(microTime(wallMs)).toBe(now);
  });

  it("of the first holder starts at no transition", () => {
    expect(heldSpec(undefined, us)).toEqual({
      holderIdentity: "us",
      leaseDurationSeconds: 15,
      acquireTime: now,
      renewTime: now,
      leaseTransitions: 0,
    });
  });

  it("of a new holder counts a transition, of a renewal does not and keeps the time of acquiring", () => {
    expect(heldSpec(spec, us)).toMatchObject({ holderIdentity: "us", acquireTime: now, leaseTransitions: 3 });
    expect(heldSpec(spec, { ...us, identity: "a" })).toEqual({ ...spec, renewTime: now });
  });

  it("of a release names nobody, and asks nobody to wait", () => {
    expect(releasedSpec(spec, wallMs)).toMatchObject({
      holderIdentity: "",
      leaseDurationSeconds: 1,
      leaseTransitions: 2,
    });
  });
});
