import type { ApiErrorCode } from "../../api/errors.ts";
import type { StepState } from "../../resources/project/lifecycle.ts";

/** What transfers and upgrades have in common: each is asked for once, after a look at what stands in its way. */

/** Whether it may have been asked for, and has not come to its end. */
export function isAskedFor({ state }: { readonly state: string }): boolean {
  const asked: readonly string[] = ["Sending", "Running"] satisfies readonly StepState[];
  return asked.includes(state);
}

/** Refusals that the look before did not tell of. */
export const REFUSED: readonly ApiErrorCode[] = ["BAD_REQUEST", "UNPROCESSABLE", "CONFLICT"];
