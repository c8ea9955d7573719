import { z } from "zod";

/** Whose token it is and what it may do. Under its SHA-256, so that the token itself is kept nowhere. */
const tokenRecord = z.discriminatedUnion("kind", [
  /** "the same privileges as the user account" (behaviour.md, Authentication 2) */
  z.strictObject({ kind: z.literal("personal"), userId: z.string() }).readonly(),
  z
    .strictObject({
      kind: z.literal("fine-grained"),
      userId: z.string(),
      permissions: z.array(z.string()).readonly(),
    })
    .readonly(),
  /** an app's access token, under a grant of its user (oauth-state.ts) */
  z
    .strictObject({
      kind: z.literal("oauth"),
      userId: z.string(),
      grantId: z.string(),
      scopes: z.array(z.string()).readonly(),
      expiresAtMs: z.number(),
    })
    .readonly(),
]);
export type TokenRecord = z.output<typeof tokenRecord>;
export const tokens = { name: "tokens", row: tokenRecord } as const;
