import { z } from "zod";

/** A secret in the environment of a project's functions, under its name: the value itself is not kept. */
const secretRecord = z
  .strictObject({
    /** lower-case hex SHA-256 of the value */
    digest: z.string(),
    updatedAtMs: z.number(),
    /** set by the platform: listed, cannot be changed */
    platform: z.boolean(),
  })
  .readonly();
export type SecretRecord = z.output<typeof secretRecord>;
export const secrets = { name: "secrets", row: secretRecord } as const;
