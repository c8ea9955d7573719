import { describe, expect, it } from "vitest";
import { logLines } from "../../test/support/runtime/log-lines.ts";
import { readings } from "../../test/support/runtime/readings.ts";
import { ManualClock } from "../base/manual-clock.ts";
import { Controller } from "./controller.ts";
import type { Key } from "./key.ts";
import { type Disposition, type Result, TerminalError, TransientError } from "./outcome.ts";
import type { ReconcileContext, Reconciler } from "./reconciler.ts";
import { WorkQueue } from "./workqueue.ts";

type Behaviour = (context: ReconcileContext) => Promise<Result>;

const key = (name: string): Key => ({ kind: "Project", namespace: "ns", name });

/** Workers over a reconciler whose behaviour is told per name; time moves only when told. */
function running(
  behaviours: Readonly<Record<string, Behaviour>>,
  more: Partial<Reconciler> & { readonly workers?: number } = {},
) {
  const clock = new ManualClock();
  const { log, lines } = logLines();
  const { meter, read } = readings();
  const queue = new WorkQueue({ clock, random: () => 0, meter });
  let serial = 0;
  const newId = (): string => `run-${(serial += 1)}`;
  const controller = new Controller({ queue, clock, log, meter, workers: more.workers ?? 4, newId });
  const runs: string[] = [];
  const active = new Set<string>();
  const twice: string[] = [];
  controller.addReconciler({
    kind: "Project",
    groupOf: ({ namespace }) => namespace,
    reconcile: ({ name }, context) => {
      runs.push(name);
      if (active.has(name)) twice.push(name);
      active.add(name);
      const run = (behaviours[name] ?? (() => Promise.resolve({})))(context);
      void Promise.resolve(run).then(
        () => active.delete(name),
        () => active.delete(name),
      );
      return run;
    },
    ...more,
  });
  const stop = new AbortController();
  const abort = new AbortController();
  queue.start();
  const ended = controller.run(stop.signal, abort.signal);
  return { clock, controller, queue, lines, read, runs, twice, stop, abort, ended };
}

const change = { lane: "change" } as const;

describe("Controller", () => {
  it.each([
    {
      bad: () => {
        throw new Error("thrown at once");
      },
      outcome: "unexpected",
      why: "it throws before it returns a promise",
    },
    { bad: () => Promise.reject(new Error("rejected")), outcome: "unexpected", why: "it rejects" },
    { bad: () => Promise.reject("a string"), outcome: "unexpected", why: "it rejects with a string" },
    { bad: () => Promise.reject(undefined), outcome: "unexpected", why: "it rejects with nothing" },
    {
      bad: () => Promise.reject(new TransientError("Unreachable", "no route")),
      outcome: "transient",
      why: "it fails for now",
    },
  ] satisfies readonly { readonly bad: Behaviour; readonly outcome: string; readonly why: string }[])(
    "goes on after a bad key, and runs it again with backoff: $why",
    async ({ bad, outcome }) => {
      const { clock, controller, runs, read } = running({ bad }, { workers: 1 });
      controller.enqueue(key("bad"), change);
      controller.enqueue(key("good"), change);
      await clock.advanceAsync(0);
      expect(runs).toEqual(["bad", "good"]);
      expect(read("baas_reconcile_total", { kind: "Project", outcome })).toBe(1);
      await clock.advanceAsync(1_000);
      expect(runs).toEqual(["bad", "good", "bad"]);
    },
  );

  it("aborts a run at its deadline, and tells the run so", async () => {
    const reasons: unknown[] = [];
    const slow: Behaviour = ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          reasons.push(signal.reason);
          reject(signal.reason);
        });
      });
    const { clock, controller, read } = running({ slow }, { deadlineMs: 30_000 });
    controller.enqueue(key("slow"), change);
    await clock.advanceAsync(29_999);
    expect(reasons).toEqual([]);
    await clock.advanceAsync(1);
    expect(reasons).toMatchObject([{ code: "DEADLINE", deadlineMs: 30_000 }]);
    const ended = { kind: "Project", outcome: "deadline" };
    expect(read("baas_reconcile_total", ended)).toBe(1);
    expect(read("baas_reconcile_duration_seconds", ended)).toBe(1);
    expect(read("baas_reconcile_duration_seconds_sum", ended)).toBe(30);
  });

  it("leaves a run that ignores its deadline: the worker goes on, the key stays locked until the run ends", async () => {
    const hang = Promise.withResolvers<Result>();
    const answers = [hang.promise, Promise.resolve({})];
    const stuck: Behaviour = () => answers.shift() ?? Promise.resolve({});
    const { clock, controller, runs, twice, read, lines } = running({ stuck }, { workers: 1, deadlineMs: 30_000 });
    controller.enqueue(key("stuck"), change);
    await clock.advanceAsync(0);
    controller.enqueue(key("other"), change);
    controller.enqueue(key("stuck"), change);
    await clock.advanceAsync(35_000);
    expect(runs).toEqual(["stuck", "other"]);
    expect(controller.abandoned).toBe(1);
    expect(read("baas_reconcile_abandoned")).toBe(1);
    expect(lines.some(({ level, message }) => level === "error" && message.includes("ignores its abort"))).toBe(true);
    await clock.advanceAsync(3_600_000);
    expect(runs).toEqual(["stuck", "other"]);
    hang.resolve({});
    await clock.advanceAsync(0);
    expect(runs).toEqual(["stuck", "other", "stuck"]);
    expect(twice).toEqual([]);
    expect(controller.abandoned).toBe(0);
  });

  it("runs a key once more when it was added while it ran, never twice at once", async () => {
    const hold = Promise.withResolvers<Result>();
    const { clock, controller, runs, twice } = running({ a: () => hold.promise });
    controller.enqueue(key("a"), change);
    await clock.advanceAsync(0);
    controller.enqueue(key("a"), change);
    controller.enqueue(key("a"), change);
    await clock.advanceAsync(0);
    expect(runs).toEqual(["a"]);
    hold.resolve({});
    await clock.advanceAsync(0);
    expect(runs).toEqual(["a", "a"]);
    expect(twice).toEqual([]);
  });

  it("tells the run its lane, whether the object was Ready, and how often it failed before", async () => {
    const seen: object[] = [];
    const { clock, controller } = running({
      a: ({ lane, wasReady, failures }) => {
        seen.push({ lane, wasReady, failures });
        return Promise.reject(new TransientError("Unreachable", "no route"));
      },
    });
    controller.enqueue(key("a"), { lane: "change", wasReady: true });
    await clock.advanceAsync(1_000);
    expect(seen).toEqual([
      { lane: "change", wasReady: true, failures: 0 },
      { lane: "change", wasReady: true, failures: 1 },
    ]);
  });

  it("groups a key by itself when its reconciler cannot tell, and ignores kinds that nobody reconciles", async () => {
    const { clock, controller, runs, lines } = running(
      {},
      {
        groupOf: () => {
          throw new Error("no such object");
        },
      },
    );
    controller.enqueue(key("a"), change);
    controller.enqueue({ kind: "Stranger", namespace: "ns", name: "b" }, change);
    await clock.advanceAsync(0);
    expect(runs).toEqual(["a"]);
    expect(lines.filter(({ level }) => level === "error")).toHaveLength(2);
  });

  it("refuses a second reconciler of a kind", () => {
    const { controller } = running({});
    const second = { kind: "Project", groupOf: () => "", reconcile: () => Promise.resolve({}) };
    expect(() => controller.addReconciler(second)).toThrow("Project");
  });
});

describe("Controller, reporting runs that did not succeed", () => {
  const failing: Behaviour = () => Promise.reject(new TerminalError("InvalidSpec", "name the region"));

  it("hands the disposition to the reconciler, and does not retry what the user must put right", async () => {
    const reports: (readonly [string, Disposition])[] = [];
    const { clock, controller, runs } = running(
      { a: failing },
      {
        reportFailure: ({ name }, disposition) => {
          reports.push([name, disposition]);
          return Promise.resolve();
        },
      },
    );
    controller.enqueue(key("a"), change);
    await clock.advanceAsync(3_600_000);
    expect(runs).toEqual(["a"]);
    expect(reports).toMatchObject([["a", { condition: { type: "Stalled", reason: "InvalidSpec" }, event: "Warning" }]]);
  });

  it("runs the key again when the report failed, so that the user is told in the end", async () => {
    let reports = 0;
    const { clock, controller, runs } = running(
      { a: failing },
      {
        reportFailure: () => {
          reports += 1;
          if (reports === 1) throw new Error("the apiserver is down");
          return Promise.resolve();
        },
      },
    );
    controller.enqueue(key("a"), change);
    await clock.advanceAsync(3_600_000);
    expect(runs).toEqual(["a", "a"]);
    expect(reports).toBe(2);
  });

  it("gives the report of a run that overran a signal of its own, and leaves a report that hangs", async () => {
    const signals: boolean[] = [];
    const { clock, controller, runs } = running(
      { a: () => new Promise(() => undefined), b: failing },
      {
        workers: 1,
        deadlineMs: 10_000,
        reportFailure: (_key, _disposition, { signal }) => {
          signals.push(signal.aborted);
          return new Promise(() => undefined);
        },
      },
    );
    controller.enqueue(key("a"), change);
    controller.enqueue(key("b"), change);
    await clock.advanceAsync(10_000 + 5_000 + 15_000 + 5_000);
    expect(runs).toEqual(["a", "b"]);
    expect(signals).toEqual([false, false]);
  });

  it("reports nothing of runs that went well, conflicted or were cut off by a stop", async () => {
    const reports: string[] = [];
    const { clock, controller, abort } = running(
      {
        conflict: () => Promise.reject(Object.assign(new Error("stale"), { code: "Conflict" })),
        slow: ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
      },
      { reportFailure: ({ name }) => Promise.resolve(void reports.push(name)) },
    );
    for (const name of ["fine", "conflict", "slow"]) controller.enqueue(key(name), change);
    await clock.advanceAsync(0);
    abort.abort(new Error("lease lost"));
    await clock.advanceAsync(0);
    expect(reports).toEqual([]);
  });
});

describe("Controller, with slow runs on all workers", () => {
  const never = () => new Promise<Result>(() => undefined);

  it("runs as many edits beside them, and nothing else", async () => {
    const names = ["a", "b"];
    const slow = Object.fromEntries([...names, "edit 1", "edit 2"].map((name) => [name, never]));
    const { clock, controller, runs } = running(slow, { workers: 2 });
    for (const name of [...names, "c"]) controller.enqueue(key(name), change);
    for (const name of ["edit 1", "edit 2", "edit 3"]) controller.enqueue(key(name), { ...change, wasReady: true });
    await clock.advanceAsync(0);
    expect(runs.toSorted()).toEqual([...names, "edit 1", "edit 2"]);
  });
});

describe("Controller, stopping", () => {
  it("takes nothing more, lets runs under way end, and then ends", async () => {
    const hold = Promise.withResolvers<Result>();
    const { clock, controller, runs, stop, ended } = running({ a: () => hold.promise }, { workers: 1 });
    controller.enqueue(key("a"), change);
    controller.enqueue(key("b"), change);
    await clock.advanceAsync(0);
    stop.abort();
    await clock.advanceAsync(0);
    hold.resolve({});
    await ended;
    expect(runs).toEqual(["a"]);
  });

  it("ends even when a run ignores the abort, and counts it", async () => {
    const { clock, controller, stop, abort, ended } = running({ a: () => new Promise(() => undefined) });
    controller.enqueue(key("a"), change);
    await clock.advanceAsync(0);
    stop.abort();
    abort.abort(new Error("the operator stops"));
    await clock.advanceAsync(5_000);
    await ended;
    expect(controller.abandoned).toBe(1);
  });
});
