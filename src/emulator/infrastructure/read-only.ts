import { isFull } from "./disk-state.ts";
import type { World } from "../state/world.ts";

/** The read-only mode of a project's database: on while its disk is full, and set aside while an override is active. */
export interface ReadOnlyMode {
  readonly enabled: boolean;
  /** end of the active override; undefined where there is none */
  readonly overrideUntilMs: number | undefined;
}

export function readOnlyModeOf(world: World, ref: string): ReadOnlyMode {
  const nowMs = world.clock.now();
  const { overrideUntilMs } = world.readOnlyMode.get(ref);
  return {
    enabled: isFull(world.disk.get(ref), nowMs),
    overrideUntilMs: nowMs < overrideUntilMs ? overrideUntilMs : undefined,
  };
}

/** Whether the database of a project refuses to write now. */
export function refusesWrites(world: World, ref: string): boolean {
  const { enabled, overrideUntilMs } = readOnlyModeOf(world, ref);
  return enabled && overrideUntilMs === undefined;
}
