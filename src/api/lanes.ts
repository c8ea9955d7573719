/**
 * How urgent a request is, in falling order (engine.md §1 and §2):
 * - `change`: someone waits for an edit
 * - `sync`: first look at an object that never was ready, as after a start or a bulk apply
 * - `progress`: polling something under way
 * - `drift`: periodic look
 */
export const LANES = ["change", "sync", "progress", "drift"] as const;
export type ApiLane = (typeof LANES)[number];

/** Slots of the standard budget that only `change`, people and other tools may use (engine.md §2, "Shares"). */
const RESERVED_SLOTS = 10;
/** The same as a part of a budget that is smaller than the standard one: 10 of 120. */
const RESERVED_PART = 1 / 12;
/** The part of the requests in flight that only `change` may use: an edit waits for nobody's slow answer. */
const RESERVED_IN_FLIGHT = 1 / 4;
/** The most of a budget that `drift` may hold at once (engine.md §2, "Shares"). */
const DRIFT_PART = 0.4;

/**
 * Slots that a lane leaves free. `progress` leaves them too: otherwise polling would eat the reserve that a more urgent first sync has
 * to leave.
 */
export function reservedFrom(lane: ApiLane, capacity: number): number {
  return lane === "change" ? 0 : Math.min(RESERVED_SLOTS, Math.floor(capacity * RESERVED_PART));
}

/** The most slots that a lane may hold at once; at least one, so that drift is still seen where a budget is tiny. */
export function shareOf(lane: ApiLane, capacity: number): number {
  return lane === "drift" ? Math.max(1, Math.floor(capacity * DRIFT_PART)) : capacity;
}

/** How many requests may be in flight when a lane sends one more, of `most` that there may be. */
export function inFlightFor(lane: ApiLane, most: number): number {
  return lane === "change" ? most : most - Math.floor(most * RESERVED_IN_FLIGHT);
}

/**
 * Priority of a lane for p-queue, where the greater goes first. A request that the server refused for its rate goes before the others
 * of its lane, since it was their turn already.
 */
export function priorityOf(lane: ApiLane, reissued = false): number {
  return (LANES.length - LANES.indexOf(lane)) * 2 + (reissued ? 1 : 0);
}
