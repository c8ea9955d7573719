import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../base/manual-clock.ts";
import { silentMeter } from "../base/meter.ts";
import { seededRandom } from "../base/random.ts";
import { keyToString } from "./key.ts";
import { backoffMs } from "./backoff.ts";
import { baseLevel, EDITS, type Lane, lanes, moreUrgentInMs, risenLevel, TAKING_TURNS } from "./lane.ts";
import type { Item } from "./item.ts";
import type { Requeue } from "./outcome.ts";
import type { Taker } from "./ready-set.ts";
import { WorkQueue } from "./workqueue.ts";

/** The least interval that ageing goes by; requeues ask for no more, so that every drift key of a property has this one. */
const INTERVAL_MS = 60_000;
const forever = new AbortController().signal;
/** The same for the queue and its model, which so back off alike. */
const random = (): number => 0.5;
const key = (name: number) => ({ kind: "Project", namespace: "ns", name: `${name}` });

interface Wish {
  readonly base: number;
  readonly group: string;
  readonly dueAt: number;
  readonly since?: number;
}

/** What the queue promises, told in the plainest way: a list that is searched. */
class Model {
  readonly #wishes = new Map<string, Required<Wish>>();
  readonly #failures = new Map<string, number>();
  readonly running = new Map<string, Item>();
  readonly #mostPerGroup: number;

  constructor(mostPerGroup: number) {
    this.#mostPerGroup = mostPerGroup;
  }

  wish(id: string, { base, group, dueAt, since = dueAt }: Wish): void {
    const before = this.#wishes.get(id) ?? { dueAt: Infinity, since: Infinity, base: Infinity };
    this.#wishes.set(id, {
      group,
      dueAt: Math.min(before.dueAt, dueAt),
      since: Math.min(before.since, since),
      base: Math.min(before.base, base),
    });
  }

  /** Ids that such a taker may get now: those of the highest level, or of the two that take turns. */
  next(taker: Taker, now: number): readonly string[] {
    const eligible = [...this.#wishes]
      .filter(([id, { dueAt }]) => dueAt <= now && !this.running.has(id))
      .map(([id, { since, base, group }]) => ({ id, group, level: risenLevel(base, now - since, INTERVAL_MS).level }))
      .filter((one) => this.#hasPlace(one, taker))
      .map(({ id, level }) => ({ id, level: TAKING_TURNS.some((one) => one === level) ? 0 : level }));
    const best = Math.min(...eligible.map(({ level }) => level));
    return eligible.filter(({ level }) => level === best).map(({ id }) => id);
  }

  /** Whether its group has a place left there: one for general takers, and for an edit one for edits. */
  #hasPlace({ group, level }: { readonly group: string; readonly level: number }, taker: Taker): boolean {
    const ofGroup = [...this.running.values()].filter((item) => item.group === group);
    const edits = ofGroup.filter((item) => item.level === EDITS).length;
    const general = ofGroup.filter((item) => item.taker === "general").length;
    if (level === EDITS && edits >= this.#mostPerGroup) return false;
    return taker === "reserved" ? level === EDITS : general < this.#mostPerGroup;
  }

  /** What the run should be; undefined when nobody asked for it. */
  take(item: Item): { readonly base: number; readonly group: string; readonly failures: number } | undefined {
    const wish = this.#wishes.get(item.id);
    this.#wishes.delete(item.id);
    this.running.set(item.id, item);
    return wish && { base: wish.base, group: wish.group, failures: this.#failures.get(item.id) ?? 0 };
  }

  /** Failed runs in a row, with the one that ends. */
  ended(id: string, failed: boolean): number {
    this.running.delete(id);
    const failures = failed ? (this.#failures.get(id) ?? 0) + 1 : 0;
    this.#failures.set(id, failures);
    return failures;
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
  {
    weight: 3,
    arbitrary: fc.record({ what: fc.constant("take" as const), taker: fc.constantFrom<Taker>("general", "reserved") }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constant("done" as const),
      which: fc.nat(6),
      requeue: fc.oneof(
        fc.constantFrom<Requeue>({ kind: "never" }, { kind: "backoff" }),
        fc.record({
          kind: fc.constant("after" as const),
          afterMs: fc.constantFrom(100, 30_000, 60_000),
          lane: fc.constantFrom<Lane | "same">(...lanes, "same"),
          failed: fc.boolean(),
        }),
      ),
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
  readonly queue: WorkQueue;
  readonly model: Model;
  readonly running: Item[] = [];
  /** Ends the callers that wait in vain at the end. */
  readonly end = new AbortController();
  /** Callers who wait for a key. */
  readonly wanted = { general: 0, reserved: 0 };
  /** Promises that were broken, in words. */
  readonly broken: string[] = [];

  constructor(maxRunningPerGroup: number) {
    this.model = new Model(maxRunningPerGroup);
    this.queue = new WorkQueue({ clock: this.clock, random, meter: silentMeter, maxRunningPerGroup });
  }

  async run(it: Step): Promise<void> {
    switch (it.what) {
      case "add":
        this.model.wish(keyToString(key(it.name)), {
          base: baseLevel(it.lane, it.wasReady),
          group: it.group,
          dueAt: this.clock.monotonic() + it.afterMs,
        });
        this.queue.add(key(it.name), { ...it, driftIntervalMs: INTERVAL_MS });
        break;
      case "take":
        this.wanted[it.taker] += 1;
        this.queue.next(this.end.signal, it.taker).then(
          (item) => this.#took(item),
          () => undefined,
        );
        break;
      case "done":
        this.#done(it.which, it.requeue);
        break;
      case "advance":
        await this.#advance(it.ms);
        break;
    }
    await Promise.resolve();
    await Promise.resolve();
    for (const taker of ["general", "reserved"] as const) {
      const idle = this.wanted[taker] === 0 || this.model.next(taker, this.clock.monotonic()).length === 0;
      this.#must(idle, `a ${taker} taker waits while a key may run`);
    }
  }

  #took(item: Item): void {
    this.wanted[item.taker] -= 1;
    this.#must(!this.model.running.has(item.id), `${item.id} runs twice at once`);
    this.#must(
      this.model.next(item.taker, this.clock.monotonic()).includes(item.id),
      `${item.id} is not due, not the most urgent, or has no place`,
    );
    const { group, failures } = item;
    const asItIs = { base: baseLevel(item.lane, item.wasReady), group, failures };
    this.#must(isDeepStrictEqual(asItIs, this.model.take(item)), `${item.id} runs as ${JSON.stringify(asItIs)}`);
    this.running.push(item);
  }

  #must(holds: boolean, otherwise: string): void {
    if (!holds) this.broken.push(`${otherwise} at ${this.clock.monotonic()} ms`);
  }

  #done(which: number, requeue: Requeue): void {
    const [item] = this.running.splice(which % Math.max(1, this.running.length), 1);
    if (item === undefined) return;
    const { id, group, sinceMs } = item;
    const failed = requeue.kind === "backoff" || (requeue.kind === "after" && requeue.failed === true);
    const failures = this.model.ended(id, failed);
    if (requeue.kind !== "never") {
      const now = this.clock.monotonic();
      const isSame = requeue.kind === "backoff" || requeue.lane === "same";
      const base = isSame ? baseLevel(item.lane, item.wasReady) : baseLevel(requeue.lane, false);
      const dueAt = now + (requeue.kind === "backoff" ? backoffMs(failures, random) : requeue.afterMs);
      // Without a failure the wait goes on, and whoever becomes more urgent before its time comes tries then.
      const waits = isSame && !failed;
      const soonest = Math.min(dueAt, now + moreUrgentInMs(item, now));
      this.model.wish(id, { base, group, ...(waits ? { dueAt: soonest, since: sinceMs } : { dueAt }) });
    }
    this.queue.done(item, requeue);
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
      while (this.running.length > 0) await this.run({ what: "done", which: 0, requeue: { kind: "never" } });
      while (this.wanted.general < 7) await this.run({ what: "take", taker: "general" });
      await this.run({ what: "advance", ms: 150_000 });
    }
  }
}

describe("WorkQueue, under any sequence of adds, takes, ends and time", () => {
  it("never runs a key twice at once nor more of a group than it may, hands out the most urgent due key, keeps nobody waiting, and loses nothing", async () => {
    const steps = fc.array(step, { minLength: 10, maxLength: 150 });
    await fc.assert(
      fc.asyncProperty(steps, fc.constantFrom(1, 2, Infinity), async (steps, maxRunningPerGroup) => {
        const driven = new Driven(maxRunningPerGroup);
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
