/** How urgent a key is (engine.md §1): someone waits for it, something under way is polled, or a periodic look. */
export type Lane = "change" | "progress" | "drift";

/** Most urgent first. */
export const lanes = ["change", "progress", "drift"] as const satisfies readonly Lane[];

/** Levels of urgency: the lanes, with `change` split into edits of objects that were Ready (0) and first syncs (1). */
export const LEVELS = 4;

/** How long a key of lane `change` or `progress` waits for a worker before it moves up, and the least for lane `drift`. */
const AGEING_MS = 60_000;

/** How long a drift key whose interval is not known waits before it moves up. */
const UNKNOWN_INTERVAL_MS = 600_000;

/** The level that a key starts at; 0 is the most urgent. */
export function baseLevel(lane: Lane, wasReady: boolean): number {
  switch (lane) {
    case "change":
      return wasReady ? 0 : 1;
    case "progress":
      return 2;
    case "drift":
      return 3;
    default:
      return lane satisfies never;
  }
}

export function laneOfLevel(level: number): Lane {
  if (level <= 1) return "change";
  return level === 2 ? "progress" : "drift";
}

/** Where a key stands after waiting, and the milliseconds until it moves up again; absent at the top. */
export interface Risen {
  readonly level: number;
  readonly nextRiseMs?: number;
}

/**
 * The level of a key that has been ready for `waitedMs`: one higher for each ageing interval, so that no lane starves however busy those
 * above it are. For drift the interval is the key's own, since a check that is one interval late has missed its turn. Source: engine.md §1.
 */
export function risenLevel(base: number, waitedMs: number, driftIntervalMs: number | undefined): Risen {
  const intervalMs =
    laneOfLevel(base) === "drift" ? Math.max(AGEING_MS, driftIntervalMs ?? UNKNOWN_INTERVAL_MS) : AGEING_MS;
  const steps = Math.floor(waitedMs / intervalMs);
  const level = Math.max(0, base - steps);
  if (level === 0) return { level };
  return { level, nextRiseMs: Math.max(1, (steps + 1) * intervalMs - waitedMs) };
}
