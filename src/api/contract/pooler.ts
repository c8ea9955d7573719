import { z } from "zod";
import { CONFIG_GONE, DATABASE_TYPES, USUAL_ERRORS_500, noQuery, openEnum, projectParams, response } from "./fields.ts";
import { allOf, operation } from "./operation.ts";

/** Catalogue section "Database configuration": connection pooling. */

/** Modes of the shared pooler; the dedicated one also knows `statement` (facts.md §1). */
export const POOL_MODES = ["transaction", "session"] as const;
const PGBOUNCER_POOL_MODES = [...POOL_MODES, "statement"] as const;

/** Largest default_pool_size (facts.md §2). */
const POOL_SIZE_MAX = 3000;

const poolerSchema = response({
  identifier: z.string(),
  database_type: openEnum(DATABASE_TYPES),
  is_using_scram_auth: z.boolean(),
  db_user: z.string(),
  db_host: z.string(),
  db_port: z.number().int(),
  db_name: z.string(),
  connection_string: z.string(),
  connectionString: z.string().optional(),
  /** null by default (facts.md §3) */
  default_pool_size: z.number().int().nullable(),
  max_client_conn: z.number().int().nullable(),
  pool_mode: openEnum(POOL_MODES),
});
export type PoolerConfig = z.output<typeof poolerSchema>;

const pgbouncerSchema = response({
  default_pool_size: z.number().int().optional(),
  ignore_startup_parameters: z.string().optional(),
  max_client_conn: z.number().int().optional(),
  pool_mode: openEnum(PGBOUNCER_POOL_MODES).optional(),
  connection_string: z.string().optional(),
  server_idle_timeout: z.number().int().optional(),
  server_lifetime: z.number().int().optional(),
  query_wait_timeout: z.number().int().optional(),
  reserve_pool_size: z.number().int().optional(),
});

const common = { params: projectParams, query: noQuery, limitScope: "project", stability: "stable" } as const;

export const pooler = {
  get: operation({
    ...common,
    id: "pooler.get",
    summary: "Read the connection pooler of every database of the project",
    method: "GET",
    path: "/v1/projects/{ref}/config/database/pooler",
    success: { kind: "json", status: 200, schema: z.array(poolerSchema) },
    errors: [...CONFIG_GONE, ...USUAL_ERRORS_500],
    scopes: ["database:read"],
    permissions: allOf("database_pooling_config_read"),
    retry: "read",
  }),
  update: operation({
    ...common,
    id: "pooler.update",
    summary: "Change the connection pooler",
    method: "PATCH",
    path: "/v1/projects/{ref}/config/database/pooler",
    body: {
      encoding: "json",
      schema: z.strictObject({
        /** null: the size that follows from the compute size */
        default_pool_size: z.number().int().min(0).max(POOL_SIZE_MAX).nullable().optional(),
        pool_mode: z.enum(POOL_MODES).optional(),
      }),
    },
    success: {
      kind: "json",
      status: 200,
      schema: response({ default_pool_size: z.number().int().nullable(), pool_mode: openEnum(POOL_MODES) }),
    },
    errors: [400, 404, ...USUAL_ERRORS_500],
    scopes: ["database:write"],
    permissions: allOf("database_pooling_config_write"),
    retry: "once",
  }),
  getPgbouncer: operation({
    ...common,
    id: "pooler.getPgbouncer",
    summary: "Read the dedicated pooler of the project",
    method: "GET",
    path: "/v1/projects/{ref}/config/database/pgbouncer",
    success: { kind: "json", status: 200, schema: pgbouncerSchema },
    errors: [...CONFIG_GONE, ...USUAL_ERRORS_500],
    scopes: ["database:read"],
    permissions: allOf("database_read"),
    retry: "read",
  }),
} as const;
