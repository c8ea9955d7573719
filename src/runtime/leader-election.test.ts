import { describe, expect, it } from "vitest";
import { type Fault, LeaseServer } from "../../test/support/runtime/lease-server.ts";
import { readings } from "../../test/support/runtime/readings.ts";
import type { Clock } from "../base/clock.ts";
import { silentLogger } from "../base/log.ts";
import { ManualClock } from "../base/manual-clock.ts";
import { silentMeter } from "../base/meter.ts";
import { LEASE_TIMES, LeaderElector, newIdentity } from "./leader-election.ts";

const clean = { clean: true };

/** A lease and processes that want it. Each has its own wall clock, faults for its first requests, and then one that may change. */
function scene() {
  const clock = new ManualClock();
  const server = new LeaseServer(clock);
  const process = (identity: string, first: readonly Fault[] = []) => {
    const fault: Fault = {};
    const state = { fault, wallOffsetMs: 0, blockedMs: 0, leads: false };
    const faults = [...first];
    const own: Clock = {
      now: () => clock.now() + state.wallOffsetMs + state.blockedMs,
      monotonic: () => clock.monotonic() + state.blockedMs,
      setTimer: (ms, callback) => clock.setTimer(ms, callback),
    };
    const elector = new LeaderElector({
      leases: server.client(() => faults.shift() ?? state.fault),
      identity,
      clock: own,
      random: () => 0.5,
      log: silentLogger,
      meter: silentMeter,
    });
    const stop = new AbortController();
    const acquired = elector.acquire(stop.signal).then(() => {
      state.leads = true;
    });
    acquired.catch(() => undefined);
    return { elector, state, stop, acquired };
  };
  return { clock, server, process };
}

describe("LeaderElector", () => {
  it("takes a lease that nobody has, and keeps it for as long as it renews", async () => {
    const { clock, server, process } = scene();
    const a = process("a");
    await clock.advanceAsync(0);
    expect(a.state.leads).toBe(true);
    expect(a.elector.mayStart()).toBe(true);
    expect(server.lease?.spec).toMatchObject({ holderIdentity: "a", leaseDurationSeconds: 15, leaseTransitions: 0 });
    for (let minute = 0; minute < 60; minute += 1) {
      await clock.advanceAsync(60_000);
      expect(a.elector.mayStart()).toBe(true);
    }
    expect(a.elector.lost.aborted).toBe(false);
  });

  it("waits while another renews, whatever that one's clock says", async () => {
    const { clock, process } = scene();
    const a = process("a");
    a.state.wallOffsetMs = -7 * 86_400_000;
    await clock.advanceAsync(0);
    const b = process("b");
    await clock.advanceAsync(600_000);
    expect([a.elector.mayStart(), b.elector.mayStart()]).toEqual([true, false]);
    expect([a.elector.mayRead(), b.elector.mayRead()]).toEqual([true, true]); // who waits fills its caches
  });

  it("takes over from a holder that went silent, not before the time that it announced, and counts the change", async () => {
    const { clock, server, process } = scene();
    server.set({
      holderIdentity: "dead",
      leaseDurationSeconds: 15,
      renewTime: "2026-01-01T00:00:00.000000Z",
      leaseTransitions: 4,
    });
    const b = process("b");
    await clock.advanceAsync(14_999);
    expect(b.state.leads).toBe(false);
    await clock.advanceAsync(1 + 2 * LEASE_TIMES.retryMs);
    expect(b.state.leads).toBe(true);
    expect(server.lease?.spec).toMatchObject({ holderIdentity: "b", leaseTransitions: 5 });
  });

  it("may start nothing later than the renew deadline after the start of its last renewal, to the millisecond", async () => {
    const { clock, process } = scene();
    const a = process("a");
    await clock.advanceAsync(0);
    a.state.fault = { lost: "request" };
    await clock.advanceAsync(LEASE_TIMES.renewDeadlineMs - 1);
    expect(a.elector.mayStart()).toBe(true);
    expect(a.elector.lost.aborted).toBe(false);
    await clock.advanceAsync(1);
    expect(a.elector.mayStart()).toBe(false);
    expect(a.elector.lost.reason).toMatchObject({ code: "LEASE_LOST" });
  });

  it("counts from when a renewal was sent, not from when its answer came", async () => {
    const { clock, process } = scene();
    const a = process("a");
    await clock.advanceAsync(0);
    a.state.fault = { afterMs: 4_000 };
    await clock.advanceAsync(2_000 + 4_000); // sent at 2 s, answered at 6 s
    a.state.fault = { lost: "request" };
    await clock.advanceAsync(2_000 + LEASE_TIMES.renewDeadlineMs - 6_000 - 1);
    expect(a.elector.mayStart()).toBe(true);
    await clock.advanceAsync(1);
    expect(a.elector.mayStart()).toBe(false);
  });

  it("may start nothing after its event loop was blocked for too long, although no timer has fired", async () => {
    const { clock, process } = scene();
    const a = process("a");
    await clock.advanceAsync(0);
    a.state.fault = { afterMs: 4_000 };
    await clock.advanceAsync(2_000 + 4_000); // sent at 2 s, answered at 6 s
    a.state.blockedMs = 5_999;
    expect(a.elector.mayStart()).toBe(true);
    a.state.blockedMs = 6_000;
    expect([a.elector.mayStart(), a.elector.mayRead()]).toEqual([false, false]);
    expect(a.elector.lost.aborted).toBe(false);
  });

  it("survives failures that are shorter than the deadline", async () => {
    const { clock, process } = scene();
    const a = process("a");
    await clock.advanceAsync(0);
    for (const fault of [{ lost: "refused" }, { lost: "answer" }, { lost: "request" }] satisfies readonly Fault[]) {
      a.state.fault = fault;
      await clock.advanceAsync(6_000);
      a.state.fault = {};
      await clock.advanceAsync(6_000);
      expect(a.elector.mayStart()).toBe(true);
    }
  });

  it("knows its own lease again when the answer to taking it was lost", async () => {
    const { clock, server, process } = scene();
    const a = process("a", [{}, { lost: "answer" }]);
    await clock.advanceAsync(4_999);
    expect(server.lease?.spec.holderIdentity).toBe("a");
    expect(a.state.leads).toBe(false);
    await clock.advanceAsync(4_000);
    expect(a.state.leads).toBe(true);
    expect(server.lease?.spec.leaseTransitions).toBe(0);
  });

  it("goes on leading when somebody edits labels of the lease, which is no sign of life to others", async () => {
    const { clock, server, process } = scene();
    const a = process("a");
    await clock.advanceAsync(0);
    for (let i = 0; i < 20; i += 1) {
      server.touch();
      await clock.advanceAsync(1_700);
      expect(a.elector.mayStart()).toBe(true);
    }
    server.set({ holderIdentity: "dead", leaseDurationSeconds: 15, renewTime: "x" });
    const b = process("b");
    for (let i = 0; i < 20; i += 1) {
      server.touch();
      await clock.advanceAsync(1_000);
    }
    expect(b.state.leads).toBe(true);
  });

  it("loses at once when it finds another holder in its place", async () => {
    const { clock, server, process } = scene();
    const a = process("a");
    await clock.advanceAsync(0);
    server.set({ holderIdentity: "thief", leaseDurationSeconds: 15 });
    await clock.advanceAsync(2_500);
    expect(a.elector.mayStart()).toBe(false);
    expect(a.elector.lost.aborted).toBe(true);
    expect(server.lease?.spec.holderIdentity).toBe("thief");
  });

  it("makes the lease again when somebody deletes it under the holder, while others give the holder its time", async () => {
    const { clock, server, process } = scene();
    const a = process("a");
    await clock.advanceAsync(0);
    const b = process("b");
    await clock.advanceAsync(3_000);
    server.set(undefined);
    await clock.advanceAsync(5_000);
    expect([a.elector.mayStart(), b.elector.mayStart()]).toEqual([true, false]);
    a.state.fault = { lost: "request" };
    server.set(undefined);
    await clock.advanceAsync(LEASE_TIMES.renewDeadlineMs);
    expect(b.elector.mayStart()).toBe(false);
    await clock.advanceAsync(LEASE_TIMES.durationMs);
    expect(b.elector.mayStart()).toBe(true);
  });

  it("may start nothing later than the renew deadline, though somebody set the wall clock back meanwhile", async () => {
    const { clock, process } = scene();
    const a = process("a");
    await clock.advanceAsync(0);
    a.state.wallOffsetMs -= 3_600_000;
    a.state.blockedMs = LEASE_TIMES.renewDeadlineMs;
    expect(a.elector.mayStart()).toBe(false);
  });

  it("may start nothing after the machine slept, until it has renewed", async () => {
    const { clock, process } = scene();
    const a = process("a");
    await clock.advanceAsync(0);
    a.state.wallOffsetMs += 3_600_000; // the monotonic clock stands still during sleep, the wall clock is set after it
    expect(a.elector.mayStart()).toBe(false);
    await clock.advanceAsync(2_500);
    expect(a.elector.mayStart()).toBe(true);
    expect(a.elector.lost.aborted).toBe(false);
  });

  it("hands over at once when it is released, and may start nothing from then on", async () => {
    const { clock, server, process } = scene();
    const a = process("a");
    await clock.advanceAsync(0);
    const b = process("b");
    await clock.advanceAsync(5_000);
    const released = a.elector.release(clean);
    expect(a.elector.mayStart()).toBe(false);
    await released;
    expect(server.lease?.spec.holderIdentity).toBe("");
    await clock.advanceAsync(2.2 * LEASE_TIMES.retryMs);
    expect(b.elector.mayStart()).toBe(true);
    expect(a.elector.lost.aborted).toBe(false);
  });

  it("leaves the lease to run out when something of it still runs", async () => {
    const { clock, server, process } = scene();
    const a = process("a");
    await clock.advanceAsync(0);
    const b = process("b");
    await clock.advanceAsync(5_000);
    await a.elector.release({ clean: false });
    expect(a.elector.mayStart()).toBe(false);
    expect(server.lease?.spec.holderIdentity).toBe("a");
    await clock.advanceAsync(10_000);
    expect(b.elector.mayStart()).toBe(false);
    await clock.advanceAsync(10_000);
    expect(b.elector.mayStart()).toBe(true);
  });

  it("releases nothing that is another's", async () => {
    const { clock, server, process } = scene();
    const a = process("a");
    await clock.advanceAsync(0);
    server.set({ holderIdentity: "thief" });
    await a.elector.release(clean);
    expect(server.lease?.spec.holderIdentity).toBe("thief");
  });

  it("ends its release when the server is away, and still may start nothing", async () => {
    const { clock, process } = scene();
    const a = process("a");
    await clock.advanceAsync(0);
    a.state.fault = { lost: "request" };
    const released = a.elector.release(clean);
    await clock.advanceAsync(LEASE_TIMES.renewDeadlineMs / 2);
    await expect(released).resolves.toBeUndefined();
    expect(a.elector.mayStart()).toBe(false);
  });

  it("gives up a lease that it asked for and got without knowing, when it is stopped while waiting", async () => {
    const { clock, server, process } = scene();
    const a = process("a", [{}, { afterMs: 1_000 }]);
    await clock.advanceAsync(500);
    expect(server.lease?.spec.holderIdentity).toBe("a"); // the answer is under way
    a.stop.abort(new Error("stop"));
    await expect(a.acquired).rejects.toThrow("stop");
    await a.elector.release(clean);
    expect(server.lease?.spec.holderIdentity).toBe("");
  });

  it("leaves no timer behind", async () => {
    const { clock, process } = scene();
    const a = process("a");
    await clock.advanceAsync(7_000);
    await a.elector.release(clean);
    expect(clock.pendingTimers).toBe(0);
  });

  it("tells by metrics whether it leads, and how often requests failed", async () => {
    const clock = new ManualClock();
    const server = new LeaseServer(clock);
    const { meter, read } = readings();
    let fault: Fault = {};
    const elector = new LeaderElector({
      leases: server.client(() => fault),
      identity: "a",
      clock,
      random: () => 0.5,
      log: silentLogger,
      meter,
    });
    expect(read("baas_leader")).toBe(0);
    await elector.acquire(new AbortController().signal);
    expect(read("baas_leader")).toBe(1);
    fault = { lost: "refused" };
    await clock.advanceAsync(10_000);
    expect(read("baas_leader")).toBe(0);
    expect(read("baas_lease_failures_total")).toBeGreaterThanOrEqual(4);
  });

  it.each([
    { durationMs: 10_000, renewDeadlineMs: 10_000, retryMs: 2_000 },
    { durationMs: 15_000, renewDeadlineMs: 2_000, retryMs: 2_000 },
    { durationMs: 15_000, renewDeadlineMs: 10_000, retryMs: 0 },
  ])("refuses times that leave no room: %o", (times) => {
    const clock = new ManualClock();
    const leases = new LeaseServer(clock).client();
    const options = { leases, identity: "a", clock, random: () => 0, log: silentLogger, meter: silentMeter, times };
    expect(() => new LeaderElector(options)).toThrow(RangeError);
  });

  it("has another identity after each start of the same host", () => {
    expect(newIdentity("pod-0")).toMatch(/^pod-0_/);
    expect(newIdentity("pod-0")).not.toBe(newIdentity("pod-0"));
  });
});
