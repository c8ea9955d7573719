import { reservedFrom, shareOf } from "../lanes.ts";
import type { ApiLane } from "../lanes.ts";
import type { RateReading } from "./rate-headers.ts";
import { LONGEST_TOLD_MS } from "./reservations.ts";
import { ServerView } from "./server-view.ts";
import type { Times } from "./server-view.ts";
import { SlidingWindow } from "./window.ts";
import type { Slot } from "./window.ts";

/** Requests per time, as the contract declares a window. */
export interface WindowSpec {
  readonly requests: number;
  readonly windowMs: number;
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

  constructor(spec: WindowSpec) {
    this.spec = spec;
    this.#window = new SlidingWindow(spec.windowMs);
    this.#view = new ServerView(spec.requests, spec.windowMs);
  }

  /** Requests that any lane could send now: the server's budget as far as known, without reserves and shares. */
  left(nowMs: number): number {
    const free = this.#view.capacity() - this.#window.held(nowMs);
    const allowance = this.#allowance(nowMs);
    return allowance === undefined ? free : Math.min(free, allowance);
  }

  /** Requests that `lane` may send now, its reserve and share observed; may be negative. */
  availableTo(lane: ApiLane, nowMs: number): number {
    const capacity = this.#view.capacity();
    const free = this.left(nowMs) - reservedFrom(lane, capacity);
    return lane === "drift" ? Math.min(free, shareOf(lane, capacity) - this.#window.held(nowMs, lane)) : free;
  }

  /**
   * The time before which `lane` certainly may not send, monotonic milliseconds; `nowMs` when it may. When only an answer in flight can
   * tell, `nowMs` too: the caller asks again after each answer.
   */
  blockedUntil(lane: ApiLane, nowMs: number): number {
    const freeAt: FreeAt = (nth, of) => this.#window.certainlyFreeAt(nth, nowMs, of);
    return Math.max(nowMs, ...this.#limitsOn(lane, 1, nowMs, freeAt));
  }

  /**
   * When the `nth` request of `lane` from now is expected to get its slot, if all before it are sent as soon as they may. A slot comes round
   * again with each window, and the times of those who would wait longer than anybody is told to begin at the first round again: so no slot
   * that frees is without somebody who comes for it.
   */
  expectedAt(lane: ApiLane, nth: number, nowMs: number): number {
    const atOnce = Math.max(0, this.availableTo(lane, nowMs));
    if (nth <= atOnce) return nowMs;
    const { windowMs } = this.spec;
    const usable = this.#usableBy(lane);
    const waiting = nth - atOnce - 1;
    const round = Math.floor(waiting / usable) % Math.max(1, Math.floor(LONGEST_TOLD_MS / windowMs));
    const freeAt: FreeAt = (missing, of) => this.#window.expectedFreeAt(missing, nowMs, of) ?? nowMs + windowMs;
    const inFirstRound = Math.max(nowMs, ...this.#limitsOn(lane, atOnce + (waiting % usable) + 1, nowMs, freeAt));
    return inFirstRound + round * windowMs;
  }

  take(lane: ApiLane): Slot {
    return this.#window.take(lane);
  }

  refund(slot: Slot): void {
    this.#window.refund(slot);
  }

  /** The answer or failure is there. @param reading what it said of this window; undefined when it said nothing of it */
  release(slot: Slot, reading: RateReading | undefined, times: Times): void {
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

  /** The server's own count binds only once others spend: alone, our window is the stricter and the more exact one. */
  #allowance(nowMs: number): number | undefined {
    return this.#view.othersSpend(nowMs) ? this.#view.allowance(nowMs, this.#window.inFlight) : undefined;
  }

  /** How many requests of `lane` go in each window, if no other lane leaves room. */
  #usableBy(lane: ApiLane): number {
    const capacity = this.#view.capacity();
    const unreserved = capacity - reservedFrom(lane, capacity);
    return Math.max(1, lane === "drift" ? Math.min(unreserved, shareOf(lane, capacity)) : unreserved);
  }

  /** The times at which each of the limits on `lane` lets its `nth` request go; those that do not bind are left out. */
  #limitsOn(lane: ApiLane, nth: number, nowMs: number, freeAt: FreeAt): readonly number[] {
    const capacity = this.#view.capacity();
    const reserve = reservedFrom(lane, capacity);
    const times: (number | undefined)[] = [];
    const missing = nth + reserve - (capacity - this.#window.held(nowMs));
    if (missing > 0) times.push(freeAt(missing));
    const allowance = this.#allowance(nowMs);
    const atBest = allowance === undefined ? Infinity : allowance + this.#window.inFlight - reserve;
    const endsAt = this.#view.endsAt(nowMs);
    if (atBest < nth && endsAt !== undefined) times.push(endsAt);
    const overShare = nth - (shareOf(lane, capacity) - this.#window.held(nowMs, lane));
    if (lane === "drift" && overShare > 0) times.push(freeAt(overShare, lane));
    return times.filter((time) => time !== undefined);
  }
}
