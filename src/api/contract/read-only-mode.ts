import { z } from "zod";
import { USUAL_ERRORS_500, noQuery, projectParams, response } from "./fields.ts";
import { allOf, operation } from "./operation.ts";

/** Catalogue section "Database: SQL and migrations": the read-only mode of a database whose disk is full. */

const readOnlyModeSchema = response({
  enabled: z.boolean(),
  override_enabled: z.boolean(),
  /** empty or null while no override is active */
  override_active_until: z.string().nullish(),
});

const common = { params: projectParams, query: noQuery, limitScope: "project", stability: "stable" } as const;

export const readOnlyMode = {
  get: operation({
    ...common,
    id: "readOnlyMode.get",
    summary: "Read whether the database is read-only",
    method: "GET",
    path: "/v1/projects/{ref}/readonly",
    success: { kind: "json", status: 200, schema: readOnlyModeSchema },
    errors: [404, ...USUAL_ERRORS_500],
    scopes: ["database:read"],
    permissions: allOf("database_readonly_config_read"),
    retry: "read",
  }),
  disableTemporarily: operation({
    ...common,
    id: "readOnlyMode.disableTemporarily",
    summary: "Let the database write for the next 15 minutes although it is read-only",
    method: "POST",
    path: "/v1/projects/{ref}/readonly/temporary-disable",
    success: { kind: "empty", status: 201, body: {} },
    errors: [404, ...USUAL_ERRORS_500],
    scopes: ["database:write"],
    permissions: allOf("database_readonly_config_write"),
    retry: "once",
  }),
} as const;
