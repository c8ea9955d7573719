import { definedOnly } from "./defined-only.ts";
import type { Seed } from "./seed.ts";
import type { World } from "./world.ts";

/** Replaces what is said of the settings; the rest stays. */
export function changeSettings(world: World, said: NonNullable<Seed["settings"]>): void {
  const { timings, ...others } = said;
  world.settings = {
    ...world.settings,
    ...definedOnly(others),
    timings: { ...world.settings.timings, ...definedOnly(timings ?? {}) },
  };
}
