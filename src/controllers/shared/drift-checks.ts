import type { Clock } from "../../base/clock.ts";
import { durationMs, isDuration } from "../../resources/duration.ts";
import type { KubeObject } from "../../resources/meta.ts";
import { commonStatusOf } from "./common-status.ts";
import { isTrue } from "./conditions.ts";

/** How long what the platform refused rests before a look whether the plan or the add-ons are others now, where drift is ignored. */
export const REFUSED_LOOK_MS = 600_000;

/** Milliseconds between two drift checks of an object, by the policies that it was looked at under last; undefined: it has none, or that is not known. */
function intervalMsOf(object: KubeObject): number | undefined {
  const { effective, conditions } = commonStatusOf(object);
  if (effective?.driftPolicy?.value === "Ignore") return isTrue(conditions, "Stalled") ? REFUSED_LOOK_MS : undefined;
  const interval = effective?.driftInterval?.value;
  return interval !== undefined && isDuration(interval) ? durationMs(interval) : undefined;
}

/**
 * When objects had their last drift check. A key stands in the queue once, at the earliest of its times: what is looked at sooner, time and again, for
 * something that is under way or in the way would never come to its drift check. So the first such look after that was due is one. In memory alone: the
 * first look after a start looks at everything.
 */
export class DriftChecks {
  readonly #clock: Clock;
  /** monotonic milliseconds, by uid */
  readonly #atMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many objects are known. */
  get size(): number {
    return this.#atMs.size;
  }

  isDue(object: KubeObject): boolean {
    const [atMs, intervalMs] = [this.#atMs.get(object.metadata.uid), intervalMsOf(object)];
    return atMs !== undefined && intervalMs !== undefined && this.#clock.monotonic() - atMs >= intervalMs;
  }

  /** The object was looked at, to the end. @param isDriftCheck as a drift check does */
  note(uid: string, isDriftCheck: boolean): void {
    if (isDriftCheck || !this.#atMs.has(uid)) this.#atMs.set(uid, this.#clock.monotonic());
  }

  forget(uid: string): void {
    this.#atMs.delete(uid);
  }
}
