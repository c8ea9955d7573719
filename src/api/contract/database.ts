import { z } from "zod";
import { USUAL_ERRORS, USUAL_ERRORS_500, noQuery, projectParams, response, schemaNames, sqlText } from "./fields.ts";
import { allOf, anyOf, type LimitClass, operation } from "./operation.ts";

/** Catalogue section "Database: SQL and migrations": SQL and what is derived from a database's catalog. Migrations are in migrations.ts. */

/** Values of $1, $2, …; an SQL array or JSON document may be given as a JSON array or object. */
const sqlParameters = z
  .array(z.unknown())
  .max(65_535, "expected at most 65535 parameters, as many as a statement can have");

const queryBody = z.strictObject({
  query: sqlText,
  parameters: sqlParameters.optional(),
  read_only: z.boolean().optional(),
});
const readOnlyQueryBody = z.strictObject({ query: sqlText, parameters: sqlParameters.optional() });

/** Rows of the last result set; the catalogue shows no shape ("-> 201 {}"). */
export const rowsSchema = z.array(z.record(z.string(), z.unknown()));
export type Rows = z.output<typeof rowsSchema>;

const contextSchema = response({
  databases: z.array(response({ name: z.string(), schemas: z.array(response({ name: z.string() })) })),
});

/** "10 requests 1 minute" and "1 request 1 second (both limits apply)" (behaviour.md, Endpoint exceptions). */
const CONTEXT_LIMIT: LimitClass = {
  name: "database.context",
  windows: [
    { requests: 10, windowMs: 60_000 },
    { requests: 1, windowMs: 1000 },
  ],
};

const common = { params: projectParams, limitScope: "project" } as const;
const sql = {
  ...common,
  method: "POST",
  query: noQuery,
  success: { kind: "json", status: 201, schema: rowsSchema },
  errors: [400, 404, ...USUAL_ERRORS_500, 544],
  stability: "beta",
  retry: "once",
} as const;
const derived = {
  ...common,
  method: "GET",
  errors: [400, 404, ...USUAL_ERRORS_500, 544],
  scopes: ["database:read"],
  permissions: allOf("database_read"),
  stability: "stable",
  retry: "read",
} as const;

export const database = {
  query: operation({
    ...sql,
    id: "database.query",
    summary: "Run SQL; a token that may only read runs it read-only",
    path: "/v1/projects/{ref}/database/query",
    body: { encoding: "json", schema: queryBody },
    scopes: ["database:write"],
    permissions: anyOf("database_write", "database_read"),
  }),
  queryReadOnly: operation({
    ...sql,
    id: "database.queryReadOnly",
    summary: "Run SQL as the read-only database user; names of tables and functions need their schema",
    path: "/v1/projects/{ref}/database/query/read-only",
    body: { encoding: "json", schema: readOnlyQueryBody },
    scopes: ["database:read"],
    permissions: allOf("database_read"),
  }),
  typescriptTypes: operation({
    ...derived,
    id: "database.typescriptTypes",
    summary: "Generate TypeScript types of a database's schemas",
    path: "/v1/projects/{ref}/types/typescript",
    query: z.strictObject({ included_schemas: schemaNames.optional() }),
    success: { kind: "json", status: 200, schema: response({ types: z.string() }) },
  }),
  openapi: operation({
    ...derived,
    id: "database.openapi",
    summary: "Read the OpenAPI document of the REST layer",
    path: "/v1/projects/{ref}/database/openapi",
    query: z.strictObject({ schema: z.string().min(1).optional() }),
    success: { kind: "json", status: 200, schema: z.looseObject({}) },
  }),
  context: operation({
    ...derived,
    id: "database.context",
    summary: "List the databases of a project and their schemas",
    path: "/v1/projects/{ref}/database/context",
    query: noQuery,
    success: { kind: "json", status: 200, schema: contextSchema },
    errors: [400, 404, ...USUAL_ERRORS, 544],
    scopes: ["projects:read"],
    limitClass: CONTEXT_LIMIT,
    stability: "experimental",
    deprecated: true,
  }),
  enableWebhooks: operation({
    ...common,
    id: "database.enableWebhooks",
    summary: "Install what database webhooks need",
    method: "POST",
    path: "/v1/projects/{ref}/database/webhooks/enable",
    query: noQuery,
    success: { kind: "empty", status: 201 },
    errors: [400, 404, ...USUAL_ERRORS_500, 544],
    scopes: ["database:write"],
    permissions: allOf("database_webhooks_config_write"),
    stability: "beta",
    retry: "once",
  }),
} as const;
