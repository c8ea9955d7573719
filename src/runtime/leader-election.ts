import { randomUUID } from "node:crypto";
import { deadline, sleep } from "../base/abort.ts";
import type { Clock, Timer } from "../base/clock.ts";
import type { Logger } from "../base/log.ts";
import type { Counter, Gauge, Meter } from "../base/meter.ts";
import type { Random } from "../base/random.ts";
import { errorFacts, errorFields } from "../base/error-facts.ts";
import { type Leadership, LeaseLostError } from "./leadership.ts";
import type { Lease, LeaseClient } from "../kube/leases.ts";
import { heldSpec, isFree, type Observation, observe, releasedSpec } from "./lease-record.ts";

/** Times of an election, milliseconds. */
export interface LeaseTimes {
  /** How long others wait after the last change that they saw. */
  readonly durationMs: number;
  /** How long the holder may act after the start of its last successful renewal. */
  readonly renewDeadlineMs: number;
  /** Between two tries. */
  readonly retryMs: number;
}

/** engine.md §8. */
export const LEASE_TIMES: LeaseTimes = { durationMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 };

/** Spread of the time between two tries, as a share of it: those who wait come later by up to this much, so that they do not race. */
const WAITING_JITTER = 1.2;
/** The holder's tries come earlier or later by up to this share. */
const HOLDING_JITTER = 0.1;

export interface LeaderElectorOptions {
  readonly leases: LeaseClient;
  /** Unique per process: see `newIdentity`. */
  readonly identity: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly meter: Meter;
  readonly times?: LeaseTimes;
  /** told of each other holder that is found */
  readonly onHeld?: ((holder: string) => void) | undefined;
}

/** Names this process in a Lease: the host for people, and a UUID since a restarted container has the name of the one before. */
export function newIdentity(hostname: string): string {
  return `${hostname}_${randomUUID()}`;
}

/**
 * One process leads: the holder of a coordination.k8s.io/v1 Lease. Source: engine.md §8; the record is client-go's, so that other tools
 * read it.
 *
 * Guarantees, as long as clocks of different processes run at about the same rate (within the ratio of lease duration and renew deadline):
 * - two processes never both may start a request. The holder's time counts from the start of its renewal's request, that of the others
 *   from when they saw the renewal, which is later; no process reads another's clock.
 * - a process that was stopped (suspended, blocked) may not start a request until it has renewed: `mayStart` looks at the monotonic clock
 *   and, as that stands still while a machine sleeps, at the wall clock too.
 *
 * An elector leads at most once: after `lost` or `release` the process is expected to end.
 */
export class LeaderElector implements Leadership {
  readonly #options: LeaderElectorOptions;
  readonly #times: LeaseTimes;
  readonly #lost = new AbortController();
  /** Aborts when renewing should end: by release or loss. */
  readonly #ended = new AbortController();
  readonly #leading: Gauge;
  readonly #failures: Counter;
  #observation: Observation | undefined;
  #lease: Lease | undefined;
  /** Start of the last successful renewal's request. */
  #renewed: { readonly monotonicMs: number; readonly wallMs: number } | undefined;
  #expiry: Timer | undefined;
  /** True once a write was sent: the lease may be ours even when no answer came. */
  #asked = false;
  #renewing: Promise<void> = Promise.resolve();

  /** @throws RangeError when the times leave no room between the holder's end and another's start */
  constructor(options: LeaderElectorOptions) {
    this.#options = options;
    this.#times = options.times ?? LEASE_TIMES;
    const { durationMs, renewDeadlineMs, retryMs } = this.#times;
    if (!(durationMs > renewDeadlineMs && renewDeadlineMs > retryMs * (1 + HOLDING_JITTER) && retryMs > 0)) {
      throw new RangeError("a lease needs durationMs > renewDeadlineMs > retryMs > 0");
    }
    const { meter } = options;
    this.#leading = meter.gauge({ name: "baas_leader", help: "1 while this process leads, else 0" });
    this.#failures = meter.counter({ name: "baas_lease_failures_total", help: "Failed requests for the lease" });
    this.#leading.set(0);
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  mayStart(): boolean {
    if (this.#renewed === undefined || this.#ended.signal.aborted) return false;
    const { clock } = this.#options;
    const elapsedMs = Math.max(
      clock.monotonic() - this.#renewed.monotonicMs,
      clock.now() - this.#renewed.wallMs, // also covers a machine that slept; a clock set forward costs one renewal
    );
    return elapsedMs < this.#times.renewDeadlineMs;
  }

  mayRead(): boolean {
    return this.#renewed === undefined || this.mayStart();
  }

  async acquire(signal: AbortSignal): Promise<void> {
    const { clock, random, log, identity } = this.#options;
    log.info({ identity }, "waiting for the lease");
    for (;;) {
      signal.throwIfAborted();
      if (await this.#try(signal)) break;
      await sleep(clock, this.#times.retryMs * (1 + WAITING_JITTER * random()), signal);
    }
    log.info({ identity }, "leading");
    this.#leading.set(1);
    this.#renewing = this.#renew();
  }

  async release({ clean }: { readonly clean: boolean }): Promise<void> {
    const { log } = this.#options;
    this.#ended.abort();
    this.#expiry?.cancel();
    this.#leading.set(0);
    await this.#renewing;
    if (!clean || !this.#asked || this.#lost.signal.aborted) return;
    try {
      if (await this.#giveUp()) log.info({}, "lease released");
    } catch (error) {
      log.warn(errorFields(error), "lease not released; it runs out by itself");
    }
  }

  /** Tries for the lease until `lost` or `release`. Never rejects. */
  async #renew(): Promise<void> {
    const { clock, random } = this.#options;
    const ended = this.#ended.signal;
    try {
      for (;;) {
        await sleep(clock, this.#times.retryMs * (1 + HOLDING_JITTER * (random() - 0.5) * 2), ended);
        await this.#try(ended);
      }
    } catch {
      // nothing but the end of renewing ends the loop
    }
  }

  /** One try to take or renew. @returns true when this process holds the lease after it @throws the signal's reason */
  async #try(signal: AbortSignal): Promise<boolean> {
    using limit = deadline(this.#options.clock, this.#times.renewDeadlineMs / 2, signal);
    try {
      return await this.#takeOrRenew(limit.signal);
    } catch (error) {
      signal.throwIfAborted();
      this.#failures.increment();
      this.#options.log.warn(errorFields(error), "request for the lease failed");
      this.#lease = undefined; // whether it had an effect is unknown: read before the next write
      return false;
    }
  }

  async #takeOrRenew(signal: AbortSignal): Promise<boolean> {
    const { leases, clock, identity } = this.#options;
    const known = this.#renewed === undefined ? undefined : this.#lease;
    const lease = known ?? (await leases.get(signal));
    if (known === undefined && !this.#mayWrite(lease)) return false;
    const started = { monotonicMs: clock.monotonic(), wallMs: clock.now() };
    const spec = heldSpec(lease?.spec, { identity, durationMs: this.#times.durationMs, wallMs: started.wallMs });
    this.#asked = true;
    try {
      this.#lease =
        lease === undefined
          ? await leases.create(spec, signal)
          : await leases.update(lease.resourceVersion, spec, signal);
    } catch (error) {
      if (!isRace(error)) throw error;
      this.#lease = undefined;
      // Known versions go stale when somebody edits a label: look at once. Others who were faster are seen at the next try.
      return known === undefined ? false : await this.#takeOrRenew(signal);
    }
    this.#holds(started);
    return true;
  }

  /** Whether the lease, as just read, is ours or may be taken. Whoever led and finds another in its place has lost. */
  #mayWrite(lease: Lease | undefined): boolean {
    const { clock, identity, log } = this.#options;
    const before = this.#observation;
    const nowMs = clock.monotonic();
    // A lease that was deleted is as good as held until its last holder has had time to notice.
    if (lease === undefined) return before === undefined || this.#isOurs(before) || this.#isFree(before, nowMs);
    const seen = observe(before, lease, nowMs);
    this.#observation = seen;
    if (this.#isOurs(seen)) return true;
    const holder = seen.spec.holderIdentity ?? "";
    if (holder !== "" && holder !== before?.spec.holderIdentity) {
      log.info({ holder, identity }, "the lease is held by another process");
      this.#options.onHeld?.(holder);
    }
    if (this.#renewed === undefined) return this.#isFree(seen, nowMs);
    this.#lose(new LeaseLostError("another process holds the lease"));
    return false;
  }

  #isOurs(seen: Observation): boolean {
    return seen.spec.holderIdentity === this.#options.identity;
  }

  #isFree(seen: Observation, nowMs: number): boolean {
    return isFree(seen, nowMs, this.#times.durationMs);
  }

  #holds(started: { readonly monotonicMs: number; readonly wallMs: number }): void {
    if (this.#ended.signal.aborted) return;
    const { clock } = this.#options;
    this.#renewed = started;
    this.#expiry?.cancel();
    const leftMs = started.monotonicMs + this.#times.renewDeadlineMs - clock.monotonic();
    this.#expiry = clock.setTimer(leftMs, () => {
      this.#lose(new LeaseLostError(`the lease was not renewed within ${this.#times.renewDeadlineMs} ms`));
    });
  }

  #lose(reason: LeaseLostError): void {
    if (this.#ended.signal.aborted) return;
    this.#expiry?.cancel();
    this.#leading.set(0);
    this.#options.log.error({ reason: reason.message }, "leadership lost");
    this.#lost.abort(reason);
    this.#ended.abort(reason);
  }

  /** @returns false when there was nothing to give up */
  async #giveUp(): Promise<boolean> {
    const { leases, clock, identity } = this.#options;
    using limit = deadline(clock, this.#times.renewDeadlineMs / 2);
    const lease = await leases.get(limit.signal); // read: a renewal that was cut off may have gone through
    if (lease === undefined || lease.spec.holderIdentity !== identity) return false;
    await leases.update(lease.resourceVersion, releasedSpec(lease.spec, clock.now()), limit.signal);
    return true;
  }
}

/** Somebody else wrote first: nothing failed. */
function isRace(error: unknown): boolean {
  const { code } = errorFacts(error);
  return code === "Conflict" || code === "AlreadyExists" || code === "NotFound";
}
