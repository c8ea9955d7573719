import { type ApiClient, createClient } from "../../../src/api/client.ts";
import type { CallOptions } from "../../../src/api/client-options.ts";
import { PersonalToken } from "../../../src/api/credentials/personal-token.ts";
import { Pacer } from "../../../src/api/pacing/pacer.ts";
import { silentLogger } from "../../../src/base/log.ts";
import type { ManualClock } from "../../../src/base/manual-clock.ts";
import { silentMeter } from "../../../src/base/meter.ts";
import { seededRandom } from "../../../src/base/random.ts";
import { BUDGET_WAIT_MS } from "../../../src/controllers/shared/run.ts";
import { Controller } from "../../../src/runtime/controller.ts";
import type { Result } from "../../../src/runtime/outcome.ts";
import type { AddOptions } from "../../../src/runtime/workqueue.ts";
import { WorkQueue } from "../../../src/runtime/workqueue.ts";
import type { SimulatedPlatform } from "./simulated-platform.ts";

/** One request of a job. */
export type Step = (client: ApiClient, options: CallOptions) => Promise<unknown>;

/** An object's work. */
export interface Job {
  readonly steps: readonly Step[];
  /** Milliseconds until it is done again, in lane `drift`; default: never. */
  readonly againAfterMs?: number;
}

/** As `baas run` has them by default (src/cli/operator-flags.ts, src/runtime/manager.ts). */
const WORKERS = 16;
const KIND = "Job";

/**
 * One operator against a simulated platform: the real client, pacer, queue and workers, with jobs instead of reconcilers. What a job did stays
 * done: a run that gets no budget goes on where it was.
 */
export class SimulatedOperator {
  readonly queue: WorkQueue;
  /** When each job was last done, milliseconds; by name. */
  readonly doneAtMs = new Map<string, number>();
  /** Told of each job that is done. */
  onDone: (name: string) => void = () => undefined;
  readonly #clock: ManualClock;
  readonly #controller: Controller;
  readonly #client: ApiClient;
  readonly #jobs = new Map<string, Job>();
  readonly #step = new Map<string, number>();
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;

  constructor(
    platform: SimulatedPlatform,
    { clock, token, seed }: { readonly clock: ManualClock; readonly token: string; readonly seed: number },
  ) {
    this.#clock = clock;
    const common = { clock, random: seededRandom(seed), log: silentLogger, meter: silentMeter };
    this.queue = new WorkQueue({ ...common, maxRunningPerGroup: WORKERS / 2 });
    this.#client = createClient({
      baseUrl: "http://127.0.0.1:1",
      credentials: new PersonalToken(token),
      dispatcher: platform,
      pacer: new Pacer({ ...common, inSuccession: true }),
      ...common,
    });
    this.#controller = new Controller({ ...common, queue: this.queue, workers: WORKERS });
    this.#controller.addReconciler({
      kind: KIND,
      groupOf: () => "",
      reconcile: (key, context) => this.#run(key.name, { signal: context.signal, lane: context.urgency }),
    });
    this.queue.start();
    this.#ended = this.#controller.run(this.#stop.signal, this.#stop.signal);
  }

  /** Asks for a job to be done; one of the same name takes its place. */
  ask(name: string, job: Job, options: AddOptions): void {
    this.#jobs.set(name, job);
    this.#step.set(name, 0);
    this.queue.add({ kind: KIND, namespace: "", name }, options);
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error("the simulation is over"));
    this.queue.close();
    await this.#client.close();
    await this.#ended;
  }

  async #run(name: string, options: Pick<CallOptions, "signal" | "lane">): Promise<Result> {
    const job = this.#jobs.get(name);
    if (job === undefined) return {};
    for (let at = this.#step.get(name) ?? 0; at < job.steps.length; at += 1) {
      await job.steps[at]?.(this.#client, { ...options, maxWaitMs: BUDGET_WAIT_MS });
      this.#step.set(name, at + 1);
    }
    this.#step.set(name, 0);
    this.doneAtMs.set(name, this.#clock.monotonic());
    this.onDone(name);
    return job.againAfterMs === undefined ? {} : { requeueAfterMs: job.againAfterMs };
  }
}
