import { z } from "zod";
import { RELEASE_CHANNELS } from "../../api/contract/fields.ts";
import { UPGRADE_ENGINES, UPGRADE_ERRORS, VALIDATION_ERROR_TYPES } from "../../api/contract/upgrades.ts";

/** A version of PostgreSQL that the platform publishes, as a seed and a control call say. */
export const releaseSeed = z.strictObject({
  version: z.string().regex(/^\d+(\.\d+)+$/, "a version such as 17.6.1.063"),
  engine: z.enum(UPGRADE_ENGINES).default("17"),
  channel: z.enum(RELEASE_CHANNELS).default("ga"),
});

/** What a seed and a control call say of what stands in the way of a project's upgrade. */

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
