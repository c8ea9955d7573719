import { z } from "zod";
import { USUAL_ERRORS_500, noQuery, projectParams, refSchema, response, sqlText } from "./fields.ts";
import { allOf, type LimitClass, operation } from "./operation.ts";

/**
 * Catalogue section "Database: SQL and migrations": a database's history of migrations. "Personal tokens pass; an OAuth app passes only
 * where its registration says partner" (facts.md §2, migrations).
 */

const version = z.string().regex(/^\d+$/, "expected the version of a migration, digits only, such as 20260131120000");
const name = z.string().min(1, "expected a name, at least one character");

const migrationBody = z.strictObject({ query: sqlText, name: name.optional(), rollback: sqlText.optional() });
const changeBody = z.strictObject({ name: name.optional(), rollback: sqlText.optional() });

const migrationEntrySchema = response({ version: z.string(), name: z.string().nullish() });

export const migrationSchema = migrationEntrySchema.extend({
  statements: z.array(z.string()).nullish(),
  rollback: z.array(z.string()).nullish(),
  created_by: z.string().nullish(),
  idempotency_key: z.string().nullish(),
});

/** "120 requests 3 minutes" (behaviour.md, Endpoint exceptions). */
const APPLY_MIGRATION_LIMIT: LimitClass = {
  name: "migrations.apply",
  windows: [{ requests: 120, windowMs: 180_000 }],
};

const common = { apps: "partner", limitScope: "project", stability: "stable" } as const;
const ofProject = { ...common, path: "/v1/projects/{ref}/database/migrations", params: projectParams } as const;
const oneMigration = {
  ...common,
  path: "/v1/projects/{ref}/database/migrations/{version}",
  params: z.strictObject({ ref: refSchema, version }),
  query: noQuery,
} as const;
const errors = [400, 404, ...USUAL_ERRORS_500, 544] as const;
const read = { scopes: ["database:read"], permissions: allOf("database_migrations_read"), errors } as const;
const write = {
  scopes: ["database:write"],
  permissions: allOf("database_migrations_write"),
  success: { kind: "empty", status: 200, body: {} },
  errors,
} as const;

export const migrations = {
  list: operation({
    ...ofProject,
    ...read,
    id: "migrations.list",
    summary: "List the migrations that a database has had",
    method: "GET",
    query: noQuery,
    success: { kind: "json", status: 200, schema: z.array(migrationEntrySchema) },
    retry: "read",
  }),
  apply: operation({
    ...ofProject,
    ...write,
    id: "migrations.apply",
    summary: "Apply a migration and put it into the history",
    method: "POST",
    query: noQuery,
    body: { encoding: "json", schema: migrationBody },
    limitClass: APPLY_MIGRATION_LIMIT,
    retry: "once",
  }),
  upsert: operation({
    ...ofProject,
    ...write,
    id: "migrations.upsert",
    summary: "Put a migration into the history without applying it; one of the same name is replaced",
    method: "PUT",
    query: noQuery,
    body: { encoding: "json", schema: migrationBody },
    retry: "idempotent",
  }),
  rollback: operation({
    ...ofProject,
    ...write,
    id: "migrations.rollback",
    summary: "Roll back the migrations from a version on and take them out of the history",
    method: "DELETE",
    query: z.strictObject({ gte: version }),
    retry: "idempotent",
  }),
  get: operation({
    ...oneMigration,
    ...read,
    id: "migrations.get",
    summary: "Read a migration with its statements",
    method: "GET",
    success: { kind: "json", status: 200, schema: migrationSchema },
    retry: "read",
  }),
  update: operation({
    ...oneMigration,
    ...write,
    id: "migrations.update",
    summary: "Change the name or the rollback of a migration",
    method: "PATCH",
    body: { encoding: "json", schema: changeBody },
    retry: "once",
  }),
} as const;
