import { z } from "zod";
import { USUAL_ERRORS, noQuery, openEnum, projectParams, queryBoolean, refSchema, response, secret } from "./fields.ts";
import { allOf, operation } from "./operation.ts";

/** Catalogue section "Secrets and API keys": the keys by which programs reach a project's own APIs. */

/** Every kind; keys of kind `legacy` are made by the platform only (facts.md §1). */
const API_KEY_TYPES = ["legacy", "publishable", "secret"] as const;
export const NEW_API_KEY_TYPES = ["publishable", "secret"] as const;

/** What a caller needs beside the right to list keys to see them whole (facts.md §6.9). */
export const REVEAL_PERMISSION = "api_gateway_keys_secret_read";

/** "Only `name` is certain" (facts.md §3). */
export const apiKeySchema = response({
  name: z.string(),
  /** masked unless the caller asked to have it revealed */
  api_key: secret(z.string()).nullish(),
  /** the name, for a key of kind `legacy` (facts.md §4) */
  id: z.string().nullish(),
  type: openEnum(API_KEY_TYPES).nullish(),
  prefix: z.string().nullish(),
  description: z.string().nullish(),
  hash: z.string().nullish(),
  secret_jwt_template: z.record(z.string(), z.unknown()).nullish(),
  inserted_at: z.string().nullish(),
  updated_at: z.string().nullish(),
});
export type ApiKey = z.output<typeof apiKeySchema>;

/** 4–64 characters (facts.md §2, api key name). */
const apiKeyName = z
  .string()
  .min(4)
  .max(64)
  .regex(/^[a-z_][a-z0-9_]+$/, "an API key's name starts with a-z or _ and has a-z, 0-9 and _ only");

const settings = {
  description: z.string().optional(),
  secret_jwt_template: z.record(z.string(), z.unknown()).optional(),
};

const keyParams = z.strictObject({ ref: refSchema, id: z.string().min(1) });
const revealQuery = z.strictObject({ reveal: queryBoolean.optional() });
const reveals = { query: revealQuery, secretPermission: REVEAL_PERMISSION } as const;
const common = { limitScope: "project", stability: "stable" } as const;
const read = { scopes: ["secrets:read"], permissions: allOf("api_gateway_keys_read"), retry: "read" } as const;
const write = { scopes: ["secrets:write"], permissions: allOf("api_gateway_keys_write") } as const;
const oneKey = { kind: "json", status: 200, schema: apiKeySchema } as const;
const legacySchema = response({ enabled: z.boolean() });

export const apiKeys = {
  list: operation({
    ...common,
    ...read,
    id: "apiKeys.list",
    summary: "List the API keys of a project",
    method: "GET",
    path: "/v1/projects/{ref}/api-keys",
    params: projectParams,
    ...reveals,
    success: { kind: "json", status: 200, schema: z.array(apiKeySchema) },
    errors: [400, 404, ...USUAL_ERRORS],
  }),
  create: operation({
    ...common,
    ...write,
    id: "apiKeys.create",
    summary: "Create an API key",
    method: "POST",
    path: "/v1/projects/{ref}/api-keys",
    params: projectParams,
    ...reveals,
    body: {
      encoding: "json",
      schema: z.strictObject({ type: z.enum(NEW_API_KEY_TYPES), name: apiKeyName, ...settings }),
    },
    success: { kind: "json", status: 201, schema: apiKeySchema },
    errors: [400, 404, ...USUAL_ERRORS],
    retry: "once",
  }),
  get: operation({
    ...common,
    ...read,
    id: "apiKeys.get",
    summary: "Read an API key",
    method: "GET",
    path: "/v1/projects/{ref}/api-keys/{id}",
    params: keyParams,
    ...reveals,
    success: oneKey,
    errors: [400, 404, ...USUAL_ERRORS],
  }),
  update: operation({
    ...common,
    ...write,
    id: "apiKeys.update",
    summary: "Change the name, description or token template of an API key",
    method: "PATCH",
    path: "/v1/projects/{ref}/api-keys/{id}",
    params: keyParams,
    ...reveals,
    body: { encoding: "json", schema: z.strictObject({ name: apiKeyName.optional(), ...settings }) },
    success: oneKey,
    errors: [400, 404, ...USUAL_ERRORS],
    retry: "once",
  }),
  delete: operation({
    ...common,
    ...write,
    id: "apiKeys.delete",
    summary: "Delete an API key for good",
    method: "DELETE",
    path: "/v1/projects/{ref}/api-keys/{id}",
    params: keyParams,
    ...reveals,
    query: revealQuery.extend({ was_compromised: queryBoolean.optional(), reason: z.string().optional() }),
    success: oneKey,
    errors: [400, 404, ...USUAL_ERRORS],
    retry: "idempotent",
  }),
  getLegacy: operation({
    ...common,
    ...read,
    deprecated: true,
    id: "apiKeys.getLegacy",
    summary: "Read whether the legacy keys are enabled; 404 once the endpoint is removed",
    method: "GET",
    path: "/v1/projects/{ref}/api-keys/legacy",
    params: projectParams,
    query: noQuery,
    success: { kind: "json", status: 200, schema: legacySchema },
    errors: [404, ...USUAL_ERRORS],
  }),
  updateLegacy: operation({
    ...common,
    ...write,
    deprecated: true,
    id: "apiKeys.updateLegacy",
    summary: "Enable or disable the legacy keys, both together; 404 once the endpoint is removed",
    method: "PUT",
    path: "/v1/projects/{ref}/api-keys/legacy",
    params: projectParams,
    query: z.strictObject({ enabled: queryBoolean }),
    success: { kind: "json", status: 200, schema: legacySchema },
    errors: [400, 404, ...USUAL_ERRORS],
    retry: "idempotent",
  }),
} as const;
