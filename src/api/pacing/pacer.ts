import type { Clock, Timer } from "../../base/clock.ts";
import type { Labels, Meter } from "../../base/meter.ts";
import { onceATick } from "../../base/once-a-tick.ts";
import type { Random } from "../../base/random.ts";
import { STANDARD_LIMIT } from "../contract/operation.ts";
import type { LimitClass } from "../contract/operation.ts";
import type { ApiLane } from "../lanes.ts";
import { Gate } from "./gate.ts";
import type { Pass, RequestEnd } from "./pass.ts";
import type { RateReading } from "./rate-headers.ts";

/**
 * src/api/pacing: how fast requests may go (engine.md §2). What lives here: the window, what the server says of its own, the queue of a
 * scope, and the pacer over all scopes. What never does: sending, retrying, reading bodies. The files but gate.ts and pacer.ts are pure:
 * they take the time as an argument and start nothing.
 */

/** What a budget is of. */
export const scopeKinds = ["project", "organization", "identity"] as const;

/** What a request counts against beside its identity (facts.md, "Scope of a request"). */
export interface Scope {
  readonly kind: (typeof scopeKinds)[number];
  /** ref or slug; empty for the identity itself */
  readonly id: string;
}

/** A request that asks for leave to be sent. */
export interface PaceRequest {
  /** user id or OAuth client id with the server that knows it, never the token's text; provisional ones are merged later */
  readonly identity: string;
  readonly scope: Scope;
  /** further windows beside the standard one */
  readonly limitClass?: LimitClass;
  readonly lane: ApiLane;
  readonly signal: AbortSignal;
  /** longest wait for budget, milliseconds */
  readonly maxWaitMs: number;
  /** refused by the server before */
  readonly reissued?: boolean;
}

/** Leave to send one request. Exactly one of the two methods is called, once. */
export interface Permit {
  /** The answer, or the failure, is there. @param reading what the answer said; `{}` when there was none */
  end(end: RequestEnd, reading: RateReading): void;
  /** It was not sent. */
  cancel(): void;
}

interface PacerOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly meter: Meter;
  /** whether another process may have spent from the same budgets until just now, and the next one may follow at any moment; default: no */
  readonly inSuccession?: boolean;
}

interface PacedGate {
  readonly identity: string;
  readonly scope: Scope;
  readonly limit: LimitClass;
  readonly gate: Gate;
}

/** How often unused scopes are looked for, and how long a merged identity is remembered, milliseconds. */
const SWEEP_MS = 60_000;
const ALIAS_MEMORY_MS = 3_600_000;

/**
 * Request budgets of every identity and scope (engine.md §2). One per process, shared by all clients, since several credentials can be
 * one identity.
 *
 * Promises: alone on its identity, no request is answered 429 once it is known whose its token is, nor are those of up to three processes that follow
 * each other within a window; with others, at most as many as were in flight at the first one. While `change` work waits, at most 5 % of the
 * budget goes unused, answers taking up to three seconds on average.
 */
export class Pacer {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #entries = new Map<string, PacedGate>();
  readonly #aliases = new Map<string, { readonly identity: string; readonly atMs: number }>();
  readonly #throttled: (labels: Labels) => void;
  #sweep: Timer | undefined;
  readonly #inSuccession: boolean;
  /** Of the first request: within a window of that, what the platform counts may have been spent before, by a predecessor. */
  #startedMs: number | undefined;

  constructor({ clock, random, meter, inSuccession = false }: PacerOptions) {
    this.#clock = clock;
    this.#inSuccession = inSuccession;
    this.#random = random;
    const counter = meter.counter({
      name: "baas_api_throttled_total",
      help: "Requests that the platform answered 429",
      labels: ["scope", "limit"],
    });
    this.#throttled = (labels) => counter.increment(labels);
    this.#observe(meter);
  }

  /** Waits for leave. Rejects with NoBudgetError, or with the signal's reason. */
  async acquire(request: PaceRequest): Promise<Permit> {
    const nowMs = this.#clock.monotonic();
    this.#startedMs ??= nowMs;
    const patienceEndsMs = nowMs + request.maxWaitMs;
    const own =
      request.limitClass === undefined ? undefined : await this.#enter(request, request.limitClass, patienceEndsMs);
    try {
      const standard = await this.#enter(request, STANDARD_LIMIT, patienceEndsMs);
      return this.#permit(request, [...(own === undefined ? [] : [own]), standard]);
    } catch (error) {
      own?.pass.cancel();
      throw error;
    }
  }

  /** What was known as `provisional` is the identity `known`: their budgets become one. */
  merge(provisional: string, known: string): void {
    const target = this.#identity(known);
    if (this.#identity(provisional) === target) return;
    this.#aliases.set(provisional, { identity: target, atMs: this.#clock.monotonic() });
    for (const [key, entry] of this.#entries) {
      if (entry.identity !== provisional) continue;
      this.#entries.delete(key);
      entry.gate.mergeInto(this.#entry(target, entry.scope, entry.limit).gate);
    }
  }

  /** How many scopes are remembered. */
  get size(): number {
    return this.#entries.size;
  }

  /** Rejects whoever waits, with `reason`, and stops all timers. */
  close(reason: unknown): void {
    this.#sweep?.cancel();
    for (const { gate } of this.#entries.values()) gate.dispose(reason);
    this.#entries.clear();
  }

  async #enter(
    request: PaceRequest,
    limit: LimitClass,
    patienceEndsMs: number,
  ): Promise<{ readonly entry: PacedGate; readonly pass: Pass }> {
    for (;;) {
      const entry = this.#entry(this.#identity(request.identity), request.scope, limit);
      const maxWaitMs = Math.max(0, patienceEndsMs - this.#clock.monotonic());
      const { signal, reissued = false } = request;
      const pass = await entry.gate.enter(request.lane, { signal, maxWaitMs, reissued });
      if (pass !== "moved") return { entry, pass };
    }
  }

  #permit({ limitClass }: PaceRequest, entered: readonly { readonly entry: PacedGate; readonly pass: Pass }[]): Permit {
    return {
      end: (end, reading) => {
        const gates = entered.map(({ entry }) => entry.gate);
        const matching = new Set(gates.flatMap(({ budgets }) => budgets).filter((budget) => budget.matches(reading)));
        // A limit that the contract does not know can only be a correction of the standard one where the request passed no other.
        const corrected = matching.size === 0 && limitClass === undefined;
        for (const { entry, pass } of entered) {
          const speaks = entry.gate.budgets.map((budget) => corrected || matching.has(budget));
          pass.end(
            end,
            speaks.map((speaking) => (speaking ? reading : undefined)),
          );
          if (end.throttled && (matching.size === 0 || speaks.includes(true))) this.#refuse(entry, end, reading);
        }
      },
      cancel: () => {
        for (const { pass } of entered) pass.cancel();
      },
    };
  }

  #refuse({ identity, scope, limit }: PacedGate, end: RequestEnd, reading: RateReading): void {
    this.#throttled({ scope: scope.kind, limit: limit.name });
    this.#entry(this.#identity(identity), scope, limit).gate.close(reading, end.receivedAtMs);
  }

  #identity(identity: string): string {
    return this.#aliases.get(identity)?.identity ?? identity;
  }

  #entry(identity: string, scope: Scope, limit: LimitClass): PacedGate {
    const key = JSON.stringify([identity, scope.kind, scope.id, limit.name]);
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const succession = this.#inSuccession ? { sinceMs: this.#startedMs ?? this.#clock.monotonic() } : undefined;
    const gate = new Gate(limit.windows, { clock: this.#clock, random: this.#random, succession });
    const entry = { identity, scope, limit, gate };
    this.#entries.set(key, entry);
    this.#sweep ??= this.#clock.setTimer(SWEEP_MS, () => this.#collect());
    return entry;
  }

  /** Forgets the scopes that nobody uses; comes back while there are any. */
  #collect(): void {
    const now = this.#clock.monotonic();
    for (const [key, { gate }] of this.#entries) if (gate.idle(now)) this.#entries.delete(key);
    for (const [name, { atMs }] of this.#aliases) if (now - atMs > ALIAS_MEMORY_MS) this.#aliases.delete(name);
    this.#sweep = this.#entries.size === 0 ? undefined : this.#clock.setTimer(SWEEP_MS, () => this.#collect());
  }

  /** Gauges per scope kind and limit: their number is bounded, refs are not in them. The tightest scope stands for its kind. */
  #observe(meter: Meter): void {
    const labels = ["scope", "limit"];
    const read = onceATick(() => this.#tightest());
    const gauge = (name: string, help: string, value: (tightest: Tightest) => number): void =>
      meter.observableGauge({ name, help, labels }, () =>
        read().map((tightest) => ({ labels: tightest.labels, value: value(tightest) })),
      );
    gauge("baas_api_budget_left", "Requests left in the tightest scope of the kind", ({ left }) => Math.max(0, left));
    gauge(
      "baas_api_budget_reset_seconds",
      "Seconds until the scope of the kind that is closed longest opens, or has a free slot",
      ({ opensInMs }) => Math.max(0, opensInMs) / 1000,
    );
    gauge("baas_api_requests_waiting", "Requests that wait for budget", ({ waiting }) => waiting);
  }

  /** One walk through all scopes. */
  #tightest(): readonly Tightest[] {
    const now = this.#clock.monotonic();
    const found = new Map<string, Tightest>();
    for (const { scope, limit, gate } of this.#entries.values()) {
      const key = `${scope.kind} ${limit.name}`;
      const tightest = found.get(key) ?? {
        labels: { scope: scope.kind, limit: limit.name },
        left: Infinity,
        opensInMs: 0,
        waiting: 0,
      };
      found.set(key, tightest);
      for (const budget of gate.budgets) tightest.left = Math.min(tightest.left, budget.left(now));
      tightest.opensInMs = Math.max(tightest.opensInMs, gate.opensAt(now) - now);
      tightest.waiting += gate.waiting;
    }
    return [...found.values()];
  }
}

/** What the scopes of a kind come to under one limit. */
interface Tightest {
  readonly labels: Labels;
  left: number;
  opensInMs: number;
  waiting: number;
}
