import { z } from "zod";

/** People who use the platform, under their ids. */
const userRecord = z
  .strictObject({
    id: z.string(),
    username: z.string(),
    email: z.string(),
    mfaEnabled: z.boolean().optional(),
    /** signs in through the organization's identity provider */
    isSso: z.boolean().optional(),
    avatarUrl: z.string().optional(),
  })
  .readonly();
export type UserRecord = z.output<typeof userRecord>;
export const users = { name: "users", row: userRecord } as const;
