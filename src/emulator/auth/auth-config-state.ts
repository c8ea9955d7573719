import { z } from "zod";

/** The auth configuration of a project as the emulated service remembers it: what was said, over the defaults of a fresh project. */

const authConfigRecord = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).readonly();
/** By field name; secrets as the digests that reads show. */
export type AuthConfigRecord = z.output<typeof authConfigRecord>;

const NOTHING_SAID: AuthConfigRecord = {};

export const authConfig = { name: "authConfig", row: authConfigRecord, default: NOTHING_SAID } as const;
