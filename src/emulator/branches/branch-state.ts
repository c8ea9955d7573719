import { z } from "zod";
import { BRANCH_STATUSES } from "../../api/contract/fields.ts";
import { lifeSchema } from "../state/life.ts";

export type BranchStatus = (typeof BRANCH_STATUSES)[number];

/** A branch, under its id. */
const branchRecord = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    projectRef: z.string(),
    parentRef: z.string(),
    isDefault: z.boolean(),
    gitBranch: z.string().optional(),
    notifyUrl: z.string().optional(),
    persistent: z.boolean(),
    withData: z.boolean(),
    life: lifeSchema(BRANCH_STATUSES),
    /** the action run whose steps its life goes with */
    runId: z.string().optional(),
    createdAtMs: z.number(),
    updatedAtMs: z.number(),
    reviewRequestedAtMs: z.number().optional(),
    deletionScheduledAtMs: z.number().optional(),
    /** in plain, since it is shown to those with the right to see it; made up by the emulator, never given by a caller */
    databasePassword: z.string(),
  })
  .readonly();
export type BranchRecord = z.output<typeof branchRecord>;
export const branches = { name: "branches", row: branchRecord } as const;
