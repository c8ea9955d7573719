import { definedOnly } from "./defined-only.ts";
import { type SettingsChange, settingsWith } from "./settings.ts";
import type { World } from "./world.ts";

/** Replaces what is said of the settings, for now and for later starts, also where this start was told something else; the rest stays. */
export function changeSettings(world: World, said: SettingsChange): void {
  const { timings = {}, ...others } = said;
  const { toldSettings: told } = world;
  world.savedSettings = settingsWith(world.savedSettings, said);
  world.toldSettings = {
    ...told,
    ...definedOnly(others),
    timings: { ...told.timings, ...definedOnly(timings) },
  };
}
