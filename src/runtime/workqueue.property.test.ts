import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../base/manual-clock.ts";
import { silentMeter } from "../base/meter.ts";
import { seededRandom } from "../base/random.ts";
import { keyToString } from "./key.ts";
import { baseLevel, type Lane, lanes, moreUrgentInMs, risenLevel, TAKING_TURNS } from "./lane.ts";
import type { Item } from "./item.ts";
import { WorkQueue } from "./workqueue.ts";

/** The least interval that ageing goes by; requeues ask for no more, so that every drift key of a property has this one. */
const INTERVAL_MS = 60_000;
const forever = new AbortController().signal;
const key = (name: number) => ({ kind: "Project", namespace: "ns", name: `${name}` });

/** What the queue promises, told in the plainest way: a list that is searched. */
class Model {
  readonly #wishes = new Map<string, { dueAt: number; since: number; base: number }>();
  readonly running = new Set<string>();

  wish(id: string, base: number, { dueAt, since = dueAt }: { readonly dueAt: number; readonly since?: number }): void {
    const before = this.#wishes.get(id) ?? { dueAt: Infinity, since: Infinity, base: Infinity };
    this.#wishes.set(id, {
      dueAt: Math.min(before.dueAt, dueAt),
      since: Math.min(before.since, since),
      base: Math.min(before.base, base),
    });
  }

  /** Ids that may be handed out now: those of the highest level, or of the two that take turns. */
  next(now: number): readonly string[] {
    const eligible = [...this.#wishes]
      .filter(([id, { dueAt }]) => dueAt <= now && !this.running.has(id))
      .map(([id, { since, base }]) => ({ id, level: risenLevel(base, now - since, INTERVAL_MS).level }))
      .map(({ id, level }) => ({ id, level: TAKING_TURNS.some((one) => one === level) ? 0 : level }));
    const best = Math.min(...eligible.map(({ level }) => level));
    return eligible.filter(({ level }) => level === best).map(({ id }) => id);
  }

  /** The level that the key should run at; undefined when nobody asked for it. */
  take(id: string): number | undefined {
    const wish = this.#wishes.get(id);
    this.#wishes.delete(id);
    this.running.add(id);
    return wish?.base;
  }

  get pending(): number {
    return this.#wishes.size;
  }
}

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      what: fc.constant("add" as const),
      name: fc.nat(6),
      group: fc.constantFrom("a", "b", "c"),
      lane: fc.constantFrom(...lanes),
      wasReady: fc.boolean(),
      afterMs: fc.constantFrom(0, 0, 500, 20_000, 90_000),
    }),
  },
  { weight: 3, arbitrary: fc.record({ what: fc.constant("take" as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constant("done" as const),
      which: fc.nat(6),
      requeueMs: fc.option(fc.constantFrom(100, 30_000, 60_000)),
      lane: fc.constantFrom<Lane | "same">(...lanes, "same"),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ what: fc.constant("advance" as const), ms: fc.constantFrom(1, 499, 30_000, 150_000) }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A queue and its model, driven by the same steps; each step checks the promises. */
class Driven {
  readonly clock = new ManualClock();
  readonly queue = new WorkQueue({ clock: this.clock, random: seededRandom(1), meter: silentMeter });
  readonly model = new Model();
  readonly running: Item[] = [];
  /** Ends the callers that wait in vain at the end. */
  readonly end = new AbortController();
  /** Callers who wait for a key. */
  wanted = 0;
  /** Promises that were broken, in words. */
  readonly broken: string[] = [];

  async run(it: Step): Promise<void> {
    switch (it.what) {
      case "add":
        this.model.wish(keyToString(key(it.name)), baseLevel(it.lane, it.wasReady), {
          dueAt: this.clock.monotonic() + it.afterMs,
        });
        this.queue.add(key(it.name), { ...it, driftIntervalMs: INTERVAL_MS });
        break;
      case "take":
        this.wanted += 1;
        this.queue.next(this.end.signal).then(
          (item) => this.#took(item),
          () => undefined,
        );
        break;
      case "done":
        this.#done(it.which, it.requeueMs === null ? undefined : { afterMs: it.requeueMs, lane: it.lane });
        break;
      case "advance":
        await this.#advance(it.ms);
        break;
    }
    await Promise.resolve();
    await Promise.resolve();
    const idle = this.wanted === 0 || this.model.next(this.clock.monotonic()).length === 0;
    this.#must(idle, "a caller waits while a key may run");
  }

  #took(item: Item): void {
    this.wanted -= 1;
    this.#must(!this.model.running.has(item.id), `${item.id} runs twice at once`);
    this.#must(
      this.model.next(this.clock.monotonic()).includes(item.id),
      `${item.id} is not due, or not the most urgent`,
    );
    const base = this.model.take(item.id);
    this.#must(baseLevel(item.lane, item.wasReady) === base, `${item.id} runs in lane ${item.lane}`);
    this.running.push(item);
  }

  #must(holds: boolean, otherwise: string): void {
    if (!holds) this.broken.push(`${otherwise} at ${this.clock.monotonic()} ms`);
  }

  #done(which: number, requeue: { readonly afterMs: number; readonly lane: Lane | "same" } | undefined): void {
    const [item] = this.running.splice(which % Math.max(1, this.running.length), 1);
    if (item === undefined) return;
    this.model.running.delete(item.id);
    if (requeue === undefined) {
      this.queue.done(item);
      return;
    }
    const base = requeue.lane === "same" ? baseLevel(item.lane, item.wasReady) : baseLevel(requeue.lane, false);
    const now = this.clock.monotonic();
    const dueAt = now + requeue.afterMs;
    const since = item.sinceMs;
    const soonest = Math.min(dueAt, now + moreUrgentInMs(item, now));
    this.model.wish(item.id, base, requeue.lane === "same" ? { dueAt: soonest, since } : { dueAt });
    this.queue.done(item, { kind: "after", ...requeue });
  }

  /** One millisecond-exact stop per timer, so that what is handed out is seen at the time at which it was. */
  async #advance(ms: number): Promise<void> {
    let left = ms;
    while (left > 0) {
      const next = Math.min(left, Math.max(1, this.clock.msToNextTimer() ?? left));
      this.clock.advance(next);
      left -= next;
      await Promise.resolve();
      await Promise.resolve();
    }
  }

  /** Ends every run and takes everything that was ever asked for. */
  async settle(): Promise<void> {
    for (let i = 0; i < 40 && (this.model.pending > 0 || this.running.length > 0); i += 1) {
      while (this.running.length > 0) await this.run({ what: "done", which: 0, requeueMs: null, lane: "same" });
      while (this.wanted < 7) await this.run({ what: "take" });
      await this.run({ what: "advance", ms: 150_000 });
    }
  }
}

describe("WorkQueue, under any sequence of adds, takes, ends and time", () => {
  it("never runs a key twice at once, hands out the most urgent due key, keeps nobody waiting, and loses nothing", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 150 }), async (steps) => {
        const driven = new Driven();
        driven.queue.start();
        for (const each of steps) await driven.run(each);
        await driven.settle();
        driven.end.abort();
        expect(driven.broken).toEqual([]);
        expect(driven.model.pending).toBe(0);
        expect(driven.queue.running).toBe(0);
      }),
      { numRuns: 400 },
    );
  });
});

describe("WorkQueue, with one worker and more urgent work than it can do", () => {
  /** One run a second; each second brings a new edit, in the same group or another. Seconds until the drift key has run. */
  async function secondsUntilDriftRuns(floodGroup: string, backlog: number): Promise<number> {
    const clock = new ManualClock();
    const queue = new WorkQueue({ clock, random: () => 0, meter: silentMeter });
    queue.start();
    const edit = (name: string): void =>
      queue.add({ kind: "Project", namespace: "ns", name }, { group: floodGroup, lane: "change", wasReady: true });
    for (let i = 0; i < backlog; i += 1) edit(`backlog-${i}`);
    queue.add(
      { kind: "Project", namespace: "ns", name: "drift" },
      { group: "quiet", lane: "drift", driftIntervalMs: INTERVAL_MS },
    );
    for (let second = 0; second < 2_000; second += 1) {
      const item = await queue.next(forever);
      if (item.lane === "drift") return second;
      clock.advance(1_000);
      edit(`edit-${second}`);
      queue.done(item);
    }
    return Infinity;
  }

  it.each([
    { flood: "busy", backlog: 200, within: 62, why: "an interval, then the next turn" },
    { flood: "quiet", backlog: 200, within: 62, why: "in the group of the flood as well" },
  ])("starves no lane: $why", async ({ flood, backlog, within }) => {
    expect(await secondsUntilDriftRuns(flood, backlog)).toBeLessThanOrEqual(within);
  });
});

describe("WorkQueue, with a hundred thousand keys", () => {
  it("hands out each once, within seconds and with one timer", async () => {
    const clock = new ManualClock();
    const queue = new WorkQueue({ clock, random: () => 0, meter: silentMeter, maxRunningPerGroup: 8 });
    const random = seededRandom(7);
    const count = 100_000;
    const before = process.cpuUsage();
    queue.start();
    for (let i = 0; i < count; i += 1) {
      const afterMs = i % 2 === 0 ? 0 : random() * 10_000;
      queue.add(key(i), { group: `g${i % 997}`, lane: lanes[i % 3] ?? "drift", afterMs });
    }
    expect(clock.pendingTimers).toBe(1);
    clock.advance(10_000);
    const seen = new Set<string>();
    for (let i = 0; i < count; i += 1) {
      const item = await queue.next(forever);
      seen.add(item.id);
      queue.done(item);
    }
    expect(seen.size).toBe(count);
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(15); // about 1 s of CPU; a quadratic queue takes minutes
  }, 60_000);
});
