import type { Clock, Timer } from "../base/clock.ts";
import { errorFields } from "../base/error-facts.ts";
import type { Logger } from "../base/log.ts";
import type { Meter } from "../base/meter.ts";
import type { Random } from "../base/random.ts";
import { sleep } from "../base/abort.ts";
import type { KubeClient } from "./client.ts";
import { isKubeError } from "./errors.ts";
import type { EventInput, EventReporter, Occurrences } from "./event-body.ts";
import { eventBody, eventKey, eventType, seriesOf, subjectKey, withNamesAlone } from "./event-body.ts";
import type { EventLimit } from "./event-limits.ts";
import { EventLimits } from "./event-limits.ts";

/** All milliseconds unless said otherwise. */
export interface EventTuning {
  /** Repeated within this time after the last one, an event is counted in a series instead of being created again. */
  readonly seriesMs: number;
  /** How long repetitions are gathered before the series is written. */
  readonly gatherMs: number;
  readonly limit: EventLimit;
  /** Events that wait to be sent: number. */
  readonly queueLength: number;
  /** Attempts to send one, besides the client's own retries: number. */
  readonly attempts: number;
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
}

const defaultTuning: EventTuning = {
  seriesMs: 360_000,
  gatherMs: 30_000,
  limit: { burst: 25, refillMs: 60_000 },
  queueLength: 1000,
  attempts: 6,
  firstPauseMs: 1_000,
  longestPauseMs: 30_000,
};

interface EventRecorderOptions {
  readonly client: Pick<KubeClient, "create" | "patchMerge">;
  readonly reporter: EventReporter;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly meter: Meter;
  readonly tuning?: Partial<EventTuning>;
}

/** One event and its repetitions. */
interface Series {
  readonly input: EventInput;
  occurrences: Occurrences;
  /** How many occurrences the server knows of. */
  written: number;
  /** Where it lies on the server; undefined before it was created. */
  id: { readonly namespace: string; readonly name: string } | undefined;
  queued: boolean;
  timer: Timer | undefined;
}

/** What becomes of events. */
export const eventResults = ["sent", "aggregated", "limited", "dropped"] as const;
type EventResult = (typeof eventResults)[number];

/**
 * Writes events.k8s.io/v1 Events without making anybody wait. Repetitions become a series, each object may cause only so many, warnings and others apart, and
 * what cannot be delivered is dropped and counted: events explain, nothing may depend on them.
 */
export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #tuning: EventTuning;
  readonly #limits: EventLimits;
  readonly #count: (result: EventResult) => void;
  /** By what happened, oldest occurrence first. */
  readonly #series = new Map<string, Series>();
  readonly #queue: Series[] = [];
  #stop = new AbortController();
  #sending: Promise<void> | undefined;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#tuning = { ...defaultTuning, ...options.tuning };
    this.#limits = new EventLimits(this.#tuning.limit);
    const results = options.meter.counter({
      name: "baas_kube_events_total",
      help: "Kubernetes Events by what became of them",
      labels: ["result"],
    });
    this.#count = (result) => results.increment({ result });
  }

  /** Records that something happened. Returns at once; never throws. */
  event(input: EventInput): void {
    const { clock } = this.#options;
    const nowMs = clock.now();
    this.#forgetEnded(nowMs);
    if (this.#repeat(input, nowMs)) return;
    if (this.#limits.take(bucketOf(input), clock.monotonic())) return this.#begin(input, nowMs);
    this.#count("limited");
    const { instead } = input;
    if (instead === undefined) return;
    const other = { ...input, note: instead };
    if (!this.#repeat(other, nowMs)) this.#begin(other, nowMs);
  }

  /** Counts an event into its series. @returns whether there is one */
  #repeat(input: EventInput, nowMs: number): boolean {
    const key = eventKey(input);
    const known = this.#series.get(key);
    if (known === undefined) return false;
    known.occurrences = { ...known.occurrences, count: known.occurrences.count + 1, lastMs: nowMs };
    this.#series.delete(key);
    this.#series.set(key, known);
    this.#count("aggregated");
    known.timer ??= this.#options.clock.setTimer(this.#tuning.gatherMs, () => this.#enqueue(known));
    return true;
  }

  #begin(input: EventInput, nowMs: number): void {
    const occurrences = { count: 1, firstMs: nowMs, lastMs: nowMs };
    const kept = withNamesAlone(input);
    const series: Series = { input: kept, occurrences, written: 0, id: undefined, queued: false, timer: undefined };
    if (this.#enqueue(series)) this.#series.set(eventKey(input), series);
  }

  /**
   * Sends what waits, repetitions included, and resolves when nothing does any more or when `signal` aborts; then the rest is dropped. Never
   * rejects.
   */
  async drain(signal: AbortSignal): Promise<void> {
    for (const series of this.#series.values()) {
      if (series.timer !== undefined) this.#enqueue(series);
    }
    const giveUp = (): void => this.#stop.abort(signal.reason);
    if (signal.aborted) giveUp();
    signal.addEventListener("abort", giveUp, { once: true });
    while (this.#sending !== undefined) await this.#sending;
    signal.removeEventListener("abort", giveUp);
    this.#stop = new AbortController();
  }

  /** Repetitions that were not written yet still will be: the timer holds its series. */
  #forgetEnded(nowMs: number): void {
    for (const [key, { occurrences }] of this.#series) {
      if (nowMs - occurrences.lastMs < this.#tuning.seriesMs) break;
      this.#series.delete(key);
    }
  }

  #enqueue(series: Series): boolean {
    series.timer?.cancel();
    series.timer = undefined;
    if (series.queued) return true;
    if (this.#queue.length >= this.#tuning.queueLength) {
      this.#count("dropped");
      return false;
    }
    series.queued = true;
    this.#queue.push(series);
    this.#startSending();
    return true;
  }

  #startSending(): void {
    if (this.#sending !== undefined || this.#queue.length === 0) return;
    this.#sending = this.#sendAll().finally(() => {
      this.#sending = undefined;
      this.#startSending();
    });
  }

  async #sendAll(): Promise<void> {
    for (let series = this.#queue.shift(); series !== undefined; series = this.#queue.shift()) {
      series.queued = false;
      const result = this.#stop.signal.aborted ? "dropped" : await this.#send(series);
      this.#count(result);
    }
  }

  async #send(series: Series): Promise<"sent" | "dropped"> {
    const { clock, random, log } = this.#options;
    const { attempts, firstPauseMs, longestPauseMs } = this.#tuning;
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#write(series);
        return "sent";
      } catch (error) {
        if (this.#stop.signal.aborted) return "dropped";
        if (attempt >= attempts || !passes(error)) {
          const { reason, regarding } = series.input;
          const { namespace, name } = regarding.metadata;
          log.debug({ ...errorFields(error), reason, kind: regarding.kind, namespace, name }, "dropping an event");
          return "dropped";
        }
        const pauseMs = Math.min(firstPauseMs * 2 ** (attempt - 1), longestPauseMs) * (0.5 + random() / 2);
        await sleep(clock, pauseMs, this.#stop.signal).catch(() => undefined); // only an abort ends it early
      }
    }
  }

  async #write(series: Series): Promise<void> {
    const { client } = this.#options;
    const { signal } = this.#stop;
    const { occurrences, id } = series;
    if (series.written === occurrences.count) return;
    if (id !== undefined) {
      try {
        await client.patchMerge(eventType, id, { series: seriesOf(occurrences) }, { signal });
        series.written = occurrences.count;
        return;
      } catch (error) {
        if (!isKubeError(error, "NotFound")) throw error; // else it has expired: the apiserver keeps events for an hour
      }
    }
    await this.#create(series, occurrences, signal);
  }

  async #create(series: Series, occurrences: Occurrences, signal: AbortSignal): Promise<void> {
    const { client, reporter, random } = this.#options;
    const suffix =
      occurrences.lastMs.toString(16) +
      Math.floor(random() * 0x100000)
        .toString(16)
        .padStart(5, "0");
    const body = eventBody(series.input, occurrences, { reporter, suffix });
    const { namespace, name } = body.metadata;
    await client.create(eventType, body, { signal });
    series.id = { namespace, name };
    series.written = occurrences.count;
  }
}

/** Warnings of an object have a bucket of their own: what is normal must not keep them back. */
function bucketOf({ regarding, type }: EventInput): string {
  return `${type} ${subjectKey(regarding)}`;
}

/** An answer that was lost may mean a second Event: better than none. */
function passes(error: unknown): boolean {
  if (!isKubeError(error)) return false;
  return ["Unavailable", "ServerError", "Timeout", "TooManyRequests"].includes(error.code);
}
