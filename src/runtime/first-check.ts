import type { Random } from "../base/random.ts";
import type { EnqueueOptions } from "./reconciler.ts";

/** What tells whether an object seen for the first time needs work. */
export interface FirstSight {
  /** metadata.generation; absent for kinds without one. */
  readonly generation?: number | undefined;
  /** status.observedGeneration; absent or -1: never reconciled. */
  readonly observedGeneration?: number | undefined;
  /** True when the object's conditions say Ready. */
  readonly ready: boolean;
  /** True when metadata.deletionTimestamp is set. */
  readonly deleting: boolean;
  /** The object's interval between drift checks, milliseconds. */
  readonly driftIntervalMs: number;
}

/**
 * When an object that a start finds should first run: at once when its spec was not reconciled yet or it is being deleted, else somewhere
 * within its drift interval, so that a restart does not spend the request budget at once. Source: engine.md §1.
 *
 * An object that was reconciled but is not Ready was in the middle of something: it runs at once too, in lane `progress`.
 */
export function firstCheck(seen: FirstSight, random: Random): EnqueueOptions {
  const reconciled = seen.observedGeneration !== undefined && seen.observedGeneration === (seen.generation ?? 0);
  if (seen.deleting || !reconciled) return { lane: "change", wasReady: seen.ready };
  if (!seen.ready) return { lane: "progress" };
  return { lane: "drift", afterMs: random() * seen.driftIntervalMs, driftIntervalMs: seen.driftIntervalMs };
}
