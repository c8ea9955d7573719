import { z } from "zod";
import { attributeMappingSchema, NAME_ID_FORMATS } from "../../api/contract/sso-providers.ts";

/** Identity providers of single sign-on, and other issuers whose tokens are accepted, as the emulated service remembers them. */

const ssoDomain = z
  .strictObject({ id: z.string(), domain: z.string(), createdAtMs: z.number(), updatedAtMs: z.number() })
  .readonly();
export type SsoDomainRecord = z.output<typeof ssoDomain>;

const ssoProviderRecord = z
  .strictObject({
    id: z.string(),
    samlId: z.string(),
    entityId: z.string(),
    metadataXml: z.string().optional(),
    metadataUrl: z.string().optional(),
    attributeMapping: attributeMappingSchema.readonly().optional(),
    nameIdFormat: z.enum(NAME_ID_FORMATS).optional(),
    domains: z.array(ssoDomain).readonly(),
    createdAtMs: z.number(),
    updatedAtMs: z.number(),
  })
  .readonly();
export type SsoProviderRecord = z.output<typeof ssoProviderRecord>;

/** Under the provider's id. */
export const ssoProviders = { name: "ssoProviders", row: ssoProviderRecord } as const;

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

/** Under a URL: the key set that is found there, as a control call or the seed said; null: nothing is. */
export const publishedJwks = {
  name: "publishedJwks",
  row: z.strictObject({ jwks: z.record(z.string(), z.unknown()).nullable() }).readonly(),
} as const;
