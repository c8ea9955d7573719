import { z } from "zod";
import { RELEASE_CHANNELS } from "../../api/contract/fields.ts";
import {
  UPGRADE_ENGINES,
  UPGRADE_ERRORS,
  UPGRADE_PROGRESS,
  VALIDATION_ERROR_TYPES,
} from "../../api/contract/upgrades.ts";
import { lifeSchema } from "../state/life.ts";

/** Versions of PostgreSQL, and upgrades from one to another. */

/** One version that the platform runs or ran. */
export const releaseSchema = z
  .strictObject({
    /** such as 17.6.1.054 */
    version: z.string(),
    engine: z.enum(UPGRADE_ENGINES),
    channel: z.enum(RELEASE_CHANNELS),
  })
  .readonly();
export type PostgresRelease = z.output<typeof releaseSchema>;
/** what control calls published, by version */
export const releases = { name: "releases", row: releaseSchema } as const;

/** The last upgrade of a project. */
const upgradeRecord = z
  .strictObject({
    trackingId: z.string(),
    target: releaseSchema,
    initiatedAtMs: z.number(),
    progress: lifeSchema(UPGRADE_PROGRESS),
    /** the upgrade ends so, after the last step of `progress` has lasted its time */
    failure: z
      .strictObject({ error: z.enum(UPGRADE_ERRORS), atMs: z.number() })
      .readonly()
      .optional(),
  })
  .readonly();
export type EmulatedUpgrade = z.output<typeof upgradeRecord>;
/** null: never */
export const upgrades = { name: "upgrades", row: upgradeRecord.nullable(), default: null } as const;

const names = z.array(z.string()).readonly();

/** What stands in the way of a project's upgrade, and whether the next one fails. No operation sets it: seed and control calls do. */
const obstaclesRecord = z
  .strictObject({
    validationErrors: z
      .array(
        z
          .strictObject({ type: z.enum(VALIDATION_ERROR_TYPES), dependents: z.array(z.string()).readonly().optional() })
          .readonly(),
      )
      .readonly(),
    warnings: names,
    legacyAuthCustomRoles: names,
    objectsToBeDropped: names,
    unsupportedExtensions: names,
    userDefinedObjectsInInternalSchemas: names,
    /** how the next upgrade fails; null: it does not */
    nextError: z.enum(UPGRADE_ERRORS).nullable(),
  })
  .readonly();
export type UpgradeObstacles = z.output<typeof obstaclesRecord>;

const NO_OBSTACLES: UpgradeObstacles = {
  validationErrors: [],
  warnings: [],
  legacyAuthCustomRoles: [],
  objectsToBeDropped: [],
  unsupportedExtensions: [],
  userDefinedObjectsInInternalSchemas: [],
  nextError: null,
};
export const upgradeObstacles = { name: "upgradeObstacles", row: obstaclesRecord, default: NO_OBSTACLES } as const;
