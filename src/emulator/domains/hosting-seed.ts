import { z } from "zod";
import { INSTANCE_SIZES, ORGANIZATION_PLANS, REGIONS } from "../../api/contract/fields.ts";
import { UPGRADE_ERRORS, VALIDATION_ERROR_TYPES } from "../../api/contract/upgrades.ts";

/** What a seed may say of a project's buckets and upgrade, of room in regions, and of name servers. */

export const bucketSeed = z.strictObject({
  name: z.string().min(1).max(100),
  public: z.boolean().default(false),
  /** id of the user who made it; default: nobody */
  owner: z.string().default(""),
});
export type BucketSeed = z.output<typeof bucketSeed>;

const names = z.array(z.string()).default([]);
export const upgradeSeed = z.strictObject({
  validationErrors: z
    .array(z.strictObject({ type: z.enum(VALIDATION_ERROR_TYPES), dependents: z.array(z.string()).optional() }))
    .default([]),
  warnings: names,
  legacyAuthCustomRoles: names,
  objectsToBeDropped: names,
  unsupportedExtensions: names,
  userDefinedObjectsInInternalSchemas: names,
  /** how the next upgrade fails */
  nextError: z.enum(UPGRADE_ERRORS).nullable().default(null),
});
export type UpgradeSeed = z.output<typeof upgradeSeed>;

/** Fields of a project in a seed. */
export const projectHostingSeed = {
  /** a version that the platform knows, such as 15.8.1.085; default: the newest */
  postgresVersion: z.string().optional(),
  buckets: z.array(bucketSeed).default([]),
  upgrade: upgradeSeed.optional(),
} as const;

export const dnsSeed = z.strictObject({
  name: z.string().min(1),
  /** what is answered for the name itself */
  texts: z.array(z.string()).default([]),
  /** for every name under it, whatever a verification asks for is answered */
  obeys: z.boolean().default(false),
});
export type DnsSeed = z.output<typeof dnsSeed>;

/** The largest size there is: a region that takes it takes all. */
export const LARGEST_SIZE = "48xlarge_high_memory";

/** Fields of a seed itself. */
export const hostingSeed = {
  dns: z.array(dnsSeed).default([]),
  regions: z
    .array(
      z.strictObject({
        region: z.enum(REGIONS),
        /** null: none fits */
        largestSize: z.enum(INSTANCE_SIZES).nullable().default(LARGEST_SIZE),
        plans: z.array(z.enum(ORGANIZATION_PLANS)).optional(),
      }),
    )
    .default([]),
} as const;
