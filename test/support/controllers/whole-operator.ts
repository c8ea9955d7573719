import { type Logger, silentLogger } from "../../../src/base/log.ts";
import type { ManualClock } from "../../../src/base/manual-clock.ts";
import { silentMeter } from "../../../src/base/meter.ts";
import { seededRandom } from "../../../src/base/random.ts";
import type { Environment } from "../../../src/controllers/environment.ts";
import { wire } from "../../../src/controllers/wiring.ts";
import { Controller } from "../../../src/runtime/controller.ts";
import { WorkQueue } from "../../../src/runtime/workqueue.ts";
import { OpenRequests } from "../stage/open-requests.ts";
import type { Life, Theatre } from "./life.ts";

/** As `baas run` has them by default (src/cli/operator-flags.ts, src/runtime/manager.ts). */
const WORKERS = 16;

/**
 * A life with its queue, its workers and everything that wakes keys: the operator but for its watches. Time goes on, from timer to timer, only
 * when no request is open, so that what is counted does not depend on the machine.
 */
export class WholeOperator implements AsyncDisposable {
  readonly queue: WorkQueue;
  readonly #life: Life;
  readonly #clock: ManualClock;
  readonly #open = new OpenRequests();
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;

  private constructor(life: Life, clock: ManualClock, log: Logger) {
    this.#life = life;
    this.#clock = clock;
    const common = { clock, log, meter: silentMeter };
    this.queue = new WorkQueue({ ...common, random: seededRandom(13), maxRunningPerGroup: WORKERS / 2 });
    const controller = new Controller({ ...common, queue: this.queue, workers: WORKERS });
    for (const reconciler of life.reconcilers) controller.addReconciler(reconciler);
    life.onEnqueue = (key, options) => {
      if (life.reconcilers.some(({ kind }) => kind === key.kind)) controller.enqueue(key, options);
    };
    wire(life.environment, life.stores);
    this.queue.start();
    this.#ended = controller.run(this.#stop.signal, this.#stop.signal);
  }

  /** @param log where each run is told; default: nowhere */
  static async start(theatre: Theatre, log = silentLogger): Promise<WholeOperator> {
    return new WholeOperator(await theatre.life(), theatre.clock, log);
  }

  /** What its controllers share. */
  get environment(): Environment {
    return this.#life.environment;
  }

  /** What it told by events. */
  get events(): Life["events"] {
    return this.#life.events;
  }

  /** Sees what was put into the apiserver. What the operator writes itself it sees at once. */
  look(): void {
    this.#life.look();
  }

  /** Lets time pass: every timer at its time, when everything that could be done before was done. Milliseconds. */
  async advance(ms: number): Promise<void> {
    const endMs = this.#clock.monotonic() + ms;
    for (;;) {
      await this.#open.none();
      const nextMs = this.#clock.msToNextTimer();
      const leftMs = endMs - this.#clock.monotonic();
      if (nextMs === undefined || nextMs > leftMs) {
        this.#clock.advance(leftMs);
        return;
      }
      this.#clock.advance(nextMs);
    }
  }

  /** Lets time pass until `done` says so. @throws Error after `mostMs` milliseconds of driven time */
  async advanceUntil(done: () => boolean, mostMs = 3_600_000): Promise<void> {
    const endMs = this.#clock.monotonic() + mostMs;
    while (!done()) {
      if (this.#clock.monotonic() >= endMs) throw new Error(`not so after ${mostMs} ms`);
      await this.advance(Math.max(1, Math.min(1000, this.#clock.msToNextTimer() ?? 1000)));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error("the test is over"));
    this.queue.close();
    await this.#ended;
    this.#open[Symbol.dispose]();
  }
}
