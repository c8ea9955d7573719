/** How urgent a key is (engine.md §1): someone waits for it, something under way is polled, or a periodic look. */
export type Lane = "change" | "progress" | "drift";

/** Most urgent first. */
export const lanes = ["change", "progress", "drift"] as const satisfies readonly Lane[];

/** Levels of urgency: edits of objects that were Ready, whatever waited too long, first syncs, `progress`, `drift`. */
export const LEVELS = 5;
export const EDITS = 0;
const OVERDUE = 1;
const SYNCS = 2;
const PROGRESS = 3;
const DRIFT = 4;
/** Levels that take turns: whatever has come to be overdue must be served, and must not hold up an edit. */
export const TAKING_TURNS = [EDITS, OVERDUE] as const;

/** How urgent the requests of a run are; the Management API's client calls that a lane too (engine.md §2). */
export type Urgency = "change" | "sync" | "progress" | "drift";

/** How long a key of lane `change` or `progress` waits before it moves up, and the least for lane `drift`. */
const AGEING_MS = 60_000;

/** How long a drift key whose interval is not known waits before it moves up. */
const UNKNOWN_INTERVAL_MS = 600_000;

/** The level that a key starts at; 0 is the most urgent. */
export function baseLevel(lane: Lane, wasReady: boolean): number {
  switch (lane) {
    case "change":
      return wasReady ? EDITS : SYNCS;
    case "progress":
      return PROGRESS;
    case "drift":
      return DRIFT;
    default:
      return lane satisfies never;
  }
}

/** The lane of a level that a key starts at. */
export function laneOfLevel(level: number): Lane {
  if (level <= SYNCS) return "change";
  return level === PROGRESS ? "progress" : "drift";
}

/**
 * The urgency of a run's requests, by the level that its key was asked for at and the one that it rose to. A poll that waited goes with the first
 * syncs and an overdue drift check with the edits, which else would leave it no budget for ever; first syncs never take the slots that are
 * kept for edits.
 */
export function urgencyOf(base: number, risen: number): Urgency {
  if (base === EDITS) return "change";
  if (base === SYNCS) return "sync";
  if (base === PROGRESS) return risen < PROGRESS ? "sync" : "progress";
  return risen < DRIFT ? "change" : "drift";
}

/** Where a key stands after waiting, and the milliseconds until it moves up again; absent at the top. */
export interface Risen {
  readonly level: number;
  readonly nextRiseMs?: number;
}

/** Milliseconds until the requests of a key become more urgent; Infinity: they do not. */
export function moreUrgentInMs({ lane, urgency, sinceMs, driftIntervalMs }: WaitingKey, nowMs: number): number {
  if (urgency !== lane || lane === "change") return Infinity;
  return risenLevel(baseLevel(lane, false), nowMs - sinceMs, driftIntervalMs).nextRiseMs ?? Infinity;
}

interface WaitingKey {
  readonly lane: Lane;
  readonly urgency: Urgency;
  readonly sinceMs: number;
  readonly driftIntervalMs: number | undefined;
}

/**
 * The level of a key that waits for `waitedMs`, for a worker or for budget, so that no lane starves however busy those above it are. First syncs
 * and polls move up by one level each minute; a drift check that waited for an interval, and has missed its turn, moves up at once: that
 * leaves a second interval to serve it in, however many edits there are. Source: engine.md §1.
 */
export function risenLevel(base: number, waitedMs: number, driftIntervalMs: number | undefined): Risen {
  const drifting = base === DRIFT;
  const intervalMs = drifting ? Math.max(AGEING_MS, driftIntervalMs ?? UNKNOWN_INTERVAL_MS) : AGEING_MS;
  const steps = Math.floor(waitedMs / intervalMs);
  const level = base === EDITS ? EDITS : Math.max(OVERDUE, base - steps * (drifting ? DRIFT - OVERDUE : 1));
  if (level <= OVERDUE) return { level };
  return { level, nextRiseMs: Math.max(1, (steps + 1) * intervalMs - waitedMs) };
}
