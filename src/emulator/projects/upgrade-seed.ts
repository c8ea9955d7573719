import { z } from "zod";
import { UPGRADE_ERRORS, VALIDATION_ERROR_TYPES } from "../../api/contract/upgrades.ts";

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
