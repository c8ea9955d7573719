import type { Recoverable } from "../postgres/past.ts";
import { DAY_MS } from "../state/spans.ts";
import type { World } from "../state/world.ts";

/**
 * Points in time to which a project's database can go back: as far as the days of the add-on, and not before it was selected. Without the
 * add-on there are none.
 */
export function recoveryWindow(world: World, ref: string): Recoverable | undefined {
  const addon = world.addons.get(ref, "pitr");
  if (addon === undefined) return undefined;
  const lengthMs = Number(addon.variant.slice("pitr_".length)) * DAY_MS;
  const nowMs = world.clock.now();
  return { fromMs: Math.max(addon.sinceMs, nowMs - lengthMs), nowMs, lengthMs };
}

/**
 * Its ends in whole seconds, as they are told and asked for. Before the first of them is over there is one to go back to: its end, at which the
 * database is what it is now.
 */
export function wholeSeconds({ fromMs, nowMs }: Recoverable): { readonly earliest: number; readonly latest: number } {
  const earliest = Math.ceil(fromMs / 1000);
  return { earliest, latest: Math.max(earliest, Math.floor(nowMs / 1000)) };
}
