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
  /** since when it is tried: what waits for something else is not, monotonic milliseconds */
  readonly triedMs: number;
  /** monotonic milliseconds at which the platform was first seen to carry it out */
  readonly underWayMs?: number;
  /** since when nothing is let in for it, monotonic milliseconds: from the start, while nothing was; undefined since something was */
  readonly keptOutMs?: number | undefined;
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
  /** by uid of objects whose ttl is over: monotonic milliseconds at which this process saw that first */
  readonly #endSeenMs = new Map<string, number>();

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
    const triedMs = this.#clock.monotonic() - this.#seen(metadata).triedMs;
    const timeoutMs = durationMs(timeout);
    return Math.max(timeoutMs - this.elapsedMs(metadata), Math.min(timeoutMs, LEAST_TRIED_MS) - triedMs);
  }

  /**
   * Milliseconds for which the deletion may still wait for something else, which it does: so long that there is time left to carry it out, and as long for
   * this process to follow what it waits for. Not positive when it has waited for long enough.
   */
  leftToWaitMs(metadata: Doomed, timeout: string): number {
    const nowMs = this.#clock.monotonic();
    const seen = this.#seen(metadata);
    const timeoutMs = durationMs(timeout);
    const leastMs = Math.min(timeoutMs / 2, LEAST_TRIED_MS);
    const leftMs = Math.max(timeoutMs - this.elapsedMs(metadata) - leastMs, leastMs - (nowMs - seen.atMs));
    if (leftMs > 0) this.#byUid.set(metadata.uid, { ...seen, triedMs: nowMs });
    return leftMs;
  }

  /**
   * The same of the end of a ttl, whose object stays.
   *
   * @param elapsedMs for how long the ttl is over, milliseconds
   * @param longestMs for how long the end may wait, milliseconds
   */
  leftOfEndMs(uid: string, elapsedMs: number, longestMs: number): number {
    const nowMs = this.#clock.monotonic();
    const seenMs = this.#endSeenMs.get(uid) ?? nowMs;
    this.#endSeenMs.set(uid, seenMs);
    return Math.max(longestMs - elapsedMs, LEAST_TRIED_MS - (nowMs - seenMs));
  }

  /** The end is to come, as a new ttl has it: it is followed for as long as any other one. */
  forgetEnd(uid: string): void {
    this.#endSeenMs.delete(uid);
  }

  /** Milliseconds since this process first saw that the platform carries the deletion out, which is now at the latest. */
  underWayMs(metadata: Doomed): number {
    const nowMs = this.#clock.monotonic();
    const seen = this.#seen(metadata);
    const { underWayMs = nowMs } = seen;
    this.#byUid.set(metadata.uid, { ...seen, underWayMs });
    return nowMs - underWayMs;
  }

  /** Milliseconds for which no look of this process was let in to carry the deletion out; 0 where the one before this was. */
  keptOutMs(metadata: Doomed): number {
    const nowMs = this.#clock.monotonic();
    const seen = this.#seen(metadata);
    const { keptOutMs = nowMs } = seen;
    this.#byUid.set(metadata.uid, { ...seen, keptOutMs });
    return nowMs - keptOutMs;
  }

  /** A look was let in. */
  letIn({ uid }: Doomed): void {
    const seen = this.#byUid.get(uid);
    if (seen?.keptOutMs !== undefined) this.#byUid.set(uid, { ...seen, keptOutMs: undefined });
  }

  /** Milliseconds since a time that the apiserver wrote. */
  sinceMs(timestamp: string): number {
    return (this.#serverNow() ?? this.#clock.now()) - Date.parse(timestamp);
  }

  /** How many deletions and ends are remembered. */
  get size(): number {
    return this.#byUid.size + this.#endSeenMs.size;
  }

  /** The object is gone. */
  forget(uid: string): void {
    this.#byUid.delete(uid);
    this.#endSeenMs.delete(uid);
  }

  #seen({ uid, deletionTimestamp }: Doomed): Seen {
    const known = this.#byUid.get(uid);
    if (known !== undefined) return known;
    const atMs = this.#clock.monotonic();
    const now = { atMs, triedMs: atMs, keptOutMs: atMs };
    if (deletionTimestamp === undefined) return { elapsedMs: 0, ...now };
    const first = { elapsedMs: Math.max(0, this.sinceMs(deletionTimestamp)), ...now };
    this.#byUid.set(uid, first);
    return first;
  }
}
