import { describe, expect, it } from "vitest";
import { logLines } from "../../test/support/runtime/log-lines.ts";
import { DeadlineError } from "../base/abort.ts";
import { ManualClock } from "../base/manual-clock.ts";
import { silentMeter } from "../base/meter.ts";
import { Controller } from "./controller.ts";
import type { Key } from "./key.ts";
import { type Result, TerminalError, WaitingError } from "./outcome.ts";
import type { ReconcileContext, Reconciler } from "./reconciler.ts";
import { WorkQueue } from "./workqueue.ts";

const key = (name: string): Key => ({ kind: "Project", namespace: "ns", name });
const change = { lane: "change" } as const;

/** A worker over a reconciler that does as it is told, and the lines that it leaves. */
function running(
  behaviours: Readonly<Record<string, (context: ReconcileContext) => Promise<Result>>>,
  more: Partial<Reconciler> = {},
) {
  const clock = new ManualClock();
  const { log, lines } = logLines();
  const queue = new WorkQueue({ clock, random: () => 0, meter: silentMeter });
  let serial = 0;
  const newId = (): string => `run-${(serial += 1)}`;
  const controller = new Controller({ queue, clock, log, meter: silentMeter, workers: 1, newId });
  controller.addReconciler({
    kind: "Project",
    groupOf: ({ namespace }) => namespace,
    reconcile: ({ name }, context) => (behaviours[name] ?? (() => Promise.resolve({})))(context),
    ...more,
  });
  queue.start();
  const { signal } = new AbortController();
  void controller.run(signal, signal);
  return { clock, controller, lines };
}

describe("what a Controller logs", () => {
  it("gives each run an id, and a logger that names run and key", async () => {
    const { clock, controller, lines } = running({
      a: ({ log, reconcileId }) => {
        log.info({ own: reconcileId }, "hello");
        return Promise.resolve({});
      },
    });
    controller.enqueue(key("a"), { lane: "progress" });
    await clock.advanceAsync(0);
    expect(lines.find(({ message }) => message === "hello")?.fields).toEqual({
      own: "run-1",
      reconcileId: "run-1",
      kind: "Project",
      namespace: "ns",
      name: "a",
      lane: "progress",
    });
  });

  it.each([
    { why: "nothing changed", changes: [], ends: () => Promise.resolve({}), told: ["debug reconciled"] },
    { why: "something changed", changes: [undefined], ends: () => Promise.resolve({}), told: ["info reconciled"] },
    {
      why: "a wait, nothing changed",
      changes: [],
      ends: () => Promise.reject(new WaitingError("Creating", "wait", 1e9)),
      told: ["debug not reconciled"],
    },
    {
      why: "a wait for what it asked for",
      changes: [undefined, undefined],
      ends: () => Promise.reject(new WaitingError("Creating", "wait", 1e9)),
      told: ["info not reconciled"],
    },
    {
      why: "a failure is no less one for what was changed before",
      changes: [undefined],
      ends: () => Promise.reject(new TerminalError("InvalidSpec", "no")),
      told: ["warn not reconciled"],
    },
  ] satisfies readonly {
    readonly why: string;
    readonly changes: readonly undefined[];
    readonly ends: () => Promise<Result>;
    readonly told: readonly string[];
  }[])("tells of each run in one line, at level info when it changed something: $why", async (row) => {
    const { changes, ends, told } = row;
    const { clock, controller, lines } = running({
      a: ({ changed }) => {
        for (const change of changes) changed?.(change);
        return ends();
      },
    });
    controller.enqueue(key("a"), change);
    await clock.advanceAsync(0);
    expect(lines.map(({ level, message }) => `${level} ${message}`)).toEqual(told);
  });

  it.each([
    { why: "a wait is no error", error: new WaitingError("Creating", "wait", 1e9), has: ["reason", "message"] },
    { why: "somebody must act", error: new TerminalError("InvalidSpec", "no"), has: ["reason", "message", "error"] },
    { why: "it took too long", error: new DeadlineError(1000), has: ["message", "error"] },
    { why: "a failure that nobody foresaw", error: new TypeError("x"), has: ["message", "error", "stack"] },
  ])("says where it was thrown only of a failure that nobody foresaw: $why", async ({ error, has }) => {
    const { clock, controller, lines } = running({ a: () => Promise.reject(error) });
    controller.enqueue(key("a"), change);
    await clock.advanceAsync(0);
    const fields = Object.keys(lines.at(-1)?.fields ?? {});
    expect(["reason", "message", "error", "stack"].filter((name) => fields.includes(name))).toEqual(has);
  });

  it("tells in that line what was changed, and the ref that it has by then; with one from the start, in each line", async () => {
    const made = { reason: "Created", note: "created the project", fields: ["name"] };
    let ref: string | undefined;
    const { clock, controller, lines } = running(
      {
        a: ({ log, changed }) => {
          log.debug({}, "look");
          if (ref === undefined) changed?.(made);
          changed?.();
          ref = "ref-of-it";
          return Promise.resolve({});
        },
      },
      { refOf: () => ref },
    );
    for (let run = 0; run < 2; run += 1) {
      controller.enqueue(key("a"), change);
      await clock.advanceAsync(0);
    }
    const common = { kind: "Project", namespace: "ns", name: "a", lane: "change" };
    expect(lines.map(({ fields }) => fields)).toMatchObject([
      { ...common, reconcileId: "run-1" },
      { ...common, reconcileId: "run-1", ref: "ref-of-it", changes: [made] },
      { ...common, reconcileId: "run-2", ref: "ref-of-it" },
      { ...common, reconcileId: "run-2", ref: "ref-of-it", changes: [] },
    ]);
    expect(lines[0]?.fields).not.toHaveProperty("ref");
  });

  it("does without a ref that cannot be told", async () => {
    const refOf = (): never => {
      throw new Error("no such store");
    };
    const { clock, controller, lines } = running({}, { refOf });
    controller.enqueue(key("a"), change);
    await clock.advanceAsync(0);
    expect(lines.map(({ message }) => message)).toEqual(["reconciled"]);
  });
});
