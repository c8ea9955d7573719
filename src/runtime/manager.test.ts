import { describe, expect, it } from "vitest";
import { type LogLine, logLines } from "../../test/support/runtime/log-lines.ts";
import { ManualClock } from "../base/manual-clock.ts";
import { silentMeter } from "../base/meter.ts";
import { type Exit, exitCode } from "./exit.ts";
import { type Leadership, LeaseLostError } from "./leadership.ts";
import { Manager, type ManagerOptions } from "./manager.ts";
import type { Result } from "./outcome.ts";
import type { ReconcileContext } from "./reconciler.ts";
import type { CacheSource } from "./sources.ts";

/** A source whose sync, health and end are told; ends with its signal. */
class TestSource implements CacheSource {
  readonly #synced = Promise.withResolvers<void>();
  readonly #end = Promise.withResolvers<void>();
  readonly synced = this.#synced.promise;
  alive = true;
  onStop: () => unknown = () => undefined;

  run(signal: AbortSignal): Promise<void> {
    signal.addEventListener("abort", () => {
      if (this.onStop() !== "goes on") this.#end.resolve();
    });
    return this.#end.promise;
  }

  sync(): void {
    this.#synced.resolve();
  }

  fail(error: Error): void {
    this.#end.reject(error);
  }
}

/** Leadership that is given and taken by the test. */
class TestLeadership implements Leadership {
  readonly #lost = new AbortController();
  readonly #given = Promise.withResolvers<void>();
  #leads = false;
  readonly mayRead = (): boolean => true;
  readonly events: string[];

  constructor(events: string[]) {
    this.events = events;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  acquire(signal: AbortSignal): Promise<void> {
    this.events.push("acquire");
    signal.addEventListener("abort", () => this.#given.reject(signal.reason));
    return this.#given.promise;
  }

  give(): void {
    this.#leads = true;
    this.#given.resolve();
  }

  lose(): void {
    this.#lost.abort(new LeaseLostError("not renewed"));
  }

  mayStart(): boolean {
    return this.#leads;
  }

  release({ clean }: { readonly clean: boolean }): Promise<void> {
    this.events.push(clean ? "release" : "leave");
    return Promise.resolve();
  }
}

interface Scene {
  readonly clock: ManualClock;
  readonly manager: Manager;
  readonly events: string[];
  readonly source: TestSource;
  readonly leadership: TestLeadership;
  readonly lines: readonly LogLine[];
  readonly stop: AbortController;
  /** Runs the manager, and notes the exit when it comes. */
  readonly run: () => { exit?: Exit };
}

/** A manager of one source and one kind; `events` tells what happened, in order. */
function scene(
  reconcile: (context: ReconcileContext) => Promise<Result> = () => Promise.resolve({}),
  options: Partial<ManagerOptions> = {},
): Scene {
  const clock = new ManualClock();
  const { log, lines } = logLines();
  const events: string[] = [];
  const leadership = new TestLeadership(events);
  const manager = new Manager({ clock, random: () => 0.5, log, meter: silentMeter, leadership, ...options });
  const source = new TestSource();
  source.onStop = () => void events.push("source stops");
  manager.addSource("projects", source);
  manager.addReconciler({
    kind: "Project",
    groupOf: ({ namespace }) => namespace,
    reconcile: async ({ name }, context) => {
      events.push(`run ${name}`);
      try {
        return await reconcile(context);
      } finally {
        events.push(`ran ${name}`);
      }
    },
  });
  manager.addStartTask({ name: "key ring", run: () => Promise.resolve(void events.push("start task")) });
  manager.addOutput({ name: "events", drain: () => Promise.resolve(void events.push("drain output")) });
  const stop = new AbortController();
  const run = (): { exit?: Exit } => {
    const ended: { exit?: Exit } = {};
    void manager.run(stop.signal).then((exit) => {
      ended.exit = exit;
    });
    return ended;
  };
  return { clock, manager, events, source, leadership, lines, stop, run };
}

const project = (name: string) => ({ kind: "Project", namespace: "ns", name });

describe("Manager, starting", () => {
  it("waits for caches, then leads, then does the start tasks, then runs keys, also those that came before", async () => {
    const { clock, manager, events, source, leadership, run } = scene();
    run();
    manager.enqueue(project("early"), { lane: "change" });
    await clock.advanceAsync(60_000);
    expect(events).toEqual([]);
    source.sync();
    await clock.advanceAsync(0);
    expect(events).toEqual(["acquire"]);
    leadership.give();
    await clock.advanceAsync(0);
    expect(events).toEqual(["acquire", "start task", "run early", "ran early"]);
  });

  it("is alive at once and ready when caches are in sync, leader or not", async () => {
    const { clock, manager, source, run } = scene();
    expect(manager.readiness()).toEqual(["not started"]);
    run();
    await clock.advanceAsync(0);
    expect(manager.liveness()).toEqual([]);
    expect(manager.readiness()).toEqual(["waiting for the first list of projects"]);
    source.sync();
    await clock.advanceAsync(3_600_000);
    expect(manager.readiness()).toEqual([]);
    expect(manager.liveness()).toEqual([]);
  });

  it("is not alive while a watch loop is stuck", async () => {
    const { clock, manager, source, run } = scene();
    run();
    await clock.advanceAsync(0);
    source.alive = false;
    expect(manager.liveness()).toEqual(["watch loop of projects is stuck"]);
  });

  it("ends when caches are not in sync in time, and names them", async () => {
    const { clock, source, manager, run } = scene();
    const other = new TestSource();
    manager.addSource("branches", other);
    const ended = run();
    source.sync();
    await clock.advanceAsync(119_999);
    expect(ended.exit).toBeUndefined();
    await clock.advanceAsync(1);
    expect(ended.exit).toEqual({ kind: "syncTimeout", sources: ["branches"] });
  });

  it("ends with the first cause when a source ends by itself", async () => {
    const { clock, source, events, lines, run } = scene();
    const ended = run();
    source.fail(new Error("out of memory"));
    await clock.advanceAsync(0);
    expect(ended.exit).toMatchObject({ kind: "failed", what: "source projects", error: { message: "out of memory" } });
    expect(events).toContain("source stops");
    expect(lines.some(({ level, message }) => level === "error" && message.includes("out of memory"))).toBe(true);
  });

  it("ends with the cause when a start task fails, and runs no key", async () => {
    const { clock, manager, source, leadership, events, run } = scene();
    manager.addStartTask({ name: "bad", run: () => Promise.reject(new Error("no key ring")) });
    const ended = run();
    manager.enqueue(project("a"), { lane: "change" });
    source.sync();
    leadership.give();
    await clock.advanceAsync(0);
    expect(ended.exit).toMatchObject({ kind: "failed", what: "start task bad", error: { message: "no key ring" } });
    expect(events).not.toContain("run a");
  });

  it("takes no part, and no second start, once it runs", async () => {
    const { manager, run } = scene();
    run();
    expect(() => manager.addSource("late", new TestSource())).toThrow("runs already");
    await expect(manager.run(new AbortController().signal)).rejects.toThrow("runs already");
  });
});

/** A scene that leads and has key `a` under way. */
async function leading(
  reconcile?: (context: ReconcileContext) => Promise<Result>,
  options?: Partial<ManagerOptions>,
): Promise<Scene & { readonly ended: { exit?: Exit } }> {
  const all = scene(reconcile, options);
  const ended = all.run();
  all.source.sync();
  all.leadership.give();
  await all.clock.advanceAsync(0);
  all.manager.enqueue(project("a"), { lane: "change" });
  await all.clock.advanceAsync(0);
  return { ...all, ended };
}

describe("Manager, stopping", () => {
  it("stops sources, lets runs end, drains outputs, and then releases the lease", async () => {
    const hold = Promise.withResolvers<Result>();
    const { clock, manager, events, stop, ended } = await leading(() => hold.promise);
    manager.enqueue(project("b"), { lane: "change", afterMs: 1 });
    stop.abort();
    await clock.advanceAsync(5_000);
    expect(manager.readiness()).toEqual(["stopping"]);
    hold.resolve({});
    await clock.advanceAsync(0);
    expect(events.slice(-4)).toEqual(["source stops", "ran a", "drain output", "release"]);
    expect(events).not.toContain("run b");
    expect(ended.exit).toEqual({ kind: "stopped", clean: true });
    expect(clock.pendingTimers).toBe(0);
  });

  it("aborts runs that take longer than the time to drain; once they ended the lease is released", async () => {
    const { clock, events, stop, ended } = await leading(
      ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    );
    stop.abort();
    await clock.advanceAsync(14_999);
    expect(events).not.toContain("ran a");
    await clock.advanceAsync(1);
    expect(events.slice(-3)).toEqual(["ran a", "drain output", "release"]);
    expect(ended.exit).toEqual({ kind: "stopped", clean: false });
  });

  it.each(["a run", "a source"])("leaves the lease to run out when %s ignores its abort", async (which) => {
    const running = which === "a run" ? new Promise<Result>(() => undefined) : Promise.resolve({});
    const { clock, events, source, stop, ended } = await leading(() => running);
    if (which === "a source") source.onStop = () => "goes on";
    stop.abort();
    await clock.advanceAsync(15_000 + 5_000);
    expect(events.slice(-2)).toEqual(["drain output", "leave"]);
    expect(ended.exit).toEqual({ kind: "stopped", clean: false });
  });

  it("aborts runs at once when the lease is lost, and ends with a code that is not zero", async () => {
    const reasons: unknown[] = [];
    const { clock, leadership, ended } = await leading(
      ({ signal }) =>
        new Promise((_, reject) =>
          signal.addEventListener("abort", () => {
            reasons.push(signal.reason);
            reject(signal.reason);
          }),
        ),
    );
    leadership.lose();
    expect(reasons).toMatchObject([{ code: "LEASE_LOST" }]);
    await clock.advanceAsync(0);
    expect(ended.exit).toMatchObject({ kind: "leaseLost", error: { message: "not renewed" } });
    expect(ended.exit === undefined ? 0 : exitCode(ended.exit)).toBe(1);
  });

  it("aborts runs when the lease is lost while draining, and still tells that it was asked to stop", async () => {
    const { clock, leadership, stop, events, ended } = await leading(
      ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    );
    stop.abort();
    await clock.advanceAsync(1_000);
    leadership.lose();
    await clock.advanceAsync(0);
    expect(events).toContain("ran a");
    expect(ended.exit).toMatchObject({ kind: "stopped", clean: false });
  });

  it.each(["before its caches are in sync", "while it waits for the lease"])("stops cleanly %s", async (when) => {
    const { clock, source, stop, run } = scene();
    const ended = run();
    if (when.includes("lease")) source.sync();
    await clock.advanceAsync(1_000);
    stop.abort();
    await clock.advanceAsync(0);
    expect(ended.exit).toEqual({ kind: "stopped", clean: true });
    expect(clock.pendingTimers).toBe(0);
  });

  it("does not start at all when it is asked to stop before", async () => {
    const { clock, stop, events, run } = scene();
    stop.abort();
    const ended = run();
    await clock.advanceAsync(0);
    expect(ended.exit).toEqual({ kind: "stopped", clean: true });
    expect(events).not.toContain("acquire");
  });

  it("is not held up by an output that hangs or fails", async () => {
    const all = scene();
    all.manager.addOutput({ name: "hangs", drain: () => new Promise(() => undefined) });
    all.manager.addOutput({ name: "fails", drain: () => Promise.reject(new Error("no")) });
    const ended = all.run();
    all.stop.abort();
    await all.clock.advanceAsync(5_000);
    expect(ended.exit).toEqual({ kind: "stopped", clean: true });
    expect(all.lines.some(({ fields }) => fields["output"] === "fails")).toBe(true);
  });
});
