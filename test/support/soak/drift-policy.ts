import type { Chance } from "./chance.ts";

/** Whether drift is put right, told of, or not looked for. */
export type DriftPolicy = "Correct" | "Report" | "Ignore";

/** Of a new object: mostly what is so by default. */
export function anyDriftPolicy(chance: Chance): DriftPolicy {
  return chance.oneOf(["Correct", "Correct", "Report", "Ignore"] as const);
}
