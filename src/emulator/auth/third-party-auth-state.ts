import { z } from "zod";

/** Other issuers whose tokens are accepted, and what stands at the URLs of their keys. */

const thirdPartyAuthRecord = z
  .strictObject({
    id: z.string(),
    source: z.discriminatedUnion("kind", [
      z.strictObject({ kind: z.literal("oidc"), url: z.string() }).readonly(),
      z.strictObject({ kind: z.literal("jwks"), url: z.string() }).readonly(),
      z.strictObject({ kind: z.literal("custom"), jwks: z.unknown() }).readonly(),
    ]),
    insertedAtMs: z.number(),
  })
  .readonly();
export type ThirdPartyAuthRecord = z.output<typeof thirdPartyAuthRecord>;

/** Under the integration's id. */
export const thirdPartyAuth = { name: "thirdPartyAuth", row: thirdPartyAuthRecord } as const;

/** What a seed and a control call say of a key set. */
export const publishedJwksSeed = z.strictObject({
  url: z.url(),
  /** null: there is none, and what asks for it stays unresolved */
  jwks: z.record(z.string(), z.unknown()).nullable(),
});

/** Under a URL: the key set that is found there, as a control call or the seed said; null: nothing is. */
export const publishedJwks = {
  name: "publishedJwks",
  row: z.strictObject({ jwks: z.record(z.string(), z.unknown()).nullable() }).readonly(),
} as const;
