/** What tests of other programs import as `baas-operator/emulator`: docs/client.md. The one list of it. */
export { ManualClock } from "../base/manual-clock.ts";
export type { Control } from "./control/calls.ts";
export { createControlClient } from "./control-client.ts";
export { startEmulator } from "./emulator.ts";
export type { Emulator, EmulatorOptions } from "./emulator.ts";
export { SeedError } from "./state/seed-error.ts";
