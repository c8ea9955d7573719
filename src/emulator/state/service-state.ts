import { z } from "zod";
import { BRANCH_STATUSES, PROJECT_STATUSES } from "../../api/contract/fields.ts";
import { settingsChangeSchema, settingsSchema } from "./settings.ts";

/** What is true of the emulated service as a whole, beside its tables. */

/** Names a project or branch that shall stop in a status; also one that does not exist yet, by its name. */
export const holdRule = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("project"), refOrName: z.string(), at: z.enum(PROJECT_STATUSES) }).readonly(),
  z.strictObject({ kind: z.literal("branch"), refOrName: z.string(), at: z.enum(BRANCH_STATUSES) }).readonly(),
]);
export type HoldRule = z.output<typeof holdRule>;

export const serviceSchema = z
  .strictObject({
    settings: settingsSchema.readonly(),
    /** what this start was told, and what was said since: goes before `settings` until the next start */
    told: settingsChangeSchema.readonly().optional(),
    holds: z.array(holdRule).readonly(),
    /** the last integer id that was given */
    lastNumber: z.number(),
    /** how far the emulator's time is ahead of its clock, milliseconds */
    aheadMs: z.number(),
  })
  .readonly();
export type ServiceState = z.output<typeof serviceSchema>;
