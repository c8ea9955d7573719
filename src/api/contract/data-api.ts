import { z } from "zod";
import { USUAL_ERRORS_500, noQuery, projectParams, response } from "./fields.ts";
import { allOf, operation } from "./operation.ts";

/** Catalogue section "Realtime, REST layer, storage": the REST layer. */

const dataApiConfigSchema = response({
  /** comma-separated schemas; the empty string: the Data API is off (facts.md §2) */
  db_schema: z.string(),
  max_rows: z.number().int(),
  db_extra_search_path: z.string(),
  db_pool: z.number().int().nullish(),
});

export const dataApi = {
  get: operation({
    id: "dataApi.get",
    summary: "Read the configuration of the REST layer",
    method: "GET",
    path: "/v1/projects/{ref}/postgrest",
    params: projectParams,
    query: noQuery,
    success: { kind: "json", status: 200, schema: dataApiConfigSchema },
    errors: [404, ...USUAL_ERRORS_500],
    scopes: ["rest:read"],
    permissions: allOf("data_api_config_read"),
    limitScope: "project",
    stability: "stable",
    retry: "read",
  }),
} as const;
