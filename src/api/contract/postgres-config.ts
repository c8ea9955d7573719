import { z } from "zod";
import { CONFIG_GONE, USUAL_ERRORS_500, noQuery, projectParams, response } from "./fields.ts";
import { allOf, operation } from "./operation.ts";

/** Catalogue section "Database configuration": the settings of the relational database. */

/** What kind of value a setting takes, and whether a change of it waits for a restart of the database. */
export type PostgresSetting =
  /** a size; `unit` is what a bare number counts */
  | { readonly kind: "size"; readonly unit: string; readonly restart: boolean }
  /** a duration; `unit` is what a bare number counts */
  | { readonly kind: "duration"; readonly unit: string; readonly restart: boolean }
  | { readonly kind: "boolean"; readonly restart: boolean }
  | { readonly kind: "integer"; readonly min: number; readonly max: number; readonly restart: boolean }
  | { readonly kind: "enum"; readonly values: readonly [string, ...string[]]; readonly restart: boolean };

const now = { restart: false } as const;
const atRestart = { restart: true } as const;

const SESSION_REPLICATION_ROLES = ["origin", "replica", "local"] as const;

/**
 * Every setting by its name on the wire. Names and types: endpoints.md, PostgresConfig; ranges: facts.md §2, postgres config PUT, and
 * where it is silent the ones of the database; units and what needs a restart: the database's own (`pg_settings.unit`, `context`).
 */
export const POSTGRES_SETTINGS = {
  effective_cache_size: { kind: "size", unit: "8kB", ...now },
  logical_decoding_work_mem: { kind: "size", unit: "kB", ...now },
  log_autovacuum_min_duration: { kind: "duration", unit: "ms", ...now },
  log_startup_progress_interval: { kind: "duration", unit: "ms", ...now },
  log_temp_files: { kind: "size", unit: "kB", ...now },
  maintenance_work_mem: { kind: "size", unit: "kB", ...now },
  track_activity_query_size: { kind: "size", unit: "B", ...atRestart },
  max_slot_wal_keep_size: { kind: "size", unit: "MB", ...now },
  max_standby_archive_delay: { kind: "duration", unit: "ms", ...now },
  max_standby_streaming_delay: { kind: "duration", unit: "ms", ...now },
  max_wal_size: { kind: "size", unit: "MB", ...now },
  shared_buffers: { kind: "size", unit: "8kB", ...atRestart },
  statement_timeout: { kind: "duration", unit: "ms", ...now },
  wal_keep_size: { kind: "size", unit: "MB", ...now },
  wal_sender_timeout: { kind: "duration", unit: "ms", ...now },
  work_mem: { kind: "size", unit: "kB", ...now },
  checkpoint_timeout: { kind: "duration", unit: "s", ...now },
  "cron.log_statement": { kind: "boolean", ...atRestart },
  log_checkpoints: { kind: "boolean", ...now },
  log_connections: { kind: "boolean", ...now },
  log_disconnections: { kind: "boolean", ...now },
  log_duration: { kind: "boolean", ...now },
  log_lock_waits: { kind: "boolean", ...now },
  log_recovery_conflict_waits: { kind: "boolean", ...now },
  log_replication_commands: { kind: "boolean", ...now },
  track_commit_timestamp: { kind: "boolean", ...atRestart },
  hot_standby_feedback: { kind: "boolean", ...now },
  max_connections: { kind: "integer", min: 1, max: 262_143, ...atRestart },
  max_locks_per_transaction: { kind: "integer", min: 10, max: 2_147_483_640, ...atRestart },
  max_parallel_maintenance_workers: { kind: "integer", min: 0, max: 1024, ...now },
  max_parallel_workers: { kind: "integer", min: 0, max: 1024, ...now },
  max_parallel_workers_per_gather: { kind: "integer", min: 0, max: 1024, ...now },
  max_replication_slots: { kind: "integer", min: 0, max: 262_143, ...atRestart },
  max_wal_senders: { kind: "integer", min: 0, max: 262_143, ...atRestart },
  max_worker_processes: { kind: "integer", min: 0, max: 262_143, ...atRestart },
  session_replication_role: { kind: "enum", values: SESSION_REPLICATION_ROLES, ...now },
} as const satisfies Readonly<Record<string, PostgresSetting>>;

type PostgresSettings = typeof POSTGRES_SETTINGS;
export type PostgresSettingName = keyof PostgresSettings;

type PostgresValueSchema<S> = S extends { kind: "boolean" }
  ? z.ZodBoolean
  : S extends { kind: "integer" }
    ? z.ZodNumber
    : S extends { kind: "enum"; values: infer V extends readonly string[] }
      ? z.ZodEnum<{ [K in V[number]]: K }>
      : z.ZodString;

const SIZE = /^-?[0-9]+(\.[0-9]+)?\s*(B|kB|MB|GB|TB)?$/;
const DURATION = /^(-?[0-9]+(\.[0-9]+)?)(us|ms|s|min|h|d)?$/;

function requestSchema(setting: PostgresSetting): z.ZodType {
  switch (setting.kind) {
    case "size":
      return z
        .string()
        .regex(SIZE, `expected a size such as "64MB": a number with B, kB, MB, GB or TB, or none for ${setting.unit}`);
    case "duration":
      return z
        .string()
        .regex(
          DURATION,
          `expected a duration such as "60s": a number with us, ms, s, min, h or d, or none for ${setting.unit}`,
        );
    case "boolean":
      return z.boolean();
    case "integer":
      return z.number().int().min(setting.min).max(setting.max);
    case "enum":
      return z.enum(setting.values);
    default:
      return setting satisfies never;
  }
}

/** Responses are tolerant: no ranges, no forms, open enums. */
function responseSchema(setting: PostgresSetting): z.ZodType {
  if (setting.kind === "boolean") return z.boolean();
  return setting.kind === "integer" ? z.number().int() : z.string();
}

type PostgresRequestShape = {
  readonly [N in PostgresSettingName]: z.ZodOptional<PostgresValueSchema<PostgresSettings[N]>>;
};
type ResponseShape = {
  readonly [N in PostgresSettingName]: z.ZodOptional<
    PostgresSettings[N] extends { kind: "boolean" }
      ? z.ZodBoolean
      : PostgresSettings[N] extends { kind: "integer" }
        ? z.ZodNumber
        : z.ZodString
  >;
};

function shapeOf(schemaOf: (setting: PostgresSetting) => z.ZodType): Readonly<Record<string, z.ZodType>> {
  const settings: Readonly<Record<string, PostgresSetting>> = POSTGRES_SETTINGS;
  return Object.fromEntries(Object.entries(settings).map(([name, setting]) => [name, schemaOf(setting).optional()]));
}

// both shapes are made from the table that their types are derived from
const requestShape = shapeOf(requestSchema) as PostgresRequestShape;
const responseShape = shapeOf(responseSchema) as ResponseShape;

/** Values that a project overrides. */
export const postgresOverridesSchema = z.strictObject(requestShape);
export type PostgresOverrides = z.output<typeof postgresOverridesSchema>;

/** "only overrides are returned; untouched project → {}" (facts.md §3) */
export const postgresConfigSchema = response(responseShape);

const common = {
  method: "GET",
  path: "/v1/projects/{ref}/config/database/postgres",
  params: projectParams,
  query: noQuery,
  success: { kind: "json", status: 200, schema: postgresConfigSchema },
  limitScope: "project",
  stability: "stable",
} as const;

export const postgresConfig = {
  get: operation({
    ...common,
    id: "postgresConfig.get",
    summary: "Read the database settings that the project overrides",
    errors: [...CONFIG_GONE, ...USUAL_ERRORS_500],
    scopes: ["database:read"],
    permissions: allOf("database_config_read"),
    retry: "read",
  }),
  replace: operation({
    ...common,
    id: "postgresConfig.replace",
    summary: "Replace the whole set of overridden database settings; {} clears it",
    method: "PUT",
    body: {
      encoding: "json",
      /** restart_database: default true (facts.md §2) */
      schema: postgresOverridesSchema.extend({ restart_database: z.boolean().optional() }),
      verbatim: true,
    },
    errors: [400, 404, ...USUAL_ERRORS_500],
    scopes: ["database:write"],
    permissions: allOf("database_config_write"),
    retry: "idempotent",
  }),
} as const;
