import type { World } from "../state/world.ts";
import type { JitSwitch } from "./jit-state.ts";

/** Makes just-in-time access of a project unavailable for a reason, or available again, and leaves it switched as it is. */
export function setJitAvailability(world: World, ref: string, unavailable: JitSwitch["unavailable"]): void {
  world.jitSwitches.set(ref, { ...world.jitSwitches.get(ref), unavailable });
}
