import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Fault, LeaseServer } from "../../test/support/runtime/lease-server.ts";
import type { Clock } from "../base/clock.ts";
import { silentLogger } from "../base/log.ts";
import { ManualClock } from "../base/manual-clock.ts";
import { silentMeter } from "../base/meter.ts";
import { seededRandom } from "../base/random.ts";
import { LeaderElector } from "./leader-election.ts";

const PROCESSES = 3;
const STEP_MS = 500;

/** How fast each process's clock runs: apart by less than lease duration to renew deadline. */
const RATES = [1, 1.1, 0.9];
const WALL_OFFSETS_MS = [0, 86_400_000, -3_600_000];

/** One process slot: when its elector ends, a new process with another identity takes its place, as a kubelet restarts a Pod. */
class Slot {
  readonly #server: LeaseServer;
  readonly #index: number;
  readonly #fault: () => Fault;
  #manual = new ManualClock();
  #wallOffsetMs: number;
  #starts = 0;
  #stop = new AbortController();
  elector: LeaderElector;

  constructor(server: LeaseServer, index: number, fault: () => Fault) {
    this.#server = server;
    this.#index = index;
    this.#fault = fault;
    this.#wallOffsetMs = WALL_OFFSETS_MS[index] ?? 0;
    this.elector = this.start();
  }

  /** A new process; the clock of the one before stands still for ever, so nothing of it goes on but requests under way. */
  start(): LeaderElector {
    const manual = new ManualClock(this.#manual.now());
    this.#manual = manual;
    this.#stop.abort();
    this.#stop = new AbortController();
    this.#starts += 1;
    const own: Clock = {
      now: () => manual.now() + this.#wallOffsetMs,
      monotonic: () => manual.monotonic(),
      setTimer: (ms, callback) => manual.setTimer(ms, callback),
    };
    this.elector = new LeaderElector({
      leases: this.#server.client(this.#fault),
      identity: `${this.#index}-${this.#starts}`,
      clock: own,
      random: seededRandom(this.#index * 100 + this.#starts),
      log: silentLogger,
      meter: silentMeter,
    });
    this.elector.acquire(this.#stop.signal).catch(() => undefined);
    return this.elector;
  }

  async run(ms: number): Promise<void> {
    await this.#manual.advanceAsync(ms * (RATES[this.#index] ?? 1));
    if (this.elector.lost.aborted) this.start();
  }

  /** The machine sleeps: neither timers nor the monotonic clock go on, while the wall clock is right after waking. */
  sleep(ms: number): void {
    this.#wallOffsetMs += ms;
  }
}

const times = {
  beforeMs: fc.constantFrom(0, 0, 0, 10, 3_000, 12_000, 20_000),
  afterMs: fc.constantFrom(0, 0, 10, 3_000, 4_900),
};
const fault: fc.Arbitrary<Fault> = fc.oneof(
  { weight: 3, arbitrary: fc.record(times) },
  { weight: 1, arbitrary: fc.record({ ...times, lost: fc.constantFrom("request", "answer", "refused") }) },
);

const happening = fc.record({
  /** How many steps pass before it. */
  steps: fc.integer({ min: 1, max: 40 }),
  who: fc.nat(PROCESSES - 1),
  what: fc.constantFrom("nothing", "partition", "heal", "sleep", "wake", "kill", "release", "touch"),
});

/** Where a process is cut off, each of its requests is lost. */
class World {
  readonly clock = new ManualClock();
  readonly server = new LeaseServer(this.clock);
  readonly faults: Fault[];
  readonly cut = new Set<number>();
  readonly asleep = new Set<number>();
  readonly slots: readonly Slot[];
  /** Times at which more than one process might have started a request. */
  readonly twoLeaders: number[] = [];
  everLed = false;

  constructor(faults: readonly Fault[]) {
    this.faults = [...faults];
    this.slots = Array.from({ length: PROCESSES }, (_, index) => new Slot(this.server, index, () => this.#next(index)));
  }

  #next(index: number): Fault {
    return this.cut.has(index) ? { lost: "request" } : (this.faults.shift() ?? {});
  }

  /** Processes that may start a request now; one that is asleep can start nothing. */
  leaders(): readonly number[] {
    return this.slots.flatMap((slot, index) => (!this.asleep.has(index) && slot.elector.mayStart() ? [index] : []));
  }

  #look(): void {
    const leaders = this.leaders();
    this.everLed ||= leaders.length > 0;
    if (leaders.length > 1) this.twoLeaders.push(this.clock.monotonic());
  }

  async step(): Promise<void> {
    await this.clock.advanceAsync(STEP_MS);
    this.#look();
    for (const [index, slot] of this.slots.entries()) {
      if (this.asleep.has(index)) slot.sleep(STEP_MS);
      else await slot.run(STEP_MS);
      this.#look();
    }
  }

  async happen(what: string, who: number): Promise<void> {
    const slot = this.slots[who];
    if (what === "partition") this.cut.add(who);
    else if (what === "heal") this.cut.delete(who);
    else if (what === "sleep") this.asleep.add(who);
    else if (what === "wake") this.asleep.delete(who);
    else if (what === "kill") slot?.start();
    else if (what === "touch") this.server.touch();
    else if (what === "release" && slot !== undefined && !this.asleep.has(who)) {
      const released = slot.elector.release({ clean: true }); // may hang on a lost request: time goes on meanwhile
      for (let i = 0; i < 15; i += 1) await this.step();
      await released;
      slot.start();
    }
    this.#look();
  }

  heal(): void {
    this.faults.length = 0;
    this.cut.clear();
    this.asleep.clear();
  }
}

describe("LeaderElector, three processes with clocks of their own, whatever happens to them and their requests", () => {
  it("never lets two of them start requests at the same time, and has one of them lead once all is well", async () => {
    let led = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fault, { maxLength: 40 }),
        fc.array(happening, { minLength: 2, maxLength: 10 }),
        async (faults, happenings) => {
          const world = new World(faults);
          for (const { steps, who, what } of happenings) {
            for (let i = 0; i < steps; i += 1) await world.step();
            await world.happen(what, who);
          }
          expect(world.twoLeaders).toEqual([]);
          world.heal();
          for (let i = 0; i < 100; i += 1) await world.step();
          expect(world.twoLeaders).toEqual([]);
          expect(world.leaders()).toHaveLength(1);
          led += world.everLed ? 1 : 0;
        },
      ),
      { numRuns: 60 },
    );
    expect(led).toBe(60); // else the first claim would hold of a world in which nobody ever leads
  }, 60_000);
});
