import { describe, expect, it } from "vitest";
import { readings } from "../../test/support/runtime/readings.ts";
import { ManualClock } from "../base/manual-clock.ts";
import { silentMeter } from "../base/meter.ts";
import type { Key } from "./key.ts";
import type { Requeue } from "./outcome.ts";
import type { Item } from "./item.ts";
import { type AddOptions, WorkQueue } from "./workqueue.ts";

const key = (name: string): Key => ({ kind: "Project", namespace: "ns", name });
const forever = new AbortController().signal;

/** A queue with callers that always want more, who note what they got. */
function queueOf(options: { readonly takers?: number; readonly started?: boolean; readonly perGroup?: number } = {}) {
  const clock = new ManualClock();
  const queue = new WorkQueue({
    clock,
    random: () => 0.5,
    meter: silentMeter,
    maxRunningPerGroup: options.perGroup ?? Infinity,
  });
  if (options.started !== false) queue.start();
  const taken: Item[] = [];
  const take = async (): Promise<void> => void taken.push(await queue.next(forever));
  const wanted = Array.from({ length: options.takers ?? 20 }, take);
  const add = (name: string, wish: Partial<AddOptions> = {}): void =>
    queue.add(key(name), { group: "g", lane: "change", ...wish });
  /** What was handed out, after promises had their turn. */
  const names = async (): Promise<readonly string[]> => {
    await Promise.resolve();
    return taken.map((item) => item.key.name);
  };
  const item = (index: number): Item => {
    const found = taken.at(index);
    if (found === undefined) throw new Error(`only ${taken.length} items were handed out`);
    return found;
  };
  return { clock, queue, add, names, item, take, wanted };
}

describe("WorkQueue", () => {
  it("hands a key out at once, and once however often it was added", async () => {
    const { queue, add, names } = queueOf({ started: false });
    add("a");
    add("a");
    add("a", { lane: "drift" });
    queue.start();
    expect(await names()).toEqual(["a"]);
  });

  it("runs a key that is added while running once more after, and not before", async () => {
    const { queue, add, names, item } = queueOf();
    add("a");
    await names();
    add("a");
    add("a");
    expect(await names()).toEqual(["a"]);
    queue.done(item(0));
    expect(await names()).toEqual(["a", "a"]);
    queue.done(item(1));
    expect(await names()).toEqual(["a", "a"]);
  });

  it("locks a key over all groups: the same key under another group waits for the run", async () => {
    const { queue, add, names, item } = queueOf();
    add("a", { group: "connection" });
    await names();
    add("a", { group: "project" });
    expect(await names()).toEqual(["a"]);
    queue.done(item(0));
    expect(await names()).toEqual(["a", "a"]);
    expect(item(1).group).toBe("project");
  });

  it.each([
    { first: 5_000, second: 1_000, runsAt: 1_000, why: "a later wish for an earlier time" },
    { first: 1_000, second: 5_000, runsAt: 1_000, why: "a later wish for a later time" },
    { first: 5_000, second: 0, runsAt: 0, why: "at once beats any time" },
    { first: 1_000, second: 5_000, runsAt: 1_000, lane: "change", why: "a later wish for a later time, more urgent" },
  ] as const)("lets the earliest of two times win: $why", async ({ first, second, runsAt, ...then }) => {
    const { clock, add, names } = queueOf();
    add("a", { afterMs: first, lane: "drift" });
    add("a", { afterMs: second, lane: "drift", ...then });
    clock.advance(Math.max(0, runsAt - 1));
    expect(await names()).toEqual(runsAt === 0 ? ["a"] : []);
    clock.advance(1);
    expect(await names()).toEqual(["a"]);
    clock.advance(10_000);
    expect(await names()).toEqual(["a"]);
  });

  it("lets the more urgent of two lanes win", async () => {
    const { queue, add, names, item } = queueOf({ started: false });
    add("a", { lane: "drift" });
    add("a", { lane: "change", wasReady: true });
    add("a", { lane: "progress" });
    queue.start();
    await names();
    expect(item(0)).toMatchObject({ lane: "change", wasReady: true });
  });

  it("hands out edits, first syncs, progress and drift in that order", async () => {
    const { queue, add, names } = queueOf({ started: false });
    add("drift", { lane: "drift" });
    add("progress", { lane: "progress" });
    add("first", { lane: "change" });
    add("edit", { lane: "change", wasReady: true });
    queue.start();
    expect(await names()).toEqual(["edit", "first", "progress", "drift"]);
  });

  it("never lets a project's thousand keys starve another's one", async () => {
    const { queue, add, names } = queueOf({ started: false, takers: 3 });
    for (let i = 0; i < 1_000; i += 1) add(`big-${i}`, { group: "big" });
    add("small", { group: "small" });
    queue.start();
    expect(await names()).toEqual(["big-0", "small", "big-1"]);
  });

  it("keeps workers free of a project whose runs are slow", async () => {
    const { add, names } = queueOf({ takers: 4, perGroup: 2 });
    for (let i = 0; i < 10; i += 1) add(`slow-${i}`, { group: "slow" });
    add("other", { group: "other" });
    expect(await names()).toEqual(["slow-0", "slow-1", "other"]);
  });

  it("moves a drift key that waited for its interval up, so that it takes turns with younger edits", async () => {
    const { clock, queue, add, names, item, take } = queueOf({ takers: 1 });
    add("running", { lane: "change", wasReady: true });
    await names();
    add("old", { lane: "drift", driftIntervalMs: 300_000, group: "a" });
    add("young", { lane: "drift", driftIntervalMs: 600_000, group: "a" });
    clock.advance(300_000);
    for (const name of ["edit 1", "edit 2"]) add(name, { lane: "change", wasReady: true, group: "b" });
    for (let n = 0; n < 4; n += 1) {
      queue.done(item(n));
      void take();
      await names();
    }
    expect(await names()).toEqual(["running", "old", "edit 1", "edit 2", "young"]);
    expect(item(1)).toMatchObject({ lane: "drift", urgency: "change", waitedMs: 300_000 });
    expect(item(4)).toMatchObject({ lane: "drift", urgency: "drift" });
  });

  it("counts a wait on through runs that got no budget, and anew after one that failed", async () => {
    const { clock, queue, add, names, item, take } = queueOf({ takers: 1 });
    add("check", { lane: "drift", driftIntervalMs: 300_000 });
    await names();
    const again = async (requeue: Requeue): Promise<Item> => {
      queue.done(item(-1), requeue);
      void take();
      clock.advance(300_000);
      await names();
      return item(-1);
    };
    const limited = { kind: "after", afterMs: 300_000, lane: "same" } as const;
    expect(await again(limited)).toMatchObject({ urgency: "change", waitedMs: 0 });
    expect(queue.depths().drift.oldestMs).toBe(0);
    expect(await again({ ...limited, failed: true })).toMatchObject({ urgency: "drift", waitedMs: 0 });
  });

  it("tells how long ago a key was asked for last, though it keeps its place in line", async () => {
    const { clock, add, names, item, take } = queueOf({ takers: 0 });
    add("check");
    clock.advance(20_000);
    add("check");
    clock.advance(3000);
    void take();
    await names();
    expect(item(0)).toMatchObject({ waitedMs: 23_000, askedAgoMs: 3000 });
  });

  it("lets a check that got no budget try again as soon as it is more urgent, before the time that it was told", async () => {
    const { clock, queue, add, names, item, take } = queueOf({ takers: 1 });
    add("check", { lane: "drift", driftIntervalMs: 300_000 });
    await names();
    clock.advance(200_000);
    queue.done(item(0), { kind: "after", afterMs: 250_000, lane: "same" });
    void take();
    clock.advance(100_000);
    expect(await names()).toEqual(["check", "check"]);
    expect(item(1)).toMatchObject({ lane: "drift", urgency: "change" });
  });

  it("stands still until it is started: delays of a standby count from when it leads", async () => {
    const { clock, queue, add, names, item } = queueOf({ started: false });
    add("a", { lane: "drift", afterMs: 60_000 });
    clock.advance(3_600_000);
    queue.start();
    clock.advance(59_999);
    expect(await names()).toEqual([]);
    clock.advance(1);
    expect(await names()).toEqual(["a"]);
    expect(item(0).waitedMs).toBe(0);
  });

  it("arms one timer, for the earliest time", () => {
    const { clock, add } = queueOf();
    for (let i = 100; i > 0; i -= 1) add(`k${i}`, { afterMs: i * 1_000 });
    expect(clock.pendingTimers).toBe(1);
    expect(clock.msToNextTimer()).toBe(1_000);
  });

  it("rejects a caller whose signal aborts, and hands it nothing", async () => {
    const { queue, add, names } = queueOf({ takers: 0 });
    const abort = new AbortController();
    const waiting = queue.next(abort.signal);
    abort.abort(new Error("stop"));
    await expect(waiting).rejects.toThrow("stop");
    await expect(queue.next(abort.signal)).rejects.toThrow("stop");
    add("a");
    expect(await names()).toEqual([]);
    expect(queue.depths().change.ready).toBe(1);
  });

  it("refuses an item that is not running: done twice would unlock somebody else's run", async () => {
    const { queue, add, names, item } = queueOf();
    add("a");
    await names();
    queue.done(item(0));
    expect(() => queue.done(item(0))).toThrow("not running");
  });

  it("hands out nothing and holds no timer once it is closed", async () => {
    const { clock, queue, add, names, item } = queueOf();
    add("running");
    add("later", { afterMs: 1_000 });
    await names();
    queue.close();
    queue.done(item(0), { kind: "backoff" });
    add("new");
    clock.advance(3_600_000);
    expect(await names()).toEqual(["running"]);
    expect(clock.pendingTimers).toBe(0);
  });

  it.each([Number.NaN, -5, undefined])("takes a delay of %s as none", async (afterMs) => {
    const { queue, names } = queueOf();
    queue.add(key("a"), { group: "g", lane: "change", ...(afterMs === undefined ? {} : { afterMs }) });
    expect(await names()).toEqual(["a"]);
  });
});

describe("WorkQueue.done", () => {
  it("waits longer after each failure in a row, in the lane of the run, and starts over after a success", async () => {
    const { clock, queue, add, names, item } = queueOf();
    add("a", { lane: "change", wasReady: true });
    await names();
    const waits: number[] = [];
    for (let run = 0; run < 4; run += 1) {
      queue.done(item(run), { kind: "backoff" });
      waits.push(clock.msToNextTimer() ?? -1);
      clock.advance(600_000);
      await names();
    }
    expect(waits).toEqual([1_500, 2_500, 4_500, 8_500]); // half of the way between 1 s and 1 s × 2^n
    expect(item(4)).toMatchObject({ failures: 4, lane: "change", wasReady: true });
    queue.done(item(4), { kind: "after", afterMs: 1_000, lane: "drift" });
    clock.advance(1_000);
    await names();
    expect(item(5)).toMatchObject({ failures: 0, lane: "drift", driftIntervalMs: 1_000 });
  });

  it("uses a known waiting time as told, in the lane of the run, and counts it as a failure only when told", async () => {
    const { clock, queue, add, names, item } = queueOf();
    add("a", { lane: "drift", driftIntervalMs: 600_000 });
    await names();
    queue.done(item(0), { kind: "after", afterMs: 7_321, lane: "same", failed: true });
    expect(clock.msToNextTimer()).toBe(7_321);
    clock.advance(7_321);
    await names();
    expect(item(1)).toMatchObject({ lane: "drift", failures: 1, driftIntervalMs: 600_000 });
    queue.done(item(1), { kind: "after", afterMs: 5_000, lane: "same" });
    clock.advance(5_000);
    await names();
    expect(item(2).failures).toBe(0);
  });

  it("runs a key in backoff at once when somebody edits it", async () => {
    const { queue, add, names, item } = queueOf();
    add("a");
    await names();
    queue.done(item(0), { kind: "backoff" });
    add("a", { wasReady: true });
    expect(await names()).toEqual(["a", "a"]);
    expect(item(1)).toMatchObject({ failures: 1, wasReady: true });
  });

  it("keeps the earlier time when a key was added while it ran and its run asks for a later one", async () => {
    const { queue, add, names, item } = queueOf();
    add("a");
    await names();
    add("a");
    queue.done(item(0), { kind: "after", afterMs: 600_000, lane: "drift" });
    expect(await names()).toEqual(["a", "a"]);
    expect(item(1).lane).toBe("change");
  });
});

describe("metrics of the work queue", () => {
  it("tell per lane how many keys wait and how old the oldest is", async () => {
    const clock = new ManualClock();
    const { meter, read } = readings();
    const queue = new WorkQueue({ clock, random: () => 0, meter });
    queue.start();
    queue.add(key("running"), { group: "g", lane: "change" });
    await queue.next(forever);
    queue.add(key("a"), { group: "g", lane: "drift" });
    clock.advance(20_000);
    queue.add(key("b"), { group: "g", lane: "drift" });
    queue.add(key("c"), { group: "g", lane: "progress", afterMs: 60_000 });
    clock.advance(10_000);
    expect(read("baas_workqueue_ready", { lane: "drift" })).toBe(2);
    expect(read("baas_workqueue_oldest_seconds", { lane: "drift" })).toBe(30);
    expect(read("baas_workqueue_waiting", { lane: "progress" })).toBe(1);
    expect(read("baas_workqueue_oldest_seconds", { lane: "progress" })).toBe(0);
    expect(read("baas_workqueue_running")).toBe(1);
    expect(read("baas_workqueue_wait_seconds", { lane: "change" })).toBe(1);
  });
});
