import PQueue from "p-queue";
import type { Clock, Timer } from "../../base/clock.ts";
import type { Random } from "../../base/random.ts";
import { inFlightFor, LANES, priorityOf } from "../lanes.ts";
import type { ApiLane } from "../lanes.ts";
import { Budget } from "./budget.ts";
import type { Succession, WindowSpec } from "./budget.ts";
import { NoBudgetError } from "./no-budget-error.ts";
import type { Pass } from "./pass.ts";
import type { RateReading } from "./rate-headers.ts";
import { firstNobodyComesFor } from "./first-free.ts";
import { Reservations } from "./reservations.ts";

/** Most requests of a scope in flight at once. */
const MOST_IN_FLIGHT = 16;
/** The same once others are seen to spend (engine.md §2). */
const MOST_IN_FLIGHT_WITH_OTHERS = 4;
/** Added to the time at which a scope closed by a 429 opens: the server rounds to seconds, and others wait for the same moment. */
const LEAST_JITTER_MS = 1000;
const MORE_JITTER_MS = 1000;

/** What a caller of `enter` will put up with. */
export interface EnterOptions {
  readonly signal: AbortSignal;
  /** milliseconds */
  readonly maxWaitMs: number;
  /** refused by the server before: goes first in its lane */
  readonly reissued: boolean;
}

interface GateOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly succession: Succession | undefined;
}

/** Why a waiting request stops waiting here without having been sent. */
type GateDeparture = "moved" | "expired" | { readonly reason: unknown };

interface GateWaiter {
  readonly lane: ApiLane;
  leave(departure: GateDeparture): void;
}

interface Settle {
  readonly resolve: (pass: Pass | "moved") => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * The queue before one scope's budgets: p-queue orders by lane and bounds what is in flight, the budgets say when the next one may go
 * (engine.md §2). The queue stays paused and is started for exactly one task at a time, so that nothing starts against a budget that
 * the task before it used up.
 */
export class Gate {
  readonly budgets: readonly Budget[];
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #queue = new PQueue({ concurrency: MOST_IN_FLIGHT, autoStart: false });
  readonly #waiters = new Set<GateWaiter>();
  readonly #waiting: Record<ApiLane, number> = { change: 0, sync: 0, progress: 0, drift: 0 };
  readonly #reservations = new Reservations();
  #timer: Timer | undefined;
  #closedUntilMs = -Infinity;
  /** Set by a 429; unset by an answer to what was sent after it. Meanwhile one request at a time finds out what is left. */
  #probingSinceMs: number | undefined;
  /** The first 429 of those; told to whoever has to give up some day (engine.md §5). */
  #refusedSinceMs: number | undefined;
  #probeInFlight = false;
  #started = 0;
  #successor: Gate | undefined;
  #disposed = false;

  constructor(windows: readonly WindowSpec[], { clock, random, succession }: GateOptions) {
    this.budgets = windows.map((spec) => new Budget(spec, succession));
    this.#clock = clock;
    this.#random = random;
    this.#queue.addEventListener("next", () => this.#pump());
  }

  /**
   * Waits for leave to send one request. Resolves to "moved" when this gate was merged into another one meanwhile: enter there.
   * Rejects with NoBudgetError, at once when the wait is certain to be too long, or with the signal's reason.
   */
  enter(lane: ApiLane, options: EnterOptions): Promise<Pass | "moved"> {
    if (this.#successor !== undefined) return Promise.resolve("moved");
    const now = this.#clock.monotonic();
    if (options.signal.aborted) return Promise.reject(options.signal.reason as unknown);
    if (this.#blockedUntil(lane, now) - now > options.maxWaitMs) {
      return Promise.reject(this.#noBudget(lane, this.#waiting[lane], now));
    }
    const entry = new Promise<Pass | "moved">((resolve, reject) => {
      this.#enqueue(lane, options, { resolve, reject });
    });
    this.#pump();
    return entry;
  }

  /** A request of this scope was refused: nothing goes until the server said it may. Called after the end of the request. */
  close(reading: RateReading, nowMs: number): void {
    const windowMs = Math.max(...this.budgets.map(({ spec }) => spec.windowMs));
    const knownEnds = this.budgets.map((budget) => budget.endsAt(nowMs)).filter((end) => end !== undefined);
    const restMs = knownEnds.length === 0 ? windowMs : Math.max(...knownEnds) - nowMs;
    const waitMs = reading.retryAfterMs ?? reading.resetMs ?? restMs;
    const jitterMs = LEAST_JITTER_MS + this.#random() * MORE_JITTER_MS;
    this.#closedUntilMs = Math.max(this.#closedUntilMs, nowMs + waitMs + jitterMs);
    this.#probingSinceMs = nowMs;
    this.#refusedSinceMs ??= nowMs;
    for (const budget of this.budgets) budget.noteRefusal(nowMs);
    this.#pump();
  }

  /** How many requests wait. */
  get waiting(): number {
    return this.#waiters.size;
  }

  /** When a request of lane `change` may go, as far as time alone tells. Monotonic milliseconds. */
  opensAt(nowMs: number): number {
    return Math.max(nowMs, this.#blockedUntil("change", nowMs));
  }

  /** Nobody waits, nothing is held or remembered: it may be thrown away. */
  idle(nowMs: number): boolean {
    const quiet = this.#waiters.size === 0 && this.#closedUntilMs <= nowMs && this.#reservations.idle(nowMs);
    return quiet && this.budgets.every((budget) => budget.idle(nowMs));
  }

  /** Hands everything over to `gate`: two credentials turned out to be one identity. What is in flight ends there. */
  mergeInto(gate: Gate): void {
    this.#successor = gate;
    this.#timer?.cancel();
    for (const [index, budget] of this.budgets.entries()) gate.budgets[index]?.absorb(budget);
    gate.#closedUntilMs = Math.max(gate.#closedUntilMs, this.#closedUntilMs);
    gate.#probingSinceMs ??= this.#probingSinceMs;
    gate.#refusedSinceMs ??= this.#refusedSinceMs;
    for (const waiter of this.#waiters) waiter.leave("moved");
    gate.#pump();
  }

  /** Rejects whoever waits and stops the timer. */
  dispose(reason: unknown): void {
    this.#disposed = true;
    this.#timer?.cancel();
    for (const waiter of this.#waiters) waiter.leave({ reason });
  }

  #enqueue(lane: ApiLane, options: EnterOptions, { resolve, reject }: Settle): void {
    const removal = new AbortController();
    const onAbort = (): void => waiter.leave({ reason: options.signal.reason as unknown });
    const forget = (): boolean => {
      timer.cancel();
      options.signal.removeEventListener("abort", onAbort);
      if (!this.#waiters.delete(waiter)) return false;
      this.#waiting[lane] -= 1;
      return true;
    };
    const waiter: GateWaiter = {
      lane,
      leave: (departure) => {
        const before = this.#waitingBefore(waiter);
        if (!forget()) return;
        removal.abort();
        if (departure === "moved") resolve("moved");
        else reject(departure === "expired" ? this.#noBudget(lane, before, this.#clock.monotonic()) : departure.reason);
      },
    };
    const timer = this.#clock.setTimer(options.maxWaitMs, () => waiter.leave("expired"));
    options.signal.addEventListener("abort", onAbort, { once: true });
    this.#waiters.add(waiter);
    this.#waiting[lane] += 1;
    const start = (): Promise<void> => {
      forget();
      const { pass, ended } = this.#takePass(lane);
      resolve(pass);
      return ended;
    };
    const priority = priorityOf(lane, options.reissued);
    this.#queue.add(start, { priority, signal: removal.signal }).catch(() => undefined); // rejects only when removed
  }

  /** Runs inside p-queue's start of the task, before it looks at the next one. */
  #takePass(lane: ApiLane): { readonly pass: Pass; readonly ended: Promise<void> } {
    this.#queue.pause();
    this.#started += 1;
    const slots = this.budgets.map((budget) => budget.take(lane));
    const isProbe = this.#probingSinceMs !== undefined;
    if (isProbe) this.#probeInFlight = true;
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const free = (gate: Gate): void => {
      if (isProbe) this.#probeInFlight = false;
      resolve(); // p-queue tells this gate, but not the one that it was merged into
      if (gate !== this) gate.#pump();
    };
    const pass: Pass = {
      end: (end, readings) => {
        const gate = this.#current();
        for (const [index, budget] of gate.budgets.entries()) {
          const slot = slots[index];
          if (slot !== undefined) budget.release(slot, readings[index], end);
        }
        if (!end.throttled && end.sentAtMs >= (gate.#probingSinceMs ?? Infinity)) gate.#allowed();
        free(gate);
      },
      cancel: () => {
        const gate = this.#current();
        for (const [index, budget] of gate.budgets.entries()) {
          const slot = slots[index];
          if (slot !== undefined) budget.refund(slot);
        }
        free(gate);
      },
    };
    return { pass, ended };
  }

  /** From the first of those 429 to the last: silence is no refusal. */
  get #refusedForMs(): number {
    return (this.#probingSinceMs ?? 0) - (this.#refusedSinceMs ?? this.#probingSinceMs ?? 0);
  }

  #allowed(): void {
    this.#probingSinceMs = undefined;
    this.#refusedSinceMs = undefined;
  }

  #current(): Gate {
    return this.#successor === undefined ? this : this.#successor.#current();
  }

  /** Starts waiting requests while the first one may go, and sets the timer for when it may. */
  #pump(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#disposed || this.#successor !== undefined) return;
    for (let lane = this.#headLane(); lane !== undefined; lane = this.#headLane()) {
      const now = this.#clock.monotonic();
      if (this.#probeInFlight && this.#probingSinceMs !== undefined) return;
      if (this.#closedUntilMs > now || this.budgets.some((budget) => budget.availableTo(lane, now) <= 0)) {
        const blockedMs = this.#blockedUntil(lane, now) - now;
        if (blockedMs > 0) this.#timer = this.#clock.setTimer(blockedMs, () => this.#pump());
        return;
      }
      const before = this.#started;
      this.#queue.concurrency = inFlightFor(lane, this.#mostInFlight(now));
      this.#queue.start().pause();
      if (this.#started === before) return; // as many as may be are in flight: the end of one asks again
    }
  }

  /** The lane of the request that p-queue would start next. */
  #headLane(): ApiLane | undefined {
    return LANES.find((lane) => this.#waiting[lane] > 0);
  }

  #mostInFlight(nowMs: number): number {
    const before = this.budgets.map((budget) => budget.before(nowMs));
    if (before.includes("ask")) return 1;
    const others = before.includes("guess") || this.budgets.some((budget) => budget.othersSpend(nowMs));
    return others ? MOST_IN_FLIGHT_WITH_OTHERS : MOST_IN_FLIGHT;
  }

  #blockedUntil(lane: ApiLane, nowMs: number): number {
    return Math.max(this.#closedUntilMs, ...this.budgets.map((budget) => budget.blockedUntil(lane, nowMs)));
  }

  /** How many of its lane came before a request that waits. Those whose time is over go in order, so that it is found among the first. */
  #waitingBefore(waiter: GateWaiter): number {
    let before = 0;
    for (const other of this.#waiters) {
      if (other === waiter) break;
      if (other.lane === waiter.lane) before += 1;
    }
    return before;
  }

  /**
   * Whoever is turned away gets a time of its own, after those turned away before and those who wait before it: those behind it are no reason to
   * come later.
   */
  #noBudget(lane: ApiLane, inLane: number, nowMs: number): NoBudgetError {
    const moreUrgent = LANES.slice(0, LANES.indexOf(lane)).reduce((sum, other) => sum + this.#waiting[other], 0);
    const expectedMs = firstNobodyComesFor({
      lane,
      waiting: moreUrgent + inLane,
      nowMs,
      earliestMs: Math.max(this.#closedUntilMs, nowMs),
      budgets: this.budgets,
      reservations: this.#reservations,
    });
    const retryAfterMs = Math.ceil(this.#reservations.reserve(lane, expectedMs, nowMs) - nowMs);
    return new NoBudgetError({ retryAfterMs, refusedForMs: this.#refusedForMs });
  }
}
