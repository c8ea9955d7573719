import { deadline, sleep } from "../base/abort.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/log.ts";
import type { Meter } from "../base/meter.ts";
import type { Random } from "../base/random.ts";
import { silentTracer, type Tracer } from "../base/tracer.ts";
import { Controller, DEFAULT_NOTICE_MS } from "./controller.ts";
import { errorFields } from "../base/error-facts.ts";
import { type Exit, exitMessage } from "./exit.ts";
import type { Leadership } from "./leadership.ts";
import type { Enqueue, Reconciler } from "./reconciler.ts";
import { settleWithin } from "./settle.ts";
import { SourceSet, type CacheSource } from "./sources.ts";
import { WorkQueue } from "./workqueue.ts";

/** Work of the leader that has to be done before its first run. */
export interface StartTask {
  readonly name: string;
  run(signal: AbortSignal): Promise<void>;
}

/** Something that still holds things to send when the workers have ended, such as events. */
export interface Output {
  readonly name: string;
  /** Sends what it holds; gives up when the signal aborts. */
  drain(signal: AbortSignal): Promise<void>;
}

export interface ManagerOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly meter: Meter;
  readonly tracer?: Tracer;
  readonly leadership: Leadership;
  /** Runs at once, and as many more of edits; default 16. */
  readonly workers?: number;
  /** Runs at once of one group, and edits of it, so that slow ones do not hold up other groups; default half of the workers. */
  readonly maxRunningPerGroup?: number;
  /** Time for the first lists, milliseconds; default two minutes. */
  readonly syncTimeoutMs?: number;
  /** Time for runs under way when stopping, milliseconds; default 15 s. A Pod's grace period needs about 15 s more than this. */
  readonly drainMs?: number;
  /** Time for runs to notice their abort, milliseconds; default 5 s. */
  readonly noticeMs?: number;
}

/** Time for outputs to send what they hold, milliseconds. */
const OUTPUT_DRAIN_MS = 5_000;

/**
 * Starts and stops the parts of an operator in order. Source: engine.md §8.
 *
 * Start: sources; their caches in sync, or the end by timeout; leadership; start tasks; workers. A standby stays before leadership, with its
 * caches in sync and its keys collected. Stop: sources; workers, with time for runs under way; outputs; the lease. A lost lease
 * aborts runs at once. The first cause of an end is what `run` tells.
 */
export class Manager {
  readonly #options: ManagerOptions;
  readonly #sources: SourceSet;
  readonly #queue: WorkQueue;
  readonly #controller: Controller;
  readonly #startTasks: StartTask[] = [];
  readonly #outputs: Output[] = [];
  readonly #exit = Promise.withResolvers<Exit>();
  /** Aborts when the end begins: sources, waiting for leadership, start tasks, taking keys. */
  readonly #ending = new AbortController();
  /** Aborts what runs. */
  readonly #abortRuns = new AbortController();
  #state: "new" | "running" | "ending" = "new";
  #workers: Promise<void> = Promise.resolve();

  constructor(options: ManagerOptions) {
    this.#options = options;
    const { clock, random, log, meter, workers = 16 } = options;
    const maxRunningPerGroup = options.maxRunningPerGroup ?? Math.max(1, Math.ceil(workers / 2));
    this.#sources = new SourceSet(log);
    this.#queue = new WorkQueue({ clock, random, meter, maxRunningPerGroup });
    const { noticeMs = DEFAULT_NOTICE_MS } = options;
    this.#controller = new Controller({
      queue: this.#queue,
      clock,
      log,
      meter,
      workers,
      noticeMs,
      tracer: options.tracer ?? silentTracer,
    });
  }

  /** Asks for a run of a key; for watch handlers. */
  get enqueue(): Enqueue {
    return this.#controller.enqueue;
  }

  /** @param name what readers of probes and logs know it by, such as the plural of a kind @throws Error once it runs */
  addSource(name: string, source: CacheSource): void {
    this.#onlyNew();
    this.#sources.add(name, source);
  }

  /** @throws Error for a second reconciler of a kind, and once it runs */
  addReconciler(reconciler: Reconciler): void {
    this.#onlyNew();
    this.#controller.addReconciler(reconciler);
  }

  /** Start tasks run one after the other, in the order in which they were added. @throws Error once it runs */
  addStartTask(task: StartTask): void {
    this.#onlyNew();
    this.#startTasks.push(task);
  }

  /** @throws Error once it runs */
  addOutput(output: Output): void {
    this.#onlyNew();
    this.#outputs.push(output);
  }

  /** What /healthz fails for: sources whose loop is stuck or ended. */
  liveness(): readonly string[] {
    return this.#state === "running" ? this.#sources.stuck() : [];
  }

  /** What /readyz fails for: caches that are not in sync, and a process that is not running (any more). */
  readiness(): readonly string[] {
    if (this.#state !== "running") return [this.#state === "new" ? "not started" : "stopping"];
    return this.#sources.unsynced().map((name) => `waiting for the first list of ${name}`);
  }

  /**
   * Runs until `signal` aborts or something ends it; resolves once all is stopped. Call it once.
   *
   * Its timers do not keep a process alive: a listening probe server does.
   */
  async run(signal: AbortSignal): Promise<Exit> {
    this.#onlyNew();
    this.#state = "running";
    const { leadership } = this.#options;
    const { lost } = leadership;
    const onStop = (): void => this.#end({ kind: "stopped", clean: true });
    const onLost = (): void => {
      this.#abortRuns.abort(lost.reason);
      this.#end({ kind: "leaseLost", error: lost.reason });
    };
    if (signal.aborted) onStop();
    signal.addEventListener("abort", onStop, { once: true });
    lost.addEventListener("abort", onLost, { once: true });
    const starting = this.#start();
    const exit = await this.#exit.promise;
    const ended = await this.#stop(exit, starting);
    signal.removeEventListener("abort", onStop);
    lost.removeEventListener("abort", onLost);
    return ended;
  }

  #onlyNew(): void {
    if (this.#state !== "new") throw new Error("the manager runs already");
  }

  /** Begins the end; the first cause stands. */
  #end(exit: Exit): void {
    if (this.#state === "ending") return;
    this.#state = "ending";
    this.#exit.resolve(exit);
    this.#ending.abort();
  }

  /** The start, step by step; never rejects: what fails begins the end. */
  async #start(): Promise<void> {
    const { leadership, clock, log, syncTimeoutMs = 120_000 } = this.#options;
    const { signal } = this.#ending;
    let what = "the start of sources";
    try {
      signal.throwIfAborted();
      this.#sources.start(signal, (name, error) => this.#end({ kind: "failed", what: `source ${name}`, error }));
      const missing = await this.#sources.synced(signal, { clock, timeoutMs: syncTimeoutMs });
      if (missing.length > 0) {
        this.#end({ kind: "syncTimeout", sources: missing });
        return;
      }
      log.info({}, "caches in sync");
      what = "leader election";
      await leadership.acquire(signal);
      for (const task of this.#startTasks) {
        what = `start task ${task.name}`;
        await task.run(signal);
      }
      signal.throwIfAborted();
      this.#queue.start();
      this.#workers = this.#controller.run(signal, this.#abortRuns.signal);
      log.info({}, "workers started");
    } catch (error) {
      this.#end({ kind: "failed", what, error }); // nothing, when the end is what broke the start off
    }
  }

  async #stop(exit: Exit, starting: Promise<void>): Promise<Exit> {
    const { clock, log, leadership, drainMs = 15_000, noticeMs = DEFAULT_NOTICE_MS } = this.#options;
    log[exit.kind === "stopped" ? "info" : "error"]({ exit: exit.kind }, `ending: ${exitMessage(exit)}`);
    const ending = { clock, graceMs: noticeMs };
    const [started, sources, drained] = await Promise.all([
      settleWithin(starting, this.#ending.signal, ending),
      settleWithin(this.#sources.ended(), this.#ending.signal, ending),
      this.#drainWorkers(drainMs),
    ]);
    this.#queue.close();
    await this.#drainOutputs();
    const quiet = started.kind === "ended" && sources.kind === "ended" && this.#controller.abandoned === 0;
    await leadership.release({ clean: quiet });
    return exit.kind === "stopped" ? { kind: "stopped", clean: quiet && drained } : exit;
  }

  /** Gives runs under way their time, then aborts them. @returns false when it had to */
  async #drainWorkers(drainMs: number): Promise<boolean> {
    const { clock, log } = this.#options;
    const waited = new AbortController();
    const timeUp = sleep(clock, drainMs, waited.signal).then(
      () => false,
      () => false,
    );
    const drained = await Promise.race([this.#workers.then(() => true), timeUp]);
    waited.abort();
    if (drained) return !this.#abortRuns.signal.aborted;
    log.warn({ running: this.#queue.running }, "time to drain is over: aborting runs");
    this.#abortRuns.abort(new Error("the operator stops"));
    await this.#workers;
    return false;
  }

  async #drainOutputs(): Promise<void> {
    const { clock, log } = this.#options;
    using limit = deadline(clock, OUTPUT_DRAIN_MS);
    const drains = this.#outputs.map(async (output) => {
      try {
        await output.drain(limit.signal);
      } catch (error) {
        log.warn({ output: output.name, ...errorFields(error) }, "output not drained");
      }
    });
    await settleWithin(Promise.all(drains), limit.signal, { clock, graceMs: 0 });
  }
}
