import type { Clock } from "../../base/clock.ts";
import { durationMs } from "../../resources/duration.ts";
import type { ObjectMeta } from "../../resources/meta.ts";

/**
 * How long a process tries at least before it takes a deletion for one that does not end, milliseconds: what went on while no operator ran, nobody has
 * tried.
 */
const LEAST_TRIED_MS = 120_000;

type Doomed = Pick<ObjectMeta, "uid" | "deletionTimestamp">;

/** How a deletion stood when this process saw it first, and since when the platform carries it out. */
interface Seen {
  /** since when the object was being deleted then, milliseconds */
  readonly elapsedMs: number;
  /** monotonic milliseconds */
  readonly atMs: number;
  /** monotonic milliseconds at which the platform was first seen to carry it out */
  readonly underWayMs?: number;
}

/**
 * For how long objects are being deleted, and for how long their deletion may go on (engine.md §5). The apiserver wrote the time at which one began, so by
 * its clock it is told how long that was when this process first saw it; from then on our monotonic clock counts. An operator whose clock is wrong would
 * let go at the first look what it could have deleted.
 */
export class DeletionTimes {
  readonly #clock: Clock;
  readonly #serverNow: () => number | undefined;
  readonly #byUid = new Map<string, Seen>();

  /** @param serverNow the apiserver's wall time, milliseconds since the epoch; undefined while it is not known */
  constructor(clock: Clock, serverNow: () => number | undefined) {
    this.#clock = clock;
    this.#serverNow = serverNow;
  }

  /** Milliseconds since the object's deletion was asked for. */
  elapsedMs(metadata: Doomed): number {
    const { elapsedMs, atMs } = this.#seen(metadata);
    return elapsedMs + this.#clock.monotonic() - atMs;
  }

  /** Milliseconds until `deletionTimeout` has passed, by this process' trying too; not positive when it has. */
  leftMs(metadata: Doomed, timeout: string): number {
    const triedMs = this.#clock.monotonic() - this.#seen(metadata).atMs;
    const timeoutMs = durationMs(timeout);
    return Math.max(timeoutMs - this.elapsedMs(metadata), Math.min(timeoutMs, LEAST_TRIED_MS) - triedMs);
  }

  /** Milliseconds for which the deletion may still wait for something else: so long that there is time left to carry it out. */
  leftToWaitMs(metadata: Doomed, timeout: string): number {
    return this.leftMs(metadata, timeout) - Math.min(durationMs(timeout) / 2, LEAST_TRIED_MS);
  }

  /** Milliseconds since this process first saw that the platform carries the deletion out, which is now at the latest. */
  underWayMs(metadata: Doomed): number {
    const nowMs = this.#clock.monotonic();
    const seen = this.#seen(metadata);
    const { underWayMs = nowMs } = seen;
    this.#byUid.set(metadata.uid, { ...seen, underWayMs });
    return nowMs - underWayMs;
  }

  /** Milliseconds since a time that the apiserver wrote. */
  sinceMs(timestamp: string): number {
    return (this.#serverNow() ?? this.#clock.now()) - Date.parse(timestamp);
  }

  /** How many deletions are remembered. */
  get size(): number {
    return this.#byUid.size;
  }

  /** The object is gone. */
  forget(uid: string): void {
    this.#byUid.delete(uid);
  }

  #seen({ uid, deletionTimestamp }: Doomed): Seen {
    const known = this.#byUid.get(uid);
    if (known !== undefined) return known;
    const atMs = this.#clock.monotonic();
    if (deletionTimestamp === undefined) return { elapsedMs: 0, atMs };
    const first = { elapsedMs: Math.max(0, this.sinceMs(deletionTimestamp)), atMs };
    this.#byUid.set(uid, first);
    return first;
  }
}
