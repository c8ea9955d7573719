import type { Clock } from "../../base/clock.ts";
import { type Sought, soughtKey } from "./sought.ts";

/** For how long nothing may have been found for it to be told, milliseconds: a wrong answer is told of once, and heals. */
export const TOLD_ABSENCE_MS = 5000;

/**
 * For how long nothing may have been found for what has no way back to follow, milliseconds: looks some seconds apart may be one incident, of a gateway that
 * restarts or of a replica that lags behind. What is let go for it runs on for ever, and what was asked of it has its end.
 */
export const FINAL_ABSENCE_MS = 60_000;

/**
 * How long a look that did not find it counts, milliseconds, where nobody goes on looking for it: what was there between went by unseen. What is looked at in
 * each run of its object needs no such end: whoever finds it says so.
 */
export const RECENT_ABSENCE_MS = 300_000;

interface Missed {
  /** monotonic milliseconds since which no look has found it; minus infinity where the platform has agreed to delete it */
  readonly sinceMs: number;
  /** monotonic milliseconds of the last look that did not, or of the deletion */
  readonly lastMs: number;
}

/**
 * What looks did not find, by object. That something is gone is believed of two of them alone, some time apart and with none between that found it.
 * Remembered in memory: a new process looks twice by itself.
 */
export class Absences {
  readonly #clock: Clock;
  /** by uid of the object and then by what was looked for */
  readonly #byUid = new Map<string, Map<string, Missed>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many objects miss something. */
  get size(): number {
    return this.#byUid.size;
  }

  /**
   * Notes that a look did not find it.
   *
   * @param atMs when the platform said so, monotonic milliseconds; default: now
   * @returns for how long no look has found it, milliseconds
   */
  noteMissed(uid: string, sought: Sought, atMs = this.#clock.monotonic()): number {
    const { sinceMs = atMs } = this.#missed(uid, sought) ?? {};
    this.#note(uid, sought, { sinceMs, lastMs: atMs });
    return atMs - sinceMs;
  }

  /** As `noteMissed`, of what not every run of the object looks for: the looks before it, and a deletion, count for RECENT_ABSENCE_MS alone. */
  noteMissedLately(uid: string, sought: Sought): number {
    const nowMs = this.#clock.monotonic();
    const known = this.#missed(uid, sought);
    const { sinceMs, lastMs } =
      known === undefined || nowMs - known.lastMs > RECENT_ABSENCE_MS ? { sinceMs: nowMs, lastMs: nowMs } : known;
    // Looks that find nothing do not make a deletion a later one.
    this.#note(uid, sought, { sinceMs, lastMs: sinceMs === -Infinity ? lastMs : nowMs });
    return nowMs - sinceMs;
  }

  /** A look found it, or what was to follow from its absence is done. */
  found(uid: string, sought: Sought): void {
    const bySought = this.#byUid.get(uid);
    bySought?.delete(soughtKey(sought));
    if (bySought?.size === 0) this.#byUid.delete(uid);
  }

  /** The platform has agreed to delete it: that it is not found is what was asked for. */
  taken(uid: string, sought: Sought): void {
    this.#note(uid, sought, { sinceMs: -Infinity, lastMs: this.#clock.monotonic() });
  }

  /** The object is gone. */
  forget(uid: string): void {
    this.#byUid.delete(uid);
  }

  #missed(uid: string, sought: Sought): Missed | undefined {
    return this.#byUid.get(uid)?.get(soughtKey(sought));
  }

  #note(uid: string, sought: Sought, missed: Missed): void {
    const bySought = this.#byUid.get(uid) ?? new Map<string, Missed>();
    this.#byUid.set(uid, bySought.set(soughtKey(sought), missed));
  }
}
