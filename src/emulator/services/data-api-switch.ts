import { FRESH_DATA_API } from "./data-api-state.ts";
import type { World } from "../state/world.ts";

/** Whether a project's Data API is on: its configuration tells, and nothing else. */
export function isDataApiOn(world: World, ref: string): boolean {
  return world.dataApiConfig.get(ref).dbSchema !== "";
}

/** Switches the Data API; one that is on already keeps its schemas, and one that is switched on gets those of a fresh project. */
export function switchDataApi(world: World, ref: string, on: boolean): void {
  if (isDataApiOn(world, ref) === on) return;
  const dbSchema = on ? FRESH_DATA_API.dbSchema : "";
  world.dataApiConfig.set(ref, { ...world.dataApiConfig.get(ref), dbSchema });
}
