import { reservedFrom, shareOf } from "../lanes.ts";
import type { ApiLane } from "../lanes.ts";
import type { RateReading } from "./rate-headers.ts";
import { LONGEST_TOLD_MS } from "./reservations.ts";
import { ServerView } from "./server-view.ts";
import type { Times } from "./server-view.ts";
import { SlidingWindow } from "./window.ts";
import type { RequestSlot } from "./window.ts";

/** Requests per time, as the contract declares a window. */
export interface WindowSpec {
  readonly requests: number;
  readonly windowMs: number;
}

/**
 * Slots of a large window that stay free for who starts anew within it, after a crash or a change of leaders: it cannot know what was spent until an
 * answer tells, and the request that asks must not be the one too many.
 */
const LEFT_TO_SUCCESSORS = 2;
const LARGE = 100;

/** One process after the other spends from the same budgets. */
export interface Succession {
  /** when this one began to send, in whatever scope, monotonic milliseconds */
  readonly sinceMs: number;
}

/** When the `nth` slot held, of one lane or of all, comes free; undefined when that cannot be told. */
type FreeAt = (nth: number, lane?: ApiLane) => number | undefined;

/**
 * One window of one scope: our own strict accounting (window.ts), corrected by what the server says (server-view.ts), divided among the
 * lanes (lanes.ts). Source: engine.md §2.
 */
export class Budget {
  readonly spec: WindowSpec;
  readonly #window: SlidingWindow;
  readonly #view: ServerView;
  readonly #succession: Succession | undefined;
  /** what a request came to is known */
  #heard = false;

  constructor(spec: WindowSpec, succession?: Succession) {
    this.spec = spec;
    this.#succession = succession;
    this.#window = new SlidingWindow(spec.windowMs);
    this.#view = new ServerView(spec.requests, spec.windowMs, succession?.sinceMs);
  }

  /**
   * How well it is known what was spent before this process began: `ask` while nobody has been answered, `guess` where the answers do not tell, `known`
   * where they do, or all of it is longer ago than the window.
   */
  before(nowMs: number): "ask" | "guess" | "known" {
    if (!this.#isFirstWindow(nowMs)) return "known";
    if (!this.#heard) return "ask";
    return this.#view.allowance(nowMs, 0) === undefined ? "guess" : "known";
  }

  /** Requests that any lane could send now: the server's budget as far as known, without reserves and shares. */
  left(nowMs: number): number {
    return this.#unspent(nowMs) - this.#leftToSuccessors;
  }

  /** Requests that `lane` may send now, its reserve and share observed; may be negative. */
  availableTo(lane: ApiLane, nowMs: number): number {
    const capacity = this.#view.capacity();
    const free = this.#unspent(nowMs) - this.#keptFrom(lane);
    return lane === "drift" ? Math.min(free, shareOf(lane, capacity) - this.#window.held(nowMs, lane)) : free;
  }

  /**
   * The time before which `lane` certainly may not send, monotonic milliseconds; `nowMs` when it may. When only an answer in flight can
   * tell, `nowMs` too: the caller asks again after each answer.
   */
  blockedUntil(lane: ApiLane, nowMs: number): number {
    const freeAt: FreeAt = (nth, of) => this.#window.certainlyFreeAt(nth, nowMs, of);
    return Math.max(nowMs, ...limitsOn(this.#stateFor(lane, nowMs), 1, freeAt));
  }

  /**
   * When the `nth` request of `lane` from now (1 is the next) is expected to get its slot, if all before it are sent as soon as they may. A slot comes
   * round again with each window, and the times of those who would wait longer than anybody is told to begin at the first round again: so no slot
   * that frees is without somebody who comes for it.
   *
   * @returns for any `nth`, by what is known at this moment: looked up once, since there may be hundreds to try
   */
  schedule(lane: ApiLane, nowMs: number): (nth: number) => number {
    const { windowMs } = this.spec;
    const state = this.#stateFor(lane, nowMs);
    const atOnce = Math.max(0, this.availableTo(lane, nowMs));
    const usable = this.#usableBy(lane);
    const rounds = Math.max(1, Math.floor(LONGEST_TOLD_MS / windowMs));
    const [all, ofLane] = [this.#window.expectedFree(nowMs), this.#window.expectedFree(nowMs, lane)];
    const freeAt: FreeAt = (missing, of) => (of === undefined ? all : ofLane)[missing - 1] ?? nowMs + windowMs;
    return (nth) => {
      if (nth <= atOnce) return nowMs;
      const waiting = nth - atOnce - 1;
      const round = Math.floor(waiting / usable) % rounds;
      const inFirstRound = Math.max(nowMs, ...limitsOn(state, atOnce + (waiting % usable) + 1, freeAt));
      return inFirstRound + round * windowMs;
    };
  }

  take(lane: ApiLane): RequestSlot {
    return this.#window.take(lane);
  }

  refund(slot: RequestSlot): void {
    this.#window.refund(slot);
  }

  /** The answer or failure is there. @param reading what it said of this window; undefined when it said nothing of it */
  release(slot: RequestSlot, reading: RateReading | undefined, times: Times): void {
    this.#heard = true;
    if (reading === undefined) this.#view.observeSilence();
    else this.#view.observe(reading, times, (sinceMs) => this.#window.arrivalsSince(sinceMs));
    this.#window.release(slot, times.receivedAtMs);
  }

  /** Whether a reading can speak of this window. */
  matches(reading: RateReading): boolean {
    return reading.limit === this.spec.requests && (reading.resetMs ?? 0) <= this.spec.windowMs + 1000;
  }

  /** A request was refused, which cannot happen to one who is alone. */
  noteRefusal(nowMs: number): void {
    this.#view.noteRefusal(nowMs);
  }

  othersSpend(nowMs: number): boolean {
    return this.#view.othersSpend(nowMs);
  }

  /** When the server's present window certainly ends, as far as an answer told. */
  endsAt(nowMs: number): number | undefined {
    return this.#view.endsAt(nowMs);
  }

  /** Nothing is held, and nothing is remembered that would be missed. */
  idle(nowMs: number): boolean {
    return this.#window.held(nowMs) === 0 && !this.#view.othersSpend(nowMs);
  }

  absorb(other: Budget): void {
    this.#window.absorb(other.#window);
  }

  /**
   * The server's own count binds once others spend, and while it may hold what a predecessor spent: alone, our window is the stricter and the more
   * exact one.
   */
  #allowance(nowMs: number): number | undefined {
    const { inFlight } = this.#window;
    if (!this.#view.othersSpend(nowMs) && !this.#isFirstWindow(nowMs)) return undefined;
    return this.#view.allowance(nowMs, inFlight);
  }

  #isFirstWindow(nowMs: number): boolean {
    return this.#succession !== undefined && nowMs - this.#succession.sinceMs < this.spec.windowMs;
  }

  get #leftToSuccessors(): number {
    return this.#succession !== undefined && this.#view.capacity() >= LARGE ? LEFT_TO_SUCCESSORS : 0;
  }

  /** As far as known, ours and others' reckoned. */
  #unspent(nowMs: number): number {
    const free = this.#view.capacity() - this.#window.held(nowMs);
    const allowance = this.#allowance(nowMs);
    return allowance === undefined ? free : Math.min(free, allowance);
  }

  /** Slots that a lane leaves free. */
  #keptFrom(lane: ApiLane): number {
    return Math.max(reservedFrom(lane, this.#view.capacity()), this.#leftToSuccessors);
  }

  /** How many requests of `lane` go in each window, if no other lane leaves room. */
  #usableBy(lane: ApiLane): number {
    const capacity = this.#view.capacity();
    const unreserved = capacity - this.#keptFrom(lane);
    return Math.max(1, lane === "drift" ? Math.min(unreserved, shareOf(lane, capacity)) : unreserved);
  }

  #stateFor(lane: ApiLane, nowMs: number): LaneState {
    const capacity = this.#view.capacity();
    const reserve = this.#keptFrom(lane);
    const allowance = this.#allowance(nowMs);
    return {
      lane,
      free: capacity - reserve - this.#window.held(nowMs),
      atBest: allowance === undefined ? Infinity : allowance + this.#window.inFlight - reserve,
      endsAt: this.#view.endsAt(nowMs),
      share: lane === "drift" ? shareOf(lane, capacity) - this.#window.held(nowMs, lane) : Infinity,
    };
  }
}

/** How a lane stands to its limits at one moment; negative numbers are what it lacks. */
interface LaneState {
  readonly lane: ApiLane;
  /** slots of the window, its reserve left */
  readonly free: number;
  /** requests that the server lets through, at best, before its window ends */
  readonly atBest: number;
  /** when that is, as far as an answer told */
  readonly endsAt: number | undefined;
  /** slots of its own share */
  readonly share: number;
}

/** The times at which each of the limits on a lane lets its `nth` request go; those that do not bind are left out. */
function limitsOn({ lane, free, atBest, endsAt, share }: LaneState, nth: number, freeAt: FreeAt): readonly number[] {
  const times: (number | undefined)[] = [];
  if (nth > free) times.push(freeAt(nth - free));
  if (nth > atBest && endsAt !== undefined) times.push(endsAt);
  if (nth > share) times.push(freeAt(nth - share, lane));
  return times.filter((time) => time !== undefined);
}
