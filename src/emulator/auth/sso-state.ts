import { z } from "zod";
import { attributeMappingSchema, NAME_ID_FORMATS } from "../../api/contract/sso-providers.ts";

/** Identity providers of single sign-on as the emulated service remembers them. */

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
