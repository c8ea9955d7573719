import { z } from "zod";
import { LOG_DRAIN_BACKENDS } from "../../api/contract/log-drains.ts";

/** A log drain as the emulated service remembers it: its configuration as it is shown, secrets as digests only. */

const configValue = z.union([z.string(), z.number(), z.boolean(), z.record(z.string(), z.string()).readonly()]);
export type LogDrainConfigValue = z.output<typeof configValue>;

/** Under the drain's id. */
export const logDrainRecord = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    description: z.string().optional(),
    backendType: z.enum(LOG_DRAIN_BACKENDS),
    /** as a read shows it */
    config: z.record(z.string(), configValue).readonly(),
    /** lower-case hex SHA-256 of each secret, by its path in the configuration */
    secretDigests: z.record(z.string(), z.string()).readonly(),
  })
  .readonly();
export type LogDrainRecord = z.output<typeof logDrainRecord>;
export const logDrains = { name: "logDrains", row: logDrainRecord } as const;
