import { type ApiLane, LANES } from "../lanes.ts";
import type { Budget } from "./budget.ts";
import type { Reservations } from "./reservations.ts";

/** Who asks for a slot, and what stands between. Times are monotonic milliseconds. */
interface SlotRequest {
  readonly lane: ApiLane;
  /** how many wait before it */
  readonly waiting: number;
  readonly nowMs: number;
  /** when anybody may go */
  readonly earliestMs: number;
  readonly budgets: readonly Budget[];
  readonly reservations: Reservations;
}

/**
 * When the first slot of a lane frees that neither those who wait nor those who come by then will have taken. Those who were told a later time
 * are no reason to leave it: more come than there are slots where times began at the first round again, and nobody then in a round after it.
 *
 * Goes from slot to slot, of which there are as many as keys that were turned away, up to a round for each window of the longest time that is told: what
 * it asks of each is looked up beforehand, so that a step costs next to nothing.
 */
export function firstNobodyComesFor({ lane, waiting, nowMs, earliestMs, budgets, reservations }: SlotRequest): number {
  const schedules = budgets.map((budget) => budget.schedule(lane, nowMs));
  const reservedBy = reservations.told(LANES.slice(0, LANES.indexOf(lane) + 1), nowMs);
  for (let nth = waiting + 1; ;) {
    const atMs = Math.max(earliestMs, ...schedules.map((at) => at(nth)));
    const taken = waiting + reservedBy(atMs);
    if (taken < nth) return atMs;
    nth = taken + 1;
  }
}
