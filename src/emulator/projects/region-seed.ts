import { z } from "zod";
import { INSTANCE_SIZES, ORGANIZATION_PLANS, REGIONS } from "../../api/contract/fields.ts";

/** The largest size there is: a region that takes it takes all. */
export const LARGEST_SIZE = "48xlarge_high_memory";

/** What a seed says of the room in a region. */
export const regionSeed = z.strictObject({
  region: z.enum(REGIONS),
  /** null: none fits */
  largestSize: z.enum(INSTANCE_SIZES).nullable().default(LARGEST_SIZE),
  plans: z.array(z.enum(ORGANIZATION_PLANS)).optional(),
});
