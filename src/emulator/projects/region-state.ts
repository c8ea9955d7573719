import { z } from "zod";
import { INSTANCE_SIZES, ORGANIZATION_PLANS, type REGIONS } from "../../api/contract/fields.ts";

/** Where the platform has room. */

const regionCapacity = z
  .strictObject({
    /** the largest size that still fits; null: none does */
    largestSize: z.enum(INSTANCE_SIZES).nullable(),
    /** plans that may use the region; absent: all */
    plans: z.array(z.enum(ORGANIZATION_PLANS)).readonly().optional(),
  })
  .readonly();

export type Region = (typeof REGIONS)[number];
/** By the region's code; one without a row has room for everything. */
export const regions = { name: "regions", row: regionCapacity } as const;
