import { z } from "zod";
import { RUN_STEPS, RUN_STEP_STATUSES } from "../../api/contract/actions.ts";
import { BRANCH_STATUSES } from "../../api/contract/fields.ts";
import { lifeSchema } from "../state/life.ts";

/** Action runs as the emulated service remembers them. */

export const RUN_KINDS = ["create", "merge", "push", "reset"] as const;
export type RunKind = (typeof RUN_KINDS)[number];

const step = z.enum(RUN_STEPS);
const note = z.strictObject({ step, text: z.string() }).readonly();
/** A line that a step writes. */
export type RunNote = z.output<typeof note>;

const override = z.strictObject({ step, status: z.enum(RUN_STEP_STATUSES), atMs: z.number() }).readonly();

/** Under the parent project's ref and the run's id, so that runs of a branch outlive it. */
const runRecord = z
  .strictObject({
    id: z.string(),
    kind: z.enum(RUN_KINDS),
    branchId: z.string(),
    /** of the project in which the work is done */
    projectRef: z.string(),
    /** the integer `check_run_id` */
    number: z.number(),
    createdAtMs: z.number(),
    /** how long each status of the life lasts where nothing holds it, milliseconds */
    spansMs: z.partialRecord(z.enum(BRANCH_STATUSES), z.number()).readonly(),
    /** the statuses that the branch goes through with it */
    life: lifeSchema(BRANCH_STATUSES),
    failedStep: step.optional(),
    notes: z.array(note).readonly(),
    /** what callers set, the newest of each step */
    overrides: z.array(override).readonly(),
  })
  .readonly();
export type RunRecord = z.output<typeof runRecord>;
export const runs = { name: "runs", row: runRecord } as const;
