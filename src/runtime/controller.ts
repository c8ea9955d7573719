import { randomUUID } from "node:crypto";
import { deadline } from "../base/abort.ts";
import type { Clock } from "../base/clock.ts";
import type { LogFields, Logger } from "../base/log.ts";
import type { Counter, Histogram, Meter } from "../base/meter.ts";
import { errorFacts, errorFields } from "../base/error-facts.ts";
import { type Span, silentTracer, type SpanSpec, type Tracer } from "../base/tracer.ts";
import type { Item } from "./item.ts";
import type { Key } from "./key.ts";
import { classify, type Disposition, disposition, type Outcome, type Requeue } from "./outcome.ts";
import type { Taker } from "./ready-set.ts";
import type { Change, Enqueue, ReconcileContext, Reconciler } from "./reconciler.ts";
import { settleWithin } from "./settle.ts";
import type { WorkQueue } from "./workqueue.ts";

/** Longest run of a reconciler that names no deadline of its own. */
const DEFAULT_DEADLINE_MS = 120_000;

/** Time to tell the user of a failed run. */
const REPORT_DEADLINE_MS = 15_000;

/** Time that a run gets to notice its abort before its worker leaves it, milliseconds. */
export const DEFAULT_NOTICE_MS = 5_000;

export interface ControllerOptions {
  readonly queue: WorkQueue;
  readonly clock: Clock;
  readonly log: Logger;
  readonly meter: Meter;
  /** Each run is a trace; default: nothing is recorded. */
  readonly tracer?: Tracer;
  /** Runs at once, over all kinds; as many more take edits alone, so that one finds a worker where slow first syncs have all others. */
  readonly workers: number;
  /** Milliseconds after its deadline or abort at which a run that has not ended is left alone; default 5 s. */
  readonly noticeMs?: number;
  /** Names a run; default a random UUID. */
  readonly newId?: () => string;
}

/** A run that ended or was left, and what was thrown, for the log. */
interface EndedRun {
  readonly outcome: Outcome;
  readonly error?: unknown;
}

/**
 * Takes keys of all kinds from the one queue and runs their reconcilers. Source: engine.md §1, style.md (reconcile contract).
 *
 * A run has a deadline and a logger of its own. Whatever a reconciler does, the workers go on: what it throws becomes an outcome, and a
 * run that ignores its abort is left after `noticeMs`: its worker is free again, while its key stays locked until the run really ends,
 * since a key must never run twice at once.
 */
export class Controller {
  readonly #options: ControllerOptions;
  readonly #noticeMs: number;
  readonly #newId: () => string;
  readonly #tracer: Tracer;
  readonly #reconcilers = new Map<string, Reconciler>();
  readonly #abandoned = new Set<Item>();
  readonly #runs: Counter;
  readonly #seconds: Histogram;

  constructor(options: ControllerOptions) {
    this.#options = options;
    this.#noticeMs = options.noticeMs ?? DEFAULT_NOTICE_MS;
    this.#newId = options.newId ?? randomUUID;
    this.#tracer = options.tracer ?? silentTracer;
    const { meter } = options;
    this.#runs = meter.counter({
      name: "baas_reconcile_total",
      help: "Runs of reconcilers, by how they ended",
      labels: ["kind", "outcome"],
    });
    this.#seconds = meter.histogram({
      name: "baas_reconcile_duration_seconds",
      help: "Duration of runs of reconcilers, by how they ended",
      labels: ["kind", "outcome"],
    });
    meter.observableGauge(
      { name: "baas_reconcile_abandoned", help: "Runs that ignore their deadline; their keys stay locked" },
      () => [{ value: this.#abandoned.size }],
    );
  }

  /** Runs that were left and have not ended. */
  get abandoned(): number {
    return this.#abandoned.size;
  }

  /** @throws Error when the kind has a reconciler already */
  addReconciler(reconciler: Reconciler): void {
    if (this.#reconcilers.has(reconciler.kind)) throw new Error(`two reconcilers for kind ${reconciler.kind}`);
    this.#reconcilers.set(reconciler.kind, reconciler);
  }

  /** Asks for a run of a key, in the group that its reconciler tells. A kind without a reconciler is logged and ignored. */
  readonly enqueue: Enqueue = (key, options) => {
    const reconciler = this.#reconcilers.get(key.kind);
    if (reconciler === undefined) {
      this.#options.log.error({ ...key }, "no reconciler for this kind");
      return;
    }
    this.#options.queue.add(key, { ...options, group: this.#groupOf(reconciler, key) });
  };

  /**
   * Runs the workers until `stop` aborts: then nothing more is taken, and runs under way go on. They are aborted by `abort`, and left
   * when they do not notice. Resolves when every worker has ended; never rejects.
   */
  async run(stop: AbortSignal, abort: AbortSignal): Promise<void> {
    const { workers } = this.#options;
    const each = Array.from({ length: workers }, () => ["general", "reserved"] as const).flat();
    await Promise.all(each.map((taker) => this.#work(taker, stop, abort)));
  }

  async #work(taker: Taker, stop: AbortSignal, abort: AbortSignal): Promise<void> {
    for (;;) {
      let item: Item;
      try {
        item = await this.#options.queue.next(stop, taker);
      } catch {
        return; // the queue ends a wait for no other reason than the signal
      }
      await this.#tracer.root(spanOf(item), (span) => this.#runItem(item, abort, span));
    }
  }

  async #runItem(item: Item, abort: AbortSignal, span: Span): Promise<void> {
    const { queue, log, clock } = this.#options;
    const reconcileId = this.#newId();
    const { traceId } = span;
    const traced = traceId === undefined ? {} : { traceId };
    const before = this.#refOf(item.key);
    const runLog = log.child({ reconcileId, ...traced, ...item.key, lane: item.lane, ...before });
    const changes: (Change | undefined)[] = [];
    const changed = (change?: Change): void => void changes.push(change);
    span.set({ "baas.reconcile_id": reconcileId });
    const startedMs = clock.monotonic();
    const { lane, urgency, wasReady, askedAgoMs, failures } = item;
    const context = { log: runLog, changed, lane, urgency, wasReady, askedAgoMs, reconcileId, failures };
    let requeue: Requeue = { kind: "backoff" };
    let ended: Promise<void> | undefined;
    try {
      const reconciler = this.#reconcilers.get(item.key.kind);
      if (reconciler === undefined) throw new Error(`no reconciler for kind ${item.key.kind}`);
      const run = await this.#attempt(reconciler, item, { abort, context });
      ended = run.ended;
      const durationMs = clock.monotonic() - startedMs;
      const next = disposition(run.outcome);
      const told = abort.aborted || (await this.#report(reconciler, item.key, { abort, context, next }));
      this.#tell(item, { ...run, next, span, log: runLog, durationMs, changes, before });
      requeue = told ? next.requeue : requeue;
    } catch (error) {
      runLog.error(errorFields(error), "the runtime failed around a run; the key is retried");
    }
    if (ended === undefined) queue.done(item, requeue);
    else this.#abandon(item, requeue, ended);
  }

  /** One run of the reconciler; `ended` is there when it was left before it ended. */
  async #attempt(
    reconciler: Reconciler,
    item: Item,
    { abort, context }: { readonly abort: AbortSignal; readonly context: Omit<ReconcileContext, "signal"> },
  ): Promise<EndedRun & { readonly ended?: Promise<void> }> {
    const { clock } = this.#options;
    using limit = deadline(clock, reconciler.deadlineMs ?? DEFAULT_DEADLINE_MS, abort);
    const { signal } = limit;
    const work = start(() => reconciler.reconcile(item.key, { ...context, signal })).then(
      (result): EndedRun => ({ outcome: { kind: "done", result } }),
      (error: unknown): EndedRun => ({ outcome: classify(error, signal), error }),
    );
    const settled = await settleWithin(work, signal, { clock, graceMs: this.#noticeMs });
    if (settled.kind === "ended") return settled.value;
    return { outcome: classify(signal.reason, signal), error: signal.reason, ended: work.then(() => undefined) };
  }

  /** Lets the reconciler tell the user; false when that failed, so that the key runs again and it is told then. */
  async #report(
    reconciler: Reconciler,
    key: Key,
    run: {
      readonly abort: AbortSignal;
      readonly context: Omit<ReconcileContext, "signal">;
      readonly next: Disposition;
    },
  ): Promise<boolean> {
    if (run.next.condition === undefined || reconciler.reportFailure === undefined) return true;
    const { clock } = this.#options;
    const { context, next, abort } = run;
    using limit = deadline(clock, REPORT_DEADLINE_MS, abort);
    const { signal } = limit;
    const work = start(async () => reconciler.reportFailure?.(key, next, { ...context, signal })).then(
      () => true,
      (error: unknown) => {
        const outcome = classify(error, signal);
        const { logLevel } = disposition(outcome);
        context.log[logLevel](told(outcome, error), "could not report the outcome; the key is retried");
        return false;
      },
    );
    const settled = await settleWithin(work, signal, { clock, graceMs: this.#noticeMs });
    return settled.kind === "ended" && settled.value;
  }

  /** Keeps the key locked until the run that was left has ended. */
  #abandon(item: Item, requeue: Requeue, ended: Promise<void>): void {
    this.#abandoned.add(item);
    void ended.then(() => {
      this.#abandoned.delete(item);
      this.#options.queue.done(item, requeue);
    });
  }

  #tell(
    { key, waitedMs, failures }: Item,
    run: EndedRun & {
      readonly ended?: Promise<void>;
      readonly next: Disposition;
      readonly log: Logger;
      readonly span: Span;
      readonly durationMs: number;
      readonly changes: readonly (Change | undefined)[];
      readonly before: LogFields;
    },
  ): void {
    const { next, log, span, outcome, durationMs, changes, before } = run;
    span.set({ "baas.outcome": next.metric });
    if (outcome.kind !== "done") span.fail(errorFacts(run.error).code ?? outcome.kind);
    this.#runs.increment({ kind: key.kind, outcome: next.metric });
    this.#seconds.observe(durationMs / 1000, { kind: key.kind, outcome: next.metric });
    const fields = {
      outcome: outcome.kind,
      durationMs: Math.round(durationMs),
      waitedMs: Math.round(waitedMs),
      failures,
      // A ref that was there before stands in every line of the run.
      ...("ref" in before ? {} : this.#refOf(key)),
      ...(changes.length === 0 ? {} : { changes: changes.filter((change) => change !== undefined) }),
    };
    const level = next.logLevel === "debug" && changes.length > 0 ? "info" : next.logLevel;
    if (outcome.kind === "done") {
      log[level](fields, "reconciled");
      return;
    }
    log[level]({ ...fields, ...told(outcome, run.error) }, "not reconciled");
    if (run.ended !== undefined) log.error(fields, "a run ignores its abort; its key stays locked until it ends");
  }

  /** As a field of log lines; empty where it is not known, or cannot be told. */
  #refOf(key: Key): LogFields {
    try {
      const ref = this.#reconcilers.get(key.kind)?.refOf?.(key);
      return ref === undefined ? {} : { ref };
    } catch {
      return {}; // a line without it is better than none
    }
  }

  #groupOf(reconciler: Reconciler, key: Key): string {
    try {
      return reconciler.groupOf(key);
    } catch (error) {
      this.#options.log.error({ ...key, ...errorFields(error) }, "no group for this key; it takes turns alone");
      return `${key.namespace}/${key.name}`;
    }
  }
}

/** Named by the kind, of which there are few; which object it is about is an attribute. */
function spanOf({ key, lane, waitedMs, failures }: Item): SpanSpec {
  return {
    name: `reconcile ${key.kind}`,
    attributes: {
      "baas.kind": key.kind,
      "k8s.namespace.name": key.namespace,
      "baas.name": key.name,
      "baas.lane": lane,
      "baas.queue_wait_ms": Math.round(waitedMs),
      "baas.failures": failures,
    },
  };
}

/** Calls `work` so that what it throws at once is a rejection too. */
async function start<T>(work: () => Promise<T>): Promise<T> {
  return await work();
}

/** What a line says of how a run failed. A wait is no error, and where it was thrown says something only of a failure that nobody foresaw. */
function told(outcome: Outcome, thrown: unknown): LogFields {
  const { error, stack, ...facts } = errorFields(thrown);
  return {
    ...facts,
    ...(outcome.kind === "waiting" || error === undefined ? {} : { error }),
    ...(outcome.kind !== "unexpected" || stack === undefined ? {} : { stack }),
  };
}
