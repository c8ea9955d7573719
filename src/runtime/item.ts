import type { Key } from "./key.ts";
import type { Lane, Urgency } from "./lane.ts";
import type { Taker } from "./ready-set.ts";

/** A key that was handed out: it is locked until `done` is called with this very item. */
export interface Item {
  readonly id: string;
  readonly key: Key;
  readonly group: string;
  readonly lane: Lane;
  /** In lane `change`: an edit of an object that was Ready. */
  readonly wasReady: boolean;
  /** How urgent its requests are: as the lane says, or more after a long wait. */
  readonly urgency: Urgency;
  /** The level that it was handed out at, and who took it. */
  readonly level: number;
  readonly taker: Taker;
  readonly driftIntervalMs: number | undefined;
  /** Since when it waits, in the queue's own time: runs that got no budget do not end a wait. */
  readonly sinceMs: number;
  /** Failed runs in a row before this one. */
  readonly failures: number;
  /** Milliseconds between when the key should have run and when it was handed out. */
  readonly waitedMs: number;
  /** Milliseconds between when a run of it was asked for last and when it was handed out. */
  readonly askedAgoMs: number;
}
