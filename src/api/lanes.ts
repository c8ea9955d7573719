/**
 * How urgent a request is, in falling order (engine.md §1 and §2):
 * - `change`: someone waits for an edit
 * - `sync`: first look at an object that never was ready, as after a start or a bulk apply
 * - `progress`: polling something under way
 * - `drift`: periodic look
 */
export const LANES = ["change", "sync", "progress", "drift"] as const;
export type ApiLane = (typeof LANES)[number];
