import type { Clock, Timer } from "../base/clock.ts";
import type { Histogram, Meter } from "../base/meter.ts";
import type { Random } from "../base/random.ts";
import { backoffMs } from "./backoff.ts";
import { Heap } from "./heap.ts";
import type { Item } from "./item.ts";
import { type Key, keyToString } from "./key.ts";
import {
  baseLevel,
  EDITS,
  LEVELS,
  type Lane,
  laneOfLevel,
  moreUrgentInMs,
  risenLevel,
  TAKING_TURNS,
  urgencyOf,
} from "./lane.ts";
import type { Requeue } from "./outcome.ts";
import { type LaneDepth, observeQueue } from "./queue-metrics.ts";
import type { QueuedKey } from "./queued-key.ts";
import { ReadySet, type Taker } from "./ready-set.ts";
import type { EnqueueOptions } from "./reconciler.ts";

/** How and when a key should run. */
export interface AddOptions extends EnqueueOptions {
  /** Whom the key takes turns with the others for: the Project's `namespace/name`, else the Connection's. */
  readonly group: string;
}

export interface WorkQueueOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly meter: Meter;
  /** Keys of one group that general takers may run at once, and edits of it that run at once whoever took them; default no limit. */
  readonly maxRunningPerGroup?: number;
}

type ItemWaiter = (item: Item) => void;

/**
 * The keys of all kinds that should run, and when. Source: engine.md §1.
 *
 * - A key stands in once; of two times the earliest wins, of two lanes the more urgent one.
 * - A key that is running is not handed out again until `done`; added meanwhile, it runs once more after.
 * - Ready keys go by level (edits, first syncs, progress, drift), groups taking turns within one, and move up as they wait, whether a worker
 *   or budget is what they lack: no key waits for ever while workers take keys.
 * - Edits wait for no slow run of anything else while a reserved taker, who takes nothing but edits, is free: they go there first, and a group has
 *   places there of its own.
 * - Keys whose time has not come hold no worker, and one timer serves them all.
 *
 * The queue's time stands still until `start`: a standby collects keys, and their delays count from when it leads. Every operation is
 * O(log n).
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #entries = new Map<string, QueuedKey>();
  readonly #timed = new Heap<QueuedKey>((a, b) => a.wakeAt < b.wakeAt);
  readonly #ready: ReadySet<QueuedKey>;
  readonly #running = new Map<string, Item>();
  readonly #failures = new Map<string, number>();
  readonly #waiters: Readonly<Record<Taker, Set<ItemWaiter>>> = { reserved: new Set(), general: new Set() };
  readonly #waitSeconds: Histogram;
  #startedAt: number | undefined;
  #closed = false;
  #timer: Timer | undefined;
  #armedFor = Infinity;

  constructor({ clock, random, meter, maxRunningPerGroup = Infinity }: WorkQueueOptions) {
    this.#clock = clock;
    this.#random = random;
    this.#ready = new ReadySet({ levels: LEVELS, maxRunningPerGroup, takingTurns: TAKING_TURNS, reserved: EDITS });
    this.#waitSeconds = meter.histogram({
      name: "baas_workqueue_wait_seconds",
      help: "Time between when a key should have run and when a worker took it",
      labels: ["lane"],
    });
    observeQueue(meter, this);
  }

  /** Keys that are handed out and not yet done. */
  get running(): number {
    return this.#running.size;
  }

  /** Asks for a run of a key. Merges with what already waits for it; does nothing once the queue is closed. */
  add(key: Key, options: AddOptions): void {
    if (this.#closed) return;
    this.#merge(key, options);
    this.#pump();
  }

  /** Lets time run and hands out keys. Idempotent. */
  start(): void {
    this.#startedAt ??= this.#clock.monotonic();
    this.#pump();
  }

  /**
   * The next key to run, as soon as there is one; callers of one sort are served in order.
   *
   * @throws the signal's reason once it aborts; nothing else ends the wait
   */
  next(signal: AbortSignal, taker: Taker = "general"): Promise<Item> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      const onAbort = (): void => {
        this.#waiters[taker].delete(waiter);
        reject(signal.reason);
      };
      const waiter: ItemWaiter = (item) => {
        signal.removeEventListener("abort", onAbort);
        resolve(item);
      };
      signal.addEventListener("abort", onAbort, { once: true });
      this.#waiters[taker].add(waiter);
      this.#pump();
    });
  }

  /**
   * Ends a run: unlocks the key and, as `requeue` says, asks for its next run. A requeue after a failure counts towards the key's
   * backoff, anything else ends the row of failures.
   *
   * @throws Error when the item is not running: done twice, or of another queue
   */
  done(item: Item, requeue: Requeue = { kind: "never" }): void {
    if (this.#running.get(item.id) !== item) throw new Error(`${item.id} is not running`);
    if (!this.#closed) this.#requeue(item, requeue); // while the key is locked, so that it is placed once, below
    this.#running.delete(item.id);
    this.#ready.finished(item, item.taker);
    const entry = this.#entries.get(item.id);
    if (entry !== undefined) this.#place(entry, this.#now());
    this.#pump();
  }

  /** Ends the queue: nothing is added or handed out any more and its timer is gone. Running items may still be done. */
  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }

  /** What each lane holds, by the lane that was asked for. O(n): for metrics and tests. */
  depths(): Readonly<Record<Lane, LaneDepth>> {
    const now = this.#now();
    const counts = {
      change: { waiting: 0, ready: 0, oldestMs: 0 },
      progress: { waiting: 0, ready: 0, oldestMs: 0 },
      drift: { waiting: 0, ready: 0, oldestMs: 0 },
    };
    for (const entry of this.#entries.values()) {
      const count = counts[laneOfLevel(entry.base)];
      if (entry.dueAt > now) count.waiting += 1;
      else count.ready += 1;
      count.oldestMs = Math.max(count.oldestMs, now - entry.since);
    }
    return counts;
  }

  #now(): number {
    return this.#startedAt === undefined ? 0 : this.#clock.monotonic() - this.#startedAt;
  }

  #merge(key: Key, options: AddOptions & { readonly sinceMs?: number }): void {
    const id = keyToString(key);
    const now = this.#now();
    const dueAt = now + delay(options.afterMs);
    const since = options.sinceMs ?? dueAt;
    const base = baseLevel(options.lane, options.wasReady ?? false);
    const old = this.#entries.get(id);
    if (old === undefined) {
      const { group, driftIntervalMs } = options;
      const times = { askedAt: now, dueAt, since, wakeAt: dueAt };
      const entry = { id, key, group, base, driftIntervalMs, ...times, level: base, ready: false };
      this.#entries.set(id, entry);
      this.#place(entry, now);
      return;
    }
    old.askedAt = now;
    old.driftIntervalMs = options.driftIntervalMs ?? old.driftIntervalMs;
    if (old.group === options.group && old.base <= base && old.dueAt <= dueAt && old.since <= since) return; // keeps its place in line
    this.#unplace(old);
    old.group = options.group;
    old.base = Math.min(old.base, base);
    old.dueAt = Math.min(old.dueAt, dueAt);
    old.since = Math.min(old.since, since);
    this.#place(old, now);
  }

  #requeue(item: Item, requeue: Requeue): void {
    const { id, key, group, driftIntervalMs } = item;
    const failed = requeue.kind === "backoff" || (requeue.kind === "after" && requeue.failed === true);
    const failures = item.failures + 1;
    if (failed) this.#failures.set(id, failures);
    else this.#failures.delete(id);
    if (requeue.kind === "never") return;
    const afterMs = requeue.kind === "backoff" ? backoffMs(failures, this.#random) : requeue.afterMs;
    if (requeue.kind === "backoff" || requeue.lane === "same") {
      const again = { group, lane: item.lane, wasReady: item.wasReady, ...optional(driftIntervalMs) };
      // Whoever becomes more urgent before its time comes tries then.
      const soonestMs = Math.min(afterMs, moreUrgentInMs(item, this.#now()));
      this.#merge(key, { ...again, ...(failed ? { afterMs } : { afterMs: soonestMs, sinceMs: item.sinceMs }) });
    } else {
      this.#merge(key, {
        group,
        lane: requeue.lane,
        afterMs,
        ...optional(requeue.lane === "drift" ? afterMs : undefined),
      });
    }
  }

  /** Puts an entry where it belongs by its time; one whose key is running stays aside until `done`. */
  #place(entry: QueuedKey, now: number): void {
    if (this.#running.has(entry.id)) return;
    entry.ready = entry.dueAt <= now;
    if (!entry.ready) {
      entry.wakeAt = entry.dueAt;
      this.#timed.push(entry);
      return;
    }
    const { level, nextRiseMs } = risenLevel(entry.base, now - entry.since, entry.driftIntervalMs);
    entry.level = level;
    this.#ready.add(entry);
    if (nextRiseMs === undefined) return;
    entry.wakeAt = now + nextRiseMs;
    this.#timed.push(entry);
  }

  #unplace(entry: QueuedKey): void {
    this.#timed.remove(entry);
    if (entry.ready) this.#ready.remove(entry);
    entry.ready = false;
  }

  /** Hands out what can run to those who wait for it, and sets the timer for what comes next. */
  #pump(): void {
    if (this.#closed || this.#startedAt === undefined) return;
    const now = this.#now();
    for (let entry = this.#timed.peek(); entry !== undefined && entry.wakeAt <= now; entry = this.#timed.peek()) {
      this.#unplace(entry);
      this.#place(entry, now);
    }
    this.#serve("reserved", now);
    this.#serve("general", now);
    this.#arm(now);
  }

  #serve(taker: Taker, now: number): void {
    const waiters = this.#waiters[taker];
    for (const waiter of waiters) {
      const entry = this.#ready.take(taker);
      if (entry === undefined) return;
      waiters.delete(waiter);
      waiter(this.#handOut(entry, taker, now));
    }
  }

  #handOut(entry: QueuedKey, taker: Taker, now: number): Item {
    const { id, key, group, base, level, driftIntervalMs, since: sinceMs } = entry;
    this.#timed.remove(entry);
    this.#entries.delete(id);
    const failures = this.#failures.get(id) ?? 0;
    const lane = laneOfLevel(base);
    const rank = { lane, level, urgency: urgencyOf(base, level), wasReady: base === EDITS };
    const times = { sinceMs, waitedMs: now - entry.dueAt, askedAgoMs: now - entry.askedAt };
    const item = { id, key, group, ...rank, driftIntervalMs, failures, taker, ...times };
    this.#running.set(id, item);
    this.#waitSeconds.observe(item.waitedMs / 1000, { lane });
    return item;
  }

  #arm(now: number): void {
    const wakeAt = this.#timed.peek()?.wakeAt ?? Infinity;
    if (wakeAt === this.#armedFor) return;
    this.#timer?.cancel();
    this.#armedFor = wakeAt;
    this.#timer = undefined;
    if (wakeAt === Infinity) return;
    this.#timer = this.#clock.setTimer(wakeAt - now, () => {
      this.#armedFor = Infinity;
      this.#pump();
    });
  }
}

const optional = (driftIntervalMs: number | undefined): { readonly driftIntervalMs?: number } =>
  driftIntervalMs === undefined ? {} : { driftIntervalMs };

/** A delay that cannot break the order of the heap: not-a-number and negative ones count as 0. */
const delay = (afterMs = 0): number => (afterMs > 0 ? afterMs : 0);
