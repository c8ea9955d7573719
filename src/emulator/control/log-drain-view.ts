import { z } from "zod";
import { logDrainRecord } from "../analytics/log-drain-state.ts";
import type { World } from "../state/world.ts";

/** A log drain as control calls show it: what a read of the API shows, and the digests of its secrets. */
export const logDrainView = z.object(logDrainRecord.unwrap().shape);

export function logDrainViews(world: World, ref: string): z.output<typeof logDrainView>[] {
  return [...world.logDrains.of(ref).values()].map((drain) => ({ ...drain }));
}
