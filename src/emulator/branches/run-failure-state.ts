import { z } from "zod";
import { RUN_STEPS } from "../../api/contract/actions.ts";
import { failureOrderShape, orderedFailureShape } from "../state/ordered-failures.ts";

/** Steps of runs on a branch that shall fail, as a seed or a control call orders. */

const said = {
  /** id, name or project ref of the branch in which the work is done; also of one yet to be created, by name; default: any */
  refOrName: z.string().optional(),
  step: z.enum(RUN_STEPS),
} as const;

const runFailureRecord = z.strictObject({ ...orderedFailureShape, ...said }).readonly();
export type RunFailure = z.output<typeof runFailureRecord>;
export const runFailures = { name: "runFailures", row: runFailureRecord } as const;

export const runFailureOrder = z.strictObject({ ...said, ...failureOrderShape("the step ended with exit code 1") });
export type RunFailureOrder = z.output<typeof runFailureOrder>;
