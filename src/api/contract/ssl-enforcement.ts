import { z } from "zod";
import { USUAL_ERRORS_500, noQuery, projectParams, response } from "./fields.ts";
import { allOf, operation } from "./operation.ts";

/** Catalogue section "Database configuration": whether connections to the database must be encrypted. */

export const sslEnforcementSchema = response({
  currentConfig: response({ database: z.boolean() }),
  /** false while the database has not taken the setting over yet (facts.md §5, "Success bodies") */
  appliedSuccessfully: z.boolean(),
});
export type SslEnforcement = z.output<typeof sslEnforcementSchema>;

const common = {
  path: "/v1/projects/{ref}/ssl-enforcement",
  params: projectParams,
  query: noQuery,
  success: { kind: "json", status: 200, schema: sslEnforcementSchema },
  /** 400: the project does not support it; its body is a bare JSON string (facts.md §5) */
  errors: [400, 404, ...USUAL_ERRORS_500],
  bareErrors: [400],
  limitScope: "project",
  stability: "beta",
} as const;

export const sslEnforcement = {
  get: operation({
    ...common,
    id: "sslEnforcement.get",
    summary: "Read whether the database enforces SSL",
    method: "GET",
    scopes: ["database:read"],
    permissions: allOf("database_ssl_config_read"),
    retry: "read",
  }),
  update: operation({
    ...common,
    id: "sslEnforcement.update",
    summary: "Set whether the database enforces SSL; a change reboots the database",
    method: "PUT",
    body: {
      encoding: "json",
      schema: z.strictObject({ requestedConfig: z.strictObject({ database: z.boolean() }) }),
    },
    scopes: ["database:write"],
    permissions: allOf("database_ssl_config_write"),
    retry: "idempotent",
  }),
} as const;
