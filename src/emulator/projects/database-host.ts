import type { World } from "../state/world.ts";

/** `db.<ref>.<host>` (facts.md §4). */
export function databaseHost(world: World, ref: string): string {
  return `db.${ref}.${world.settings.domain}`;
}
