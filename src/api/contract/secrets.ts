import { z } from "zod";
import { USUAL_ERRORS_500, noQuery, projectParams, response, secret } from "./fields.ts";
import { allOf, operation } from "./operation.ts";

/** Catalogue section "Secrets and API keys": the environment secrets of functions. */

/** Longest name, longest value and most items of one call (facts.md §2, secrets POST). */
export const SECRET_NAME_MAX = 256;
export const SECRET_VALUE_MAX = 24_576;
export const SECRETS_PER_CALL = 100;

/** `value` is the lower-case hex SHA-256 of the value, never the value (facts.md §2, secrets GET). */
export const secretSchema = response({ name: z.string(), value: z.string(), updated_at: z.string().optional() });
export type RemoteSecret = z.output<typeof secretSchema>;

const common = { limitScope: "project", stability: "stable" } as const;
const write = { scopes: ["secrets:write"], permissions: allOf("edge_functions_secrets_write") } as const;

export const secrets = {
  list: operation({
    ...common,
    id: "secrets.list",
    summary: "List the secrets of a project with digests of their values",
    method: "GET",
    path: "/v1/projects/{ref}/secrets",
    params: projectParams,
    query: noQuery,
    success: { kind: "json", status: 200, schema: z.array(secretSchema) },
    errors: [404, ...USUAL_ERRORS_500],
    scopes: ["secrets:read"],
    permissions: allOf("edge_functions_secrets_read"),
    retry: "read",
  }),
  create: operation({
    ...common,
    ...write,
    id: "secrets.create",
    summary: "Create or replace secrets in bulk",
    method: "POST",
    path: "/v1/projects/{ref}/secrets",
    params: projectParams,
    query: noQuery,
    body: {
      encoding: "json",
      schema: z
        .array(
          z.strictObject({
            name: z.string().min(1).max(SECRET_NAME_MAX),
            value: secret(z.string().max(SECRET_VALUE_MAX)),
          }),
        )
        .min(1)
        .max(SECRETS_PER_CALL),
    },
    success: { kind: "empty", status: 201 },
    errors: [400, 404, ...USUAL_ERRORS_500],
    retry: "once",
  }),
  delete: operation({
    ...common,
    ...write,
    id: "secrets.delete",
    summary: "Delete secrets by name",
    method: "DELETE",
    path: "/v1/projects/{ref}/secrets",
    params: projectParams,
    query: noQuery,
    body: { encoding: "json", schema: z.array(z.string().min(1)).min(1) },
    success: { kind: "empty", status: 200 },
    errors: [400, 404, ...USUAL_ERRORS_500],
    retry: "idempotent",
  }),
} as const;
