import type { Clock } from "../base/clock.ts";
import { errorFields } from "../base/error-facts.ts";
import type { Logger } from "../base/log.ts";
import type { Meter } from "../base/meter.ts";
import type { Random } from "../base/random.ts";
import type { ResourceType } from "../resources/meta.ts";
import { sleep } from "../base/abort.ts";
import type { KubeClient, WatchEvent } from "./client.ts";
import { isKubeError, KubeError } from "./errors.ts";
import { listAll } from "./list-all.ts";
import type { ReflectorMetrics } from "./reflector-metrics.ts";
import { reflectorMetrics } from "./reflector-metrics.ts";
import type { ReflectorTuning, RestartReason } from "./reflector-recovery.ts";
import { defaultTuning, jittered, recoveryFrom } from "./reflector-recovery.ts";
import { compareResourceVersions } from "./resource-version.ts";
import type { StoreSource } from "./store-source.ts";
import type { Store } from "./store.ts";

interface ReflectorOptions {
  readonly client: Pick<KubeClient, "listPage" | "watch">;
  readonly store: Store;
  /** Absent: all namespaces. Several reflectors, each with a namespace, may feed one store. */
  readonly namespace?: string;
  /** Own writes of objects that it does not select must not be put into the store: no event would ever correct them. */
  readonly labelSelector?: string;
  /** The kind may be absent from the server: that counts as in sync and empty, and is looked at again from time to time. */
  readonly optional?: boolean;
  /** Of an optional kind: that it was never ours to read counts as absent, too. Once it was read, a refusal is a failure like any other: what is known stays. */
  readonly maybeForbidden?: boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly meter: Meter;
  readonly tuning?: Partial<ReflectorTuning>;
}

/**
 * Keeps a store equal to what the apiserver has of one kind: a paginated list, then watches that go on from where the last one ended.
 *
 * Promises (engine.md §8 "Watches"): any error is retried, nothing but the abort of its signal ends `run`; a version that is too old is
 * answered by one list, which finds deletions; a connection that has gone silent is given up; a server that asks to wait is
 * obeyed; after trouble the pauses grow, with jitter, and a hot loop is impossible.
 */
export class Reflector {
  readonly type: ResourceType;
  /** Resolves after the first complete list, or when an optional kind is found absent. Never rejects. */
  readonly synced: Promise<void>;
  readonly #options: ReflectorOptions;
  readonly #tuning: ReflectorTuning;
  readonly #source: StoreSource;
  readonly #log: Logger;
  readonly #metrics: ReflectorMetrics;
  readonly #markSynced: () => void;
  /** Where the next watch goes on; undefined: a list is due. */
  #position: string | undefined;
  /** The newest version this server ever told us: going below it means that its history was rewound (etcd was restored). */
  #highest: string | undefined;
  #rewound = false;
  #pageSize: number;
  /** Failures since the last progress of a watch. */
  #failures = 0;
  #unreadable = 0;
  #absent = false;
  #started = false;
  #ended = false;
  #lastActivityMs: number;
  #nextActivityMs: number;

  constructor(options: ReflectorOptions) {
    const { store, namespace, meter, log, clock } = options;
    this.type = store.type;
    this.#options = options;
    this.#tuning = { ...defaultTuning, ...options.tuning };
    this.#pageSize = this.#tuning.pageSize;
    this.#source = store.source(namespace);
    this.#log = log.child({ reflector: store.type.plural, ...(namespace === undefined ? {} : { namespace }) });
    this.#metrics = reflectorMetrics(meter);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.synced = promise;
    this.#markSynced = resolve;
    this.#lastActivityMs = clock.monotonic();
    this.#nextActivityMs = this.#lastActivityMs;
  }

  /** When the loop last did anything, on the clock's monotonic time, milliseconds. */
  get lastActivity(): number {
    return this.#lastActivityMs;
  }

  /**
   * False once `run` has ended, or while it has done nothing for clearly longer than what it announced to wait for: the loop itself is stuck.
   * An apiserver that is down does not make it so.
   */
  get alive(): boolean {
    if (!this.#started) return true;
    return !this.#ended && this.#options.clock.monotonic() <= this.#nextActivityMs + this.#tuning.stuckAfterMs;
  }

  /** Runs until `signal` aborts, then resolves. */
  async run(signal: AbortSignal): Promise<void> {
    this.#started = true;
    try {
      while (!signal.aborted) await this.#turn(signal);
    } finally {
      this.#ended = true;
    }
  }

  /** One list if needed and one watch; never rejects. */
  async #turn(signal: AbortSignal): Promise<void> {
    let pauseMs = 0;
    try {
      this.#position ??= await this.#list(signal);
      await this.#watch(this.#position, signal);
    } catch (error) {
      if (signal.aborted) return;
      pauseMs = this.#recover(error);
    }
    if (pauseMs === 0) return;
    this.#expectActivityIn(pauseMs);
    await sleep(this.#options.clock, pauseMs, signal).catch(() => undefined); // only an abort ends it early
  }

  async #list(signal: AbortSignal): Promise<string> {
    const { client, namespace, labelSelector, clock, random, store } = this.#options;
    const list = await listAll(client, this.type, {
      ...(namespace === undefined ? {} : { namespace }),
      ...(labelSelector === undefined ? {} : { labelSelector }),
      metadataOnly: store.metadataOnly,
      limit: this.#pageSize,
      signal,
      pause: (failures) => sleep(clock, jittered(this.#tuning, failures, random), signal),
      onRequest: (deadlineMs) => this.#expectActivityIn(deadlineMs),
    });
    this.#metrics.lists.increment({ resource: this.type.plural });
    this.#noteRewinding(list.resourceVersion, this.#highest);
    if (this.#rewound) this.#log.warn({}, "the apiserver's history went backwards: taking its list as it is");
    this.#source.replace(list.items, list.resourceVersion, { rewound: this.#rewound });
    this.#highest = list.resourceVersion;
    this.#rewound = false;
    this.#becomeSynced(false);
    return list.resourceVersion;
  }

  async #watch(resourceVersion: string, signal: AbortSignal): Promise<void> {
    const { client, clock, random, namespace, labelSelector, store } = this.#options;
    const { minWatchMs, maxWatchMs, idleMs } = this.#tuning;
    this.#expectActivityIn(idleMs);
    const startMs = clock.monotonic();
    const watched = { accepted: false, progress: false };
    const events = client.watch(this.type, {
      ...(namespace === undefined ? {} : { namespace }),
      ...(labelSelector === undefined ? {} : { labelSelector }),
      metadataOnly: store.metadataOnly,
      resourceVersion,
      timeoutSeconds: Math.round((minWatchMs + random() * (maxWatchMs - minWatchMs)) / 1000),
      idleMs,
      signal,
      onActivity: () => {
        watched.accepted = true;
        this.#expectActivityIn(idleMs);
      },
    });
    try {
      for await (const event of events) {
        this.#take(event);
        watched.progress = true;
      }
    } finally {
      watched.progress ||= watched.accepted && clock.monotonic() - startMs >= this.#tuning.steadyWatchMs;
      if (watched.progress) this.#failures = 0;
    }
    signal.throwIfAborted();
    if (!watched.progress) {
      throw new KubeError("Unavailable", "the watch ended as soon as it began", { effect: "none" });
    }
    this.#metrics.restarts.increment({ resource: this.type.plural, reason: "ended" satisfies RestartReason });
    this.#log.debug({ resourceVersion: this.#position }, "the server ended the watch; going on");
  }

  #take(event: WatchEvent): void {
    const version = "object" in event ? event.object.metadata.resourceVersion : event.resourceVersion;
    this.#noteRewinding(version, this.#position);
    if (this.#rewound) throw new KubeError("Gone", "the apiserver's history went backwards", { effect: "none" });
    switch (event.type) {
      case "ADDED":
      case "MODIFIED":
        this.#source.upsert(event.object);
        break;
      case "DELETED":
        this.#source.remove(event.object);
        break;
      case "BOOKMARK":
      case "UNREADABLE":
        this.#source.advance(version);
        break;
      default: {
        const never: never = event;
        return never;
      }
    }
    this.#metrics.events.increment({ resource: this.type.plural, type: event.type });
    this.#position = version;
    this.#highest = version;
    this.#unreadable = 0;
  }

  #noteRewinding(version: string, before: string | undefined): void {
    this.#rewound ||= before !== undefined && compareResourceVersions(version, before) === "older";
  }

  /** What to do about a failure; answers for how long to pause, milliseconds. */
  #recover(error: unknown): number {
    const { optional = false, maybeForbidden = false, random } = this.#options;
    if (optional && isKubeError(error, "NotFound")) return this.#becomeAbsent("the server has no such kind");
    const unread = this.#highest === undefined;
    if (optional && maybeForbidden && unread && isKubeError(error, "Forbidden")) {
      return this.#becomeAbsent("the kind is not ours to read");
    }
    if (isKubeError(error, "UnexpectedResponse")) this.#unreadable++;
    const recovery = recoveryFrom(error, { tuning: this.#tuning, failures: this.#failures, random });
    this.#failures++;
    if (recovery.relist || this.#unreadable >= this.#tuning.unreadableLimit) {
      this.#position = undefined;
      this.#unreadable = 0;
    }
    if (recovery.smallerPages) this.#pageSize = Math.max(1, Math.floor(this.#pageSize / 4));
    this.#metrics.restarts.increment({ resource: this.type.plural, reason: recovery.reason });
    const lasting = this.#failures >= this.#tuning.warnAfter;
    const fields = { ...errorFields(error), pauseMs: Math.round(recovery.pauseMs), failures: this.#failures };
    this.#log[lasting ? "warn" : "debug"](fields, "a list or watch failed; retrying");
    return recovery.pauseMs;
  }

  #becomeAbsent(why: string): number {
    const { random } = this.#options;
    // That it never was there is as most clusters are.
    const level = this.#highest === undefined ? "debug" : "info";
    if (!this.#absent) this.#log[level]({}, `${why}; looking again from time to time`);
    this.#position = undefined;
    this.#highest = undefined;
    this.#rewound = false;
    this.#failures = 0;
    this.#source.absent();
    this.#becomeSynced(true);
    return this.#tuning.absentPollMs * (0.75 + random() / 2);
  }

  #becomeSynced(absent: boolean): void {
    if (this.#absent && !absent) this.#log.info({}, "the kind has appeared");
    this.#absent = absent;
    this.#markSynced();
  }

  #expectActivityIn(ms: number): void {
    this.#lastActivityMs = this.#options.clock.monotonic();
    this.#nextActivityMs = this.#lastActivityMs + ms;
  }
}
