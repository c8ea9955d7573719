import { z } from "zod";
import { readsAuthConfig, writesAuthConfig } from "./auth-config-rights.ts";
import { USUAL_ERRORS, openEnum, projectParams, refSchema, response } from "./fields.ts";
import { operation } from "./operation.ts";

/** Catalogue section "SSO providers and third-party auth": the identity providers of single sign-on. */

export const NAME_ID_FORMATS = [
  "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified",
  "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress",
  "urn:oasis:names:tc:SAML:2.0:nameid-format:transient",
  "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
] as const;

const domainSchema = response({
  id: z.string(),
  domain: z.string(),
  created_at: z.string().nullish(),
  updated_at: z.string().nullish(),
});

const mappedAttributeSchema = response({
  name: z.string().nullish(),
  names: z.array(z.string()).nullish(),
  default: z.unknown().optional(),
  array: z.boolean().nullish(),
});

export const ssoProviderSchema = response({
  id: z.string(),
  saml: response({
    id: z.string(),
    entity_id: z.string(),
    metadata_url: z.string().nullish(),
    metadata_xml: z.string().nullish(),
    attribute_mapping: response({ keys: z.record(z.string(), mappedAttributeSchema) }).nullish(),
    name_id_format: openEnum(NAME_ID_FORMATS).nullish(),
  }).nullish(),
  domains: z.array(domainSchema).nullish(),
  created_at: z.string().nullish(),
  updated_at: z.string().nullish(),
});
export type SsoProvider = z.output<typeof ssoProviderSchema>;

/** From which attribute of an assertion a claim comes. */
export const attributeMappingSchema = z.strictObject({
  keys: z.record(
    z.string(),
    z.strictObject({
      name: z.string().optional(),
      names: z.array(z.string()).optional(),
      default: z.unknown().optional(),
      array: z.boolean().optional(),
    }),
  ),
});

const domain = z
  .string()
  .trim()
  .min(1)
  .max(253)
  .regex(/^[^\s,@/:]+$/, "expected the name of a domain, such as example.com");

const settings = {
  metadata_xml: z.string().min(1).optional(),
  metadata_url: z.url({ protocol: /^https?$/, error: "expected an http or https URL" }).optional(),
  domains: z.array(domain).optional(),
  attribute_mapping: attributeMappingSchema.optional(),
  name_id_format: z.enum(NAME_ID_FORMATS).optional(),
};

type MetadataFields = { readonly metadata_xml?: string | undefined; readonly metadata_url?: string | undefined };
const notBoth = ({ metadata_xml: xml, metadata_url: url }: MetadataFields): boolean =>
  xml === undefined || url === undefined;
const NOT_BOTH = "expected metadata_xml or metadata_url, not both";

const createBody = z
  .strictObject({ type: z.enum(["saml"]), ...settings })
  .refine(notBoth, NOT_BOTH)
  .refine(
    ({ metadata_xml: xml, metadata_url: url }) => xml !== undefined || url !== undefined,
    "expected metadata_xml or metadata_url: the provider's description is needed",
  );
const updateBody = z.strictObject(settings).refine(notBoth, NOT_BOTH);
export type SsoProviderSettings = z.output<typeof updateBody>;

const providerParams = z.strictObject({ ref: refSchema, provider_id: z.string().min(1) });

const oneProvider = { kind: "json", status: 200, schema: ssoProviderSchema } as const;

export const ssoProviders = {
  create: operation({
    ...writesAuthConfig,
    id: "ssoProviders.create",
    summary: "Add an identity provider",
    method: "POST",
    path: "/v1/projects/{ref}/config/auth/sso/providers",
    params: projectParams,
    body: { encoding: "json", schema: createBody },
    success: { ...oneProvider, status: 201 },
    errors: [400, 404, ...USUAL_ERRORS],
    retry: "once",
  }),
  list: operation({
    ...readsAuthConfig,
    id: "ssoProviders.list",
    summary: "List the identity providers of a project",
    method: "GET",
    path: "/v1/projects/{ref}/config/auth/sso/providers",
    params: projectParams,
    success: { kind: "json", status: 200, schema: response({ items: z.array(ssoProviderSchema) }) },
  }),
  get: operation({
    ...readsAuthConfig,
    id: "ssoProviders.get",
    summary: "Read an identity provider",
    method: "GET",
    path: "/v1/projects/{ref}/config/auth/sso/providers/{provider_id}",
    params: providerParams,
    success: oneProvider,
  }),
  update: operation({
    ...writesAuthConfig,
    id: "ssoProviders.update",
    summary: "Replace the sent settings of an identity provider; domains is the full list",
    method: "PUT",
    path: "/v1/projects/{ref}/config/auth/sso/providers/{provider_id}",
    params: providerParams,
    body: { encoding: "json", schema: updateBody },
    success: oneProvider,
    errors: [400, 404, ...USUAL_ERRORS],
    retry: "idempotent",
  }),
  delete: operation({
    ...writesAuthConfig,
    id: "ssoProviders.delete",
    summary: "Remove an identity provider",
    method: "DELETE",
    path: "/v1/projects/{ref}/config/auth/sso/providers/{provider_id}",
    params: providerParams,
    success: oneProvider,
    errors: [404, ...USUAL_ERRORS],
    retry: "idempotent",
  }),
} as const;
