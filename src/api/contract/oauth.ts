import { z } from "zod";
import { noParams, noQuery, openEnum, refSchema, response, secret, slugSchema } from "./fields.ts";
import { NO_PERMISSIONS, allOf, operation } from "./operation.ts";

/** Catalogue section "OAuth" (behaviour.md, Authentication 5). */

const RESPONSE_TYPES = ["code", "token", "id_token token"] as const;
export const CODE_CHALLENGE_METHODS = ["plain", "sha256", "S256"] as const;

export const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const GRANT_TYPES = ["authorization_code", "refresh_token", JWT_BEARER] as const;

/** All the scopes there are (behaviour.md, Authentication 4). */
export const OAUTH_SCOPES = [
  "analytics:read",
  "analytics_config:read",
  "analytics_config:write",
  "auth:read",
  "auth:write",
  "database:read",
  "database:write",
  "domains:read",
  "domains:write",
  "edge_functions:read",
  "edge_functions:write",
  "environment:read",
  "environment:write",
  "organizations:read",
  "projects:read",
  "projects:write",
  "rest:read",
  "rest:write",
  "secrets:read",
  "secrets:write",
  "storage:read",
] as const;

/** What both ways to ask for an authorization have. */
const authorization = {
  client_id: z.string().min(1),
  response_type: z.enum(RESPONSE_TYPES),
  redirect_uri: z.string().min(1),
  /** comes back unchanged */
  state: z.string().optional(),
  response_mode: z.string().optional(),
  code_challenge: z.string().min(1).optional(),
  code_challenge_method: z.enum(CODE_CHALLENGE_METHODS).optional(),
} as const;

const secretText = secret(z.string());

export const tokenResponseSchema = response({
  access_token: secretText,
  /** the catalogue has it always; RFC 6749 §5.1 leaves it open, so a client does without */
  refresh_token: secret(z.string().nullish()),
  /** seconds */
  expires_in: z.number().int().min(0),
  token_type: openEnum(["Bearer"]),
});
export type TokenResponse = z.output<typeof tokenResponseSchema>;

const beta = { params: noParams, limitScope: "identity", scopes: [], stability: "beta" } as const;

export const oauth = {
  authorize: operation({
    ...beta,
    id: "oauth.authorize",
    summary: "Ask a user to authorize an OAuth app; a browser is sent on to a consent page",
    method: "GET",
    path: "/v1/oauth/authorize",
    query: z.strictObject({
      ...authorization,
      /** scopes with blanks between them */
      scope: z.string().optional(),
      organization_slug: slugSchema.optional(),
      target_flow: z.string().optional(),
      /** resource indicator for tool-protocol clients */
      resource: z.string().optional(),
    }),
    success: { kind: "empty", status: 204 },
    browser: "sent on",
    errors: [400, 429],
    permissions: NO_PERMISSIONS,
    access: "public",
    retry: "read",
  }),
  authorizeProjectClaim: operation({
    ...beta,
    id: "oauth.authorizeProjectClaim",
    summary: "Start the flow after which a user can claim a project",
    method: "GET",
    path: "/v1/oauth/authorize/project-claim",
    query: z.strictObject({ project_ref: refSchema, ...authorization }),
    success: { kind: "empty", status: 204 },
    browser: "sent on",
    errors: [400, 401, 403, 404, 429],
    permissions: allOf("organization_admin_write", "project_admin_write"),
    apps: "none", // "a user can claim a project" (endpoints.md)
    stability: "stable",
    retry: "read",
  }),
  token: operation({
    ...beta,
    id: "oauth.token",
    summary: "Exchange a code, a refresh token or an assertion for an access token",
    method: "POST",
    path: "/v1/oauth/token",
    query: noQuery,
    body: {
      encoding: "form",
      schema: z.strictObject({
        grant_type: z.enum(GRANT_TYPES).optional(),
        client_id: z.string().optional(),
        client_secret: secretText.optional(),
        code: secretText.optional(),
        code_verifier: secretText.optional(),
        redirect_uri: z.string().optional(),
        refresh_token: secretText.optional(),
        assertion: secretText.optional(),
        resource: z.string().optional(),
        scope: z.string().optional(),
      }),
    },
    success: { kind: "json", status: 200, schema: tokenResponseSchema },
    errors: [400, 401, 429],
    permissions: NO_PERMISSIONS,
    access: "public",
    retry: "once",
  }),
  revoke: operation({
    ...beta,
    id: "oauth.revoke",
    summary: "Revoke a refresh token and what was issued with it",
    method: "POST",
    path: "/v1/oauth/revoke",
    query: noQuery,
    body: {
      encoding: "json",
      orForm: true,
      schema: z.strictObject({ client_id: z.string(), client_secret: secretText, refresh_token: secretText }),
    },
    success: { kind: "empty", status: 204 },
    errors: [400, 401, 429],
    permissions: NO_PERMISSIONS,
    access: "public",
    retry: "once",
  }),
} as const;
