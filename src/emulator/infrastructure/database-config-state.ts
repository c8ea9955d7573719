import { z } from "zod";
import { POOL_MODES } from "../../api/contract/pooler.ts";
import { postgresOverridesSchema } from "../../api/contract/postgres-config.ts";

/** Settings of a project's database: overridden settings, pooler, SSL enforcement. Defaults: facts.md §4. */

/** Only what the project overrides. */
export const postgresConfig = { name: "postgresConfig", row: postgresOverridesSchema.readonly(), default: {} } as const;

const poolerRecord = z
  .strictObject({
    /** null: as follows from the compute size */
    defaultPoolSize: z.number().nullable(),
    poolMode: z.enum(POOL_MODES),
  })
  .readonly();
export const pooler = {
  name: "pooler",
  row: poolerRecord,
  default: { defaultPoolSize: null, poolMode: "transaction" },
} as const;

const sslEnforcementRecord = z
  .strictObject({
    /** an older project cannot have it (facts.md §5, "ssl enforcement unsupported") */
    supported: z.boolean(),
    database: z.boolean(),
    /** when the database has taken the setting over */
    appliedAtMs: z.number(),
  })
  .readonly();
export const sslEnforcement = {
  name: "sslEnforcement",
  row: sslEnforcementRecord,
  default: { supported: true, database: false, appliedAtMs: 0 },
} as const;
