import { z } from "zod";
import { readsAuthConfig, writesAuthConfig } from "./auth-config-rights.ts";
import { USUAL_ERRORS, projectParams, refSchema, response, untold } from "./fields.ts";
import { operation } from "./operation.ts";

/** Catalogue section "SSO providers and third-party auth": other issuers whose tokens a project accepts. */

export const thirdPartyAuthSchema = response({
  id: z.string(),
  type: z.string(),
  oidc_issuer_url: z.string().nullish(),
  jwks_url: z.string().nullish(),
  /** inner shape not shown (behaviour.md, ThirdPartyAuth) */
  custom_jwks: z.unknown(),
  resolved_jwks: z.unknown(),
  inserted_at: z.string(),
  updated_at: z.string(),
  resolved_at: z.string().nullish(),
});
export type ThirdPartyAuth = z.output<typeof thirdPartyAuthSchema>;

const url = z.url({ protocol: /^https?$/, error: "expected an http or https URL" });

const createBody = z
  .strictObject({
    oidc_issuer_url: url.optional(),
    jwks_url: url.optional(),
    custom_jwks: untold(z.unknown()).optional(),
  })
  .refine(
    (body) =>
      [body.oidc_issuer_url, body.jwks_url, body.custom_jwks].filter((source) => source !== undefined).length === 1,
    "expected exactly one of oidc_issuer_url, jwks_url and custom_jwks",
  );
export type NewThirdPartyAuth = z.output<typeof createBody>;

const integrationParams = z.strictObject({ ref: refSchema, tpa_id: z.string().min(1) });

const oneIntegration = { kind: "json", status: 200, schema: thirdPartyAuthSchema } as const;

export const thirdPartyAuth = {
  create: operation({
    ...writesAuthConfig,
    id: "thirdPartyAuth.create",
    summary: "Accept the tokens of another issuer",
    method: "POST",
    path: "/v1/projects/{ref}/config/auth/third-party-auth",
    params: projectParams,
    body: { encoding: "json", schema: createBody },
    success: { ...oneIntegration, status: 201 },
    errors: [400, 404, ...USUAL_ERRORS],
    retry: "once",
  }),
  list: operation({
    ...readsAuthConfig,
    id: "thirdPartyAuth.list",
    summary: "List the other issuers that a project accepts",
    method: "GET",
    path: "/v1/projects/{ref}/config/auth/third-party-auth",
    params: projectParams,
    success: { kind: "json", status: 200, schema: z.array(thirdPartyAuthSchema) },
  }),
  get: operation({
    ...readsAuthConfig,
    id: "thirdPartyAuth.get",
    summary: "Read an issuer that a project accepts; its keys are resolved a while after it was added",
    method: "GET",
    path: "/v1/projects/{ref}/config/auth/third-party-auth/{tpa_id}",
    params: integrationParams,
    success: oneIntegration,
  }),
  delete: operation({
    ...writesAuthConfig,
    id: "thirdPartyAuth.delete",
    summary: "Accept the tokens of an issuer no longer",
    method: "DELETE",
    path: "/v1/projects/{ref}/config/auth/third-party-auth/{tpa_id}",
    params: integrationParams,
    success: oneIntegration,
    errors: [404, ...USUAL_ERRORS],
    retry: "idempotent",
  }),
} as const;
