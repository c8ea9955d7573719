import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { StrictServer } from "../../../test/support/api-server/strict-server.ts";
import type { StrictServerOptions } from "../../../test/support/api-server/strict-server.ts";
import { sleep } from "../../base/abort.ts";
import { ManualClock } from "../../base/manual-clock.ts";
import { silentMeter } from "../../base/meter.ts";
import { seededRandom } from "../../base/random.ts";
import type { ApiLane } from "../lanes.ts";
import { Pacer } from "./pacer.ts";
import { readRateHeaders } from "./rate-headers.ts";

const PROJECT = { kind: "project", id: "abcdefghijklmnopqrst" } as const;
const MINUTE = 60_000;

interface Simulation {
  readonly seed: number;
  readonly minutes: number;
  /** time on the way to the server, and back, milliseconds */
  readonly latencyMs: readonly [least: number, most: number];
  /** requests that are always waiting, by lane */
  readonly demand: Partial<Record<ApiLane, number>>;
  /** requests a minute that others send, at random times */
  readonly othersPerMinute?: number;
  readonly server?: Partial<StrictServerOptions>;
  /** part of our requests whose answer is lost */
  readonly lost?: number;
}

/** A 429 to one of ours: when it came back, and how many were in flight then, itself included. */
interface Refusal {
  readonly receivedAtMs: number;
  readonly inFlight: number;
}

interface Outcome {
  readonly server: StrictServer;
  readonly refusals: readonly Refusal[];
}

/** Runs the pacer against a strict fixed-window server on a driven clock; nothing sleeps. */
async function simulate(simulation: Simulation): Promise<Outcome> {
  const clock = new ManualClock();
  const random = seededRandom(simulation.seed);
  const pacer = new Pacer({ clock, random, meter: silentMeter });
  const server = new StrictServer({ limit: 120, windowMs: MINUTE, ...simulation.server });
  const stop = new AbortController();
  const [least, most] = simulation.latencyMs;
  const leg = (): Promise<void> => sleep(clock, least + random() * (most - least));
  const state = { inFlight: 0 };
  const refusals: Refusal[] = [];

  const request = async (lane: ApiLane, reissued: boolean): Promise<boolean> => {
    const signal = stop.signal;
    const permit = await pacer.acquire({ identity: "user", scope: PROJECT, lane, signal, maxWaitMs: 1e9, reissued });
    const sentAtMs = clock.monotonic();
    state.inFlight += 1;
    await leg();
    const answer = server.arrive(clock.monotonic(), lane);
    await leg();
    const lost = random() < (simulation.lost ?? 0);
    const throttled = answer.status === 429 && !lost;
    if (throttled) refusals.push({ receivedAtMs: clock.monotonic(), inFlight: state.inFlight });
    state.inFlight -= 1;
    const receivedAtMs = clock.monotonic();
    permit.end({ sentAtMs, receivedAtMs, throttled }, lost ? {} : readRateHeaders(answer.headers, clock.now()));
    return throttled;
  };
  const worker = async (lane: ApiLane): Promise<void> => {
    for (let reissued = false; !stop.signal.aborted;) reissued = await request(lane, reissued);
  };
  const others = async (perMinute: number): Promise<void> => {
    while (!stop.signal.aborted) {
      await sleep(clock, (-Math.log(1 - random()) * MINUTE) / perMinute, stop.signal);
      server.arrive(clock.monotonic(), "others");
    }
  };
  const running = Object.entries(simulation.demand).flatMap(([lane, waiting]) =>
    Array.from({ length: waiting }, () => worker(lane as ApiLane)),
  );
  if (simulation.othersPerMinute !== undefined) running.push(others(simulation.othersPerMinute));
  const ended = Promise.allSettled(running);
  await clock.advanceAsync(simulation.minutes * MINUTE);
  stop.abort();
  await clock.advanceAsync(2 * most);
  await ended;
  return { server, refusals };
}

/** Ours that got through per minute, after the first minute. */
function perMinute({ server }: Outcome, minutes: number, lane?: ApiLane): number {
  const ours = server.accepted.filter(({ by, atMs }) => by !== "others" && atMs >= MINUTE && (lane ?? by) === by);
  return ours.filter(({ atMs }) => atMs < minutes * MINUTE).length / (minutes - 1);
}

const latency = fc.tuple(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 100, max: 2000 }));
const seed = fc.integer({ min: 1, max: 1_000_000 });

describe("alone on its identity", () => {
  test("no request is answered 429, and at most 5 % of the budget goes unused while change work waits", async () => {
    await fc.assert(
      fc.asyncProperty(seed, latency, fc.integer({ min: 20, max: 200 }), async (seed, latencyMs, waiting) => {
        const outcome = await simulate({ seed, minutes: 8, latencyMs, demand: { change: waiting } });
        expect(outcome.server.refused).toEqual([]);
        expect(perMinute(outcome, 8)).toBeGreaterThanOrEqual(120 * 0.95);
      }),
      { numRuns: 10 },
    );
  });

  test("no mixture of lanes, lost answers or missing headers makes a 429", async () => {
    const waiting = fc.integer({ min: 0, max: 60 });
    const simulation = fc.record({
      seed,
      latencyMs: latency,
      demand: fc.record({ change: waiting, sync: waiting, progress: waiting, drift: waiting }),
      lost: fc.constantFrom(0, 0.1, 0.5),
      server: fc.record({ headers: fc.boolean() }),
    });
    await fc.assert(
      fc.asyncProperty(simulation, async (one) => {
        const outcome = await simulate({ ...one, minutes: 4 });
        expect(outcome.server.refused).toEqual([]);
      }),
      { numRuns: 10 },
    );
  });
});

/** Refusals of one window of the server: the next one begins at least as long after as the slowest answer takes. */
function bursts(refusals: readonly Refusal[]): Refusal[][] {
  const found: Refusal[][] = [];
  for (const refusal of refusals) {
    const last = found.at(-1);
    if (last?.[0] !== undefined && refusal.receivedAtMs - last[0].receivedAtMs < 5000) last.push(refusal);
    else found.push([refusal]);
  }
  return found;
}

describe("with others on the same identity", () => {
  const others = fc.integer({ min: 5, max: 110 });
  const server = fc.record({ retryAfter: fc.boolean(), rounding: fc.constantFrom("up" as const, "down" as const) });

  test("a window has at most as many 429 as were in flight at the first one", async () => {
    await fc.assert(
      fc.asyncProperty(seed, latency, others, server, async (seed, latencyMs, othersPerMinute, server) => {
        const demand = { change: 60 };
        const outcome = await simulate({ seed, minutes: 10, latencyMs, demand, othersPerMinute, server });
        for (const burst of bursts(outcome.refusals)) {
          expect(burst.length).toBeLessThanOrEqual(burst[0]?.inFlight ?? 0);
        }
        // Once others were seen, at most four are in flight.
        for (const burst of bursts(outcome.refusals).slice(1)) expect(burst.length).toBeLessThanOrEqual(4);
      }),
      { numRuns: 12 },
    );
  });

  test("what others leave is used, but for one slot in twenty", async () => {
    await fc.assert(
      fc.asyncProperty(seed, fc.integer({ min: 5, max: 80 }), async (seed, othersPerMinute) => {
        const minutes = 10;
        const demand = { change: 60 };
        const outcome = await simulate({ seed, minutes, latencyMs: [10, 150], demand, othersPerMinute });
        const theirs = outcome.server.accepted.filter(({ by, atMs }) => by === "others" && atMs >= MINUTE).length / 9;
        expect(perMinute(outcome, minutes)).toBeGreaterThanOrEqual((120 - theirs) * 0.95);
      }),
      { numRuns: 10 },
    );
  });
});

describe("shares of the lanes", () => {
  test("drift alone uses at most 40 %, and leaves the last ten slots when it competes", async () => {
    const alone = await simulate({ seed: 1, minutes: 6, latencyMs: [20, 200], demand: { drift: 60 } });
    expect(perMinute(alone, 6)).toBeLessThanOrEqual(48);
    expect(perMinute(alone, 6)).toBeGreaterThanOrEqual(45);
  });

  test("first syncs use all but the last ten slots, which edits find free", async () => {
    const syncs = await simulate({ seed: 2, minutes: 6, latencyMs: [20, 200], demand: { sync: 60 } });
    expect(perMinute(syncs, 6)).toBeLessThanOrEqual(110);
    expect(perMinute(syncs, 6)).toBeGreaterThanOrEqual(104);
  });

  test("edits that wait take everything before first syncs, polls and drift get anything", async () => {
    const demand = { change: 130, sync: 30, progress: 30, drift: 30 };
    const mixed = await simulate({ seed: 3, minutes: 6, latencyMs: [20, 200], demand });
    expect(perMinute(mixed, 6, "change")).toBeGreaterThanOrEqual(114);
    expect(perMinute(mixed, 6, "drift")).toBeLessThanOrEqual(1);
  });
});

describe("a server that says less than the contract", () => {
  test("its smaller limit is kept after the first minute", async () => {
    const outcome = await simulate({
      seed: 4,
      minutes: 6,
      latencyMs: [20, 200],
      demand: { change: 60 },
      server: { limit: 60 },
    });
    expect(outcome.server.refused.filter(({ atMs }) => atMs > MINUTE)).toEqual([]);
    expect(perMinute(outcome, 6)).toBeGreaterThanOrEqual(57);
  });
});
