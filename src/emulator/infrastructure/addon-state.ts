import { z } from "zod";
import { ADDON_VARIANTS } from "../../api/contract/addons.ts";
import { BRANCH_INSTANCE_SIZES } from "../../api/contract/fields.ts";

/** Selected add-ons. The compute size is the project's own (`instanceSize`); here is only what it was before. */

/** Under the add-on's type; compute_instance is never among them. */
const addonRecord = z.strictObject({ variant: z.enum(ADDON_VARIANTS), sinceMs: z.number() }).readonly();
export const addons = { name: "addons", row: addonRecord } as const;

const computeRecord = z
  .strictObject({
    /** what the removal of the compute add-on goes back to; null: it was never changed */
    previousSize: z.enum(BRANCH_INSTANCE_SIZES).nullable(),
  })
  .readonly();
export const computeHistory = { name: "computeHistory", row: computeRecord, default: { previousSize: null } } as const;
