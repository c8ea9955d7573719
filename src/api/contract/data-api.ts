import { z } from "zod";
import { USUAL_ERRORS_500, noQuery, projectParams, response, secret } from "./fields.ts";
import { allOf, operation } from "./operation.ts";

/** Catalogue section "Realtime, REST layer, storage": the REST layer. */

const dataApiConfigSchema = response({
  /** comma-separated schemas; the empty string: the Data API is off (facts.md §2) */
  db_schema: z.string(),
  max_rows: z.number().int(),
  db_extra_search_path: z.string(),
  /** null: automatic */
  db_pool: z.number().int().nullish(),
});

/** With the secret that signs tokens, for those with the permission for it. */
const dataApiConfigWithSecretSchema = dataApiConfigSchema.extend({ jwt_secret: secret(z.string().nullish()) });

/** "max_rows 0–1,000,000; db_pool 0–1000 (null when automatic)" (facts.md §2, postgrest PATCH) */
const dataApiUpdate = z.strictObject({
  db_schema: z.string().optional(),
  max_rows: z.number().int().min(0).max(1_000_000).optional(),
  db_extra_search_path: z.string().optional(),
  db_pool: z.number().int().min(0).max(1000).nullable().optional(),
});

const onProject = {
  path: "/v1/projects/{ref}/postgrest",
  params: projectParams,
  query: noQuery,
  limitScope: "project",
  stability: "stable",
} as const;

export const dataApi = {
  get: operation({
    ...onProject,
    id: "dataApi.get",
    summary: "Read the configuration of the REST layer",
    method: "GET",
    success: { kind: "json", status: 200, schema: dataApiConfigWithSecretSchema },
    errors: [404, ...USUAL_ERRORS_500],
    scopes: ["rest:read"],
    permissions: allOf("data_api_config_read"),
    secretPermission: "data_api_config_secret_read",
    retry: "read",
  }),
  update: operation({
    ...onProject,
    id: "dataApi.update",
    summary: "Change the configuration of the REST layer; what is not said stays",
    method: "PATCH",
    body: { encoding: "json", schema: dataApiUpdate },
    success: { kind: "json", status: 200, schema: dataApiConfigSchema },
    errors: [400, 404, ...USUAL_ERRORS_500],
    scopes: ["rest:write"],
    permissions: allOf("data_api_config_write"),
    retry: "once",
  }),
} as const;
