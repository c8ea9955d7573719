import { z } from "zod";
import { RELEASE_CHANNELS, USUAL_ERRORS_500, noQuery, openEnum, projectParams, response } from "./fields.ts";
import { allOf, operation } from "./operation.ts";

/** Catalogue section "Projects": the upgrade of a project's database to another version. Enums: facts.md §1. */

/** facts.md §1: "13, 14 in eligibility" */
export const UPGRADE_ENGINES = ["13", "14", "15", "17", "17-oriole"] as const;

/** In the order in which an upgrade goes through them. */
export const UPGRADE_PROGRESS = [
  "0_requested",
  "1_started",
  "2_launched_upgraded_instance",
  "3_detached_volume_from_upgraded_instance",
  "4_attached_volume_to_original_instance",
  "5_initiated_data_upgrade",
  "6_completed_data_upgrade",
  "7_detached_volume_from_original_instance",
  "8_attached_volume_to_upgraded_instance",
  "9_completed_upgrade",
  "10_completed_post_physical_backup",
] as const;

/** Spelling as the service has it. Error n leaves the upgrade at progress n. */
export const UPGRADE_ERRORS = [
  "1_upgraded_instance_launch_failed",
  "2_volume_detachchment_from_upgraded_instance_failed",
  "3_volume_attachment_to_original_instance_failed",
  "4_data_upgrade_initiation_failed",
  "5_data_upgrade_completion_failed",
  "6_volume_detachchment_from_original_instance_failed",
  "7_volume_attachment_to_upgraded_instance_failed",
  "8_upgrade_completion_failed",
  "9_post_physical_backup_failed",
] as const;

export const VALIDATION_ERROR_TYPES = [
  "objects_depending_on_pg_cron",
  "indexes_referencing_ll_to_earth",
  "function_using_obsolete_lang",
  "unsupported_extension",
  "unsupported_fdw_handler",
  "unlogged_table_with_persistent_sequence",
  "user_defined_objects_in_internal_schemas",
  "active_replication_slot",
  "x86_architecture",
  "project_hibernating",
  "table_using_reg_type",
] as const;

/** `status` of an upgrade: under way, over without success, done */
export const UPGRADE_STATUS = { upgrading: 0, failed: 1, upgraded: 2 } as const;

const names = z.array(z.string());

export const eligibilitySchema = response({
  eligible: z.boolean(),
  current_app_version: z.string(),
  current_app_version_release_channel: openEnum(RELEASE_CHANNELS),
  latest_app_version: z.string(),
  target_upgrade_versions: z.array(
    response({
      postgres_version: openEnum(UPGRADE_ENGINES),
      release_channel: openEnum(RELEASE_CHANNELS),
      app_version: z.string(),
    }),
  ),
  duration_estimate_hours: z.number().int(),
  legacy_auth_custom_roles: names,
  objects_to_be_dropped: names,
  unsupported_extensions: names,
  user_defined_objects_in_internal_schemas: names,
  validation_errors: z.array(response({ type: openEnum(VALIDATION_ERROR_TYPES), dependents: names.optional() })),
  warnings: z.array(response({ type: z.string() })),
});
export type UpgradeEligibility = z.output<typeof eligibilitySchema>;

export const upgradeStatusSchema = response({
  databaseUpgradeStatus: response({
    initiated_at: z.string(),
    latest_status_at: z.string(),
    target_version: z.number().int(),
    error: openEnum(UPGRADE_ERRORS).nullish(),
    progress: openEnum(UPGRADE_PROGRESS).nullish(),
    status: z.number().int(),
  }).nullable(),
});
export type UpgradeStatus = z.output<typeof upgradeStatusSchema>;

const onProject = {
  params: projectParams,
  limitScope: "project",
  stability: "beta",
} as const;
const read = {
  scopes: ["projects:read"],
  permissions: allOf("project_admin_read", "database_read"),
  retry: "read",
} as const;

export const upgrades = {
  eligibility: operation({
    ...onProject,
    ...read,
    id: "upgrades.eligibility",
    summary: "Say whether and to what a project's database can be upgraded",
    method: "GET",
    path: "/v1/projects/{ref}/upgrade/eligibility",
    query: noQuery,
    success: { kind: "json", status: 200, schema: eligibilitySchema },
    errors: [404, ...USUAL_ERRORS_500],
  }),
  start: operation({
    ...onProject,
    id: "upgrades.start",
    summary: "Upgrade a project's database",
    method: "POST",
    path: "/v1/projects/{ref}/upgrade",
    query: noQuery,
    body: {
      encoding: "json",
      schema: z.strictObject({
        target_version: z.string().min(1),
        release_channel: z.enum(RELEASE_CHANNELS).optional(),
      }),
    },
    success: { kind: "json", status: 201, schema: response({ tracking_id: z.string() }) },
    errors: [400, 404, ...USUAL_ERRORS_500],
    scopes: ["projects:write"],
    permissions: allOf("project_admin_write", "database_write"),
    retry: "once",
  }),
  status: operation({
    ...onProject,
    ...read,
    id: "upgrades.status",
    summary: "Read how far a database upgrade is",
    method: "GET",
    path: "/v1/projects/{ref}/upgrade/status",
    query: z.strictObject({ tracking_id: z.string().optional() }),
    success: { kind: "json", status: 200, schema: upgradeStatusSchema },
    errors: [400, 404, ...USUAL_ERRORS_500],
  }),
} as const;
