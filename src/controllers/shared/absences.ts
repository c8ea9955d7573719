import type { Clock } from "../../base/clock.ts";

/** How long after a look that found nothing another one has to find nothing either, milliseconds. */
export const ABSENCE_LOOK_MS = 5000;

/**
 * What looks did not find, by object. That something is gone is believed of two of them alone, some seconds apart and with none between that found it: what
 * is done for one wrong answer nobody takes back. What is let go for it runs on for ever, and what was asked of it has its end. Remembered in memory: a
 * new process looks twice by itself.
 */
export class Absences {
  readonly #clock: Clock;
  /**
   * by uid of the object and then by what was looked for: monotonic milliseconds since which no look has found it; minus infinity where the platform has
   * agreed to delete it
   */
  readonly #byUid = new Map<string, Map<string, number>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many objects miss something. */
  get size(): number {
    return this.#byUid.size;
  }

  /** A look did not find it. @returns whether it is believed to be gone */
  missed(uid: string, what: string): boolean {
    const nowMs = this.#clock.monotonic();
    const sinceMs = this.#byUid.get(uid)?.get(what) ?? nowMs;
    this.#note(uid, what, sinceMs);
    return nowMs - sinceMs >= ABSENCE_LOOK_MS;
  }

  /** A look found it. */
  found(uid: string, what: string): void {
    const byWhat = this.#byUid.get(uid);
    byWhat?.delete(what);
    if (byWhat?.size === 0) this.#byUid.delete(uid);
  }

  /** The platform has agreed to delete it: that it is not found is what was asked for. */
  taken(uid: string, what: string): void {
    this.#note(uid, what, -Infinity);
  }

  /** The object is gone. */
  forget(uid: string): void {
    this.#byUid.delete(uid);
  }

  #note(uid: string, what: string, sinceMs: number): void {
    const byWhat = this.#byUid.get(uid) ?? new Map<string, number>();
    this.#byUid.set(uid, byWhat.set(what, sinceMs));
  }
}
