import type { Key } from "./key.ts";

/** A key that stands in the queue, once. Times are milliseconds of the queue's own time. */
export interface QueuedKey {
  readonly id: string;
  readonly key: Key;
  group: string;
  /** The level that was asked for, before ageing. */
  base: number;
  driftIntervalMs: number | undefined;
  dueAt: number;
  /** When a run was asked for last. */
  askedAt: number;
  /** Since when it waits: when it first fell due. */
  since: number;
  /** The level within the ready set: `base` less what waiting has earned. */
  level: number;
  /** When to look at the entry again: it falls due, or moves up. */
  wakeAt: number;
  ready: boolean;
}
