import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { operationOf, type OperationId } from "./operation-id.ts";

const FACTS = readFileSync(new URL("../../../docs/contract/facts.md", import.meta.url), "utf8");

/** Where values are declared: "body", "query", "params" or "answer" of an operation, and the way down from there. */
interface Place {
  readonly id: OperationId;
  readonly at: string;
}

/** Values that facts.md §1 lists: `words` stand there so, `and` are those that it writes in another form. */
interface Row {
  readonly words: string;
  readonly and?: readonly string[];
  readonly places: readonly Place[];
}

const at = (id: OperationId, ...paths: readonly string[]): readonly Place[] => paths.map((path) => ({ id, at: path }));

const SIZES = ["2xlarge", "4xlarge", "8xlarge", "12xlarge", "16xlarge"].concat(
  ["24xlarge", "48xlarge"].flatMap((size) => [
    size,
    `${size}_optimized_memory`,
    `${size}_optimized_cpu`,
    `${size}_high_memory`,
  ]),
);
const COMPUTE = ["micro", "small", "medium", "large", "xlarge", ...SIZES].map((size) => `ci_${size}`);
const APPLICABLE = [...COMPUTE, "cd_default", "ipv4_default"];

const ROWS: readonly Row[] = [
  {
    words:
      "INACTIVE, ACTIVE_HEALTHY, ACTIVE_UNHEALTHY, COMING_UP, UNKNOWN, GOING_DOWN, INIT_FAILED, REMOVED, RESTORING, UPGRADING, PAUSING, RESTORE_FAILED, RESTARTING, PAUSE_FAILED, RESIZING",
    and: ["PROMOTING"],
    places: [
      ...at("projects.get", "answer.status"),
      ...at("branches.list", "answer.[].preview_project_status"),
      ...at("branches.get", "answer.status"),
      ...at("organizations.listProjects", "answer.projects.[].status"),
    ],
  },
  {
    words:
      "ACTIVE_HEALTHY, ACTIVE_UNHEALTHY, COMING_UP, GOING_DOWN, INIT_FAILED, REMOVED, RESTORING, UNKNOWN, INIT_READ_REPLICA, INIT_READ_REPLICA_FAILED, RESTARTING, RESIZING",
    places: at("organizations.listProjects", "answer.projects.[].databases.[].status"),
  },
  {
    words: "PRIMARY, READ_REPLICA",
    places: [
      ...at("organizations.listProjects", "answer.projects.[].databases.[].type"),
      ...at("pooler.get", "answer.[].database_type"),
    ],
  },
  {
    words: "gp3, io2",
    places: [
      ...at("organizations.listProjects", "answer.projects.[].databases.[].disk_type"),
      ...at("disk.get", "answer.attributes.type"),
      ...at("disk.update", "body.attributes.type"),
    ],
  },
  {
    words:
      "CREATING_PROJECT, RUNNING_MIGRATIONS, MIGRATIONS_PASSED, MIGRATIONS_FAILED, FUNCTIONS_DEPLOYED, FUNCTIONS_FAILED",
    places: [...at("branches.update", "body.status", "answer.status"), ...at("branches.list", "answer.[].status")],
  },
  {
    words: "CREATED, DEAD, EXITED, PAUSED, REMOVING, RESTARTING, RUNNING",
    places: [
      ...at("actions.get", "answer.run_steps.[].status"),
      ...at("actions.updateStatus", "body.clone", "body.pull", "body.health", "body.configure"),
      ...at("actions.updateStatus", "body.migrate", "body.seed", "body.deploy"),
    ],
  },
  {
    words: "1_not_started, 2_initiated, 3_challenge_verified, 4_origin_setup_completed, 5_services_reconfigured",
    places: at("customHostname.get", "answer.status"),
  },
  { words: "not-used, custom-domain-used, active", places: at("vanitySubdomain.get", "answer.status") },
  {
    words:
      "0_requested, 1_started, 2_launched_upgraded_instance, 3_detached_volume_from_upgraded_instance, 4_attached_volume_to_original_instance, 5_initiated_data_upgrade, 6_completed_data_upgrade, 7_detached_volume_from_original_instance, 8_attached_volume_to_upgraded_instance, 9_completed_upgrade, 10_completed_post_physical_backup",
    places: at("upgrades.status", "answer.databaseUpgradeStatus.progress"),
  },
  {
    words:
      "1_upgraded_instance_launch_failed, 2_volume_detachchment_from_upgraded_instance_failed, 3_volume_attachment_to_original_instance_failed, 4_data_upgrade_initiation_failed, 5_data_upgrade_completion_failed, 6_volume_detachchment_from_original_instance_failed, 7_volume_attachment_to_upgraded_instance_failed, 8_upgrade_completion_failed, 9_post_physical_backup_failed",
    places: at("upgrades.status", "answer.databaseUpgradeStatus.error"),
  },
  {
    words:
      "indexes_referencing_ll_to_earth, function_using_obsolete_lang, unsupported_extension, unsupported_fdw_handler, unlogged_table_with_persistent_sequence, user_defined_objects_in_internal_schemas, active_replication_slot, x86_architecture, project_hibernating",
    and: ["objects_depending_on_pg_cron", "table_using_reg_type"],
    places: at("upgrades.eligibility", "answer.validation_errors.[].type"),
  },
  {
    words: "in_use, previously_used, revoked, standby",
    places: at("signingKeys.update", "body.status", "answer.status"),
  },
  { words: "in_use, standby", places: at("signingKeys.create", "body.status") },
  {
    words: "EdDSA, ES256, RS256, HS256",
    places: at("signingKeys.create", "body.algorithm", "answer.algorithm"),
  },
  { words: "legacy, publishable, secret", places: at("apiKeys.get", "answer.type") },
  { words: "publishable, secret", places: at("apiKeys.create", "body.type") },
  {
    words: "custom_domain, compute_instance, pitr, ipv4, auth_mfa_phone, auth_mfa_web_authn, log_drain",
    and: ["etl_pipeline"],
    places: [
      ...at("addons.list", "answer.selected_addons.[].type", "answer.available_addons.[].type"),
      ...at("addons.apply", "body.addon_type"),
    ],
  },
  {
    words: "pitr_7, pitr_14, pitr_28",
    and: [...APPLICABLE, "auth_mfa_phone_default", "auth_mfa_web_authn_default", "log_drain_default"],
    places: at("addons.list", "answer.selected_addons.[].variant.id"),
  },
  {
    words: "pitr_7, pitr_14, pitr_28",
    and: APPLICABLE,
    places: [...at("addons.apply", "body.addon_variant"), ...at("addons.remove", "params.addon_variant")],
  },
  {
    words: "nano, micro, small, medium, large, xlarge",
    and: SIZES,
    places: [
      ...at("projects.create", "body.desired_instance_size"),
      ...at("projects.availableRegions", "query.desired_instance_size"),
    ],
  },
  {
    words: "nano, micro, small, medium, large, xlarge",
    and: [...SIZES, "pico"],
    places: [
      ...at("branches.create", "body.desired_instance_size"),
      ...at("organizations.listProjects", "answer.projects.[].databases.[].infra_compute_size"),
    ],
  },
  {
    words:
      "us-east-1, us-east-2, us-west-1, us-west-2, ap-east-1, ap-southeast-1, ap-southeast-2, ap-northeast-1, ap-northeast-2, ap-south-1, eu-west-1, eu-west-2, eu-west-3, eu-north-1, eu-central-1, eu-central-2, ca-central-1, sa-east-1",
    places: [...at("projects.create", "body.region"), ...at("readReplicas.setup", "body.read_replica_region")],
  },
  {
    words: "internal, alpha, beta, ga, withdrawn, preview",
    places: [
      ...at("projects.get", "answer.database.release_channel"),
      ...at("projects.listRestoreVersions", "answer.available_versions.[].release_channel"),
      ...at("branches.create", "body.release_channel"),
      ...at("upgrades.start", "body.release_channel"),
      ...at("upgrades.eligibility", "answer.current_app_version_release_channel"),
      ...at("upgrades.eligibility", "answer.target_upgrade_versions.[].release_channel"),
      ...at("organizations.get", "answer.allowed_release_channels.[]"),
    ],
  },
  {
    words: "15, 17, 17-oriole",
    places: [
      ...at("branches.create", "body.postgres_engine"),
      ...at("projects.listRestoreVersions", "answer.available_versions.[].postgres_engine"),
    ],
  },
  {
    words: "15, 17, 17-oriole",
    and: ["13", "14"],
    places: at("upgrades.eligibility", "answer.target_upgrade_versions.[].postgres_version"),
  },
  { words: "free, pro, team, enterprise, platform", places: at("organizations.get", "answer.plan") },
  { words: "free, pro", places: at("projects.create", "body.plan") },
  {
    words: "ACTIVE, REMOVED, THROTTLED",
    places: [...at("functions.get", "answer.status"), ...at("functions.bulkUpdate", "body.[].status")],
  },
  {
    words: "transaction, session",
    places: [...at("pooler.get", "answer.[].pool_mode"), ...at("pooler.update", "body.pool_mode")],
  },
  { words: "transaction, session", and: ["statement"], places: at("pooler.getPgbouncer", "answer.pool_mode") },
  {
    words: "postgres, bigquery, clickhouse, webhook, datadog, loki, sentry, s3, axiom, last9, otlp, syslog",
    places: [
      ...at("logDrains.create", "body.data.attributes.backend_type", "answer.data.attributes.backend_type"),
      ...at("logDrains.update", "body.data.attributes.backend_type"),
    ],
  },
  {
    words: "auth, db, db_postgres_user, pooler, realtime, rest, storage, pg_bouncer",
    places: at("projects.health", "query.services.[]", "answer.[].name"),
  },
  { words: "COMING_UP, ACTIVE_HEALTHY, UNHEALTHY", places: at("projects.health", "answer.[].status") },
  {
    words: "messagebird, textlocal, twilio, twilio_verify, vonage",
    places: at("authConfig.update", "body.sms_provider", "answer.sms_provider"),
  },
  {
    words: "COMPLETED, FAILED, PENDING, REMOVED, ARCHIVED, CANCELLED",
    places: at("backups.list", "answer.backups.[].status"),
  },
  {
    words: "origin, replica, local",
    places: at("postgresConfig.replace", "body.session_replication_role"),
  },
  {
    words: "main, canary",
    places: [
      ...at("storage.update", "body.external.upstreamTarget"),
      ...at("storage.get", "answer.external.upstreamTarget"),
    ],
  },
  {
    words: "code, token",
    and: ["id_token token"],
    places: [
      ...at("oauth.authorize", "query.response_type"),
      ...at("oauth.authorizeProjectClaim", "query.response_type"),
    ],
  },
  { words: "plain, sha256, S256", places: at("oauth.authorize", "query.code_challenge_method") },
];

/** Sets that facts.md writes with another mark between the values. */
const FURTHER: readonly (Row & { readonly mark: string })[] = [
  {
    mark: "/",
    words: "disallowed/allowed",
    places: at("networkRestrictions.get", "answer.entitlement"),
  },
  { mark: "/", words: "stored/applied", places: at("networkRestrictions.get", "answer.status") },
  { mark: "/", words: "v4/v6", places: at("networkRestrictions.update", "answer.config.dbAllowedCidrs.[].type") },
  { mark: "/", words: "americas/emea/apac", places: at("projects.availableRegions", "answer.all.smartGroup.[].code") },
  { mark: "/", words: "fixed/usage", places: at("addons.list", "answer.selected_addons.[].variant.price.type") },
  {
    mark: "/",
    words: "monthly/hourly",
    places: at("addons.list", "answer.selected_addons.[].variant.price.interval"),
  },
  { mark: "/", words: "enabled/disabled", places: at("jitAccess.update", "body.state") },
  {
    mark: "/",
    words: "connections/percent",
    places: at("authConfig.update", "body.db_max_pool_size_unit", "answer.db_max_pool_size_unit"),
  },
  { mark: "/", words: "turnstile/hcaptcha", places: at("authConfig.update", "body.security_captcha_provider") },
  { mark: "/", words: "ERROR/WARN/INFO", places: at("advisors.security", "answer.lints.[].level") },
  {
    mark: "/",
    words: "PERFORMANCE/SECURITY",
    and: ["HEALTH"],
    places: at("advisors.security", "answer.lints.[].categories.[]"),
  },
  { mark: "/", words: "http1/http2", places: at("logDrains.create", "body.data.attributes.config.http") },
  {
    mark: ",",
    words: "15min,30min,1hr,3hr,1day,3day,7day",
    places: at("analytics.apiCounts", "query.interval"),
  },
  { mark: ",", words: "15min,1hr,3hr,1day", places: at("analytics.functionStats", "query.interval") },
];

type Json = Readonly<Record<string, unknown>>;
const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null;

function schemaOf({ id, at: path }: Place): z.ZodType {
  const { params, query, body, success } = operationOf(id);
  const [part] = path.split(".");
  if (part === "params") return params;
  if (part === "query") return query;
  const spec = part === "body" ? body : success;
  if (spec === undefined || !("schema" in spec)) throw new RangeError(`${id} has no ${path}`);
  return spec.schema;
}

/** Values at a path, of all alternatives on the way. */
function valuesIn(schema: unknown, [step, ...further]: readonly string[]): readonly unknown[] {
  if (!isJson(schema)) return [];
  const { anyOf, oneOf, properties, items } = schema;
  const alternatives = [anyOf, oneOf].flatMap((all): readonly unknown[] => (Array.isArray(all) ? all : []));
  if (alternatives.length > 0) {
    return alternatives.flatMap((one) => valuesIn(one, step === undefined ? [] : [step, ...further]));
  }
  if (step === undefined) return [schema["enum"], schema["const"], schema["x-known-values"]].flat();
  return valuesIn(step === "[]" ? items : isJson(properties) ? properties[step] : undefined, further);
}

function declared(place: Place): readonly string[] {
  const io = place.at.startsWith("answer") ? "output" : "input";
  const [, ...steps] = place.at.split(".");
  const values = valuesIn(z.toJSONSchema(schemaOf(place), { io, unrepresentable: "any" }), steps);
  return [...new Set(values.filter((value) => typeof value === "string"))].toSorted();
}

const cases = [...ROWS.map((row) => ({ ...row, mark: ", " })), ...FURTHER].flatMap(
  ({ words, mark, and = [], places }) => places.map((place) => ({ ...place, words, mark, and })),
);

describe("the values of facts.md §1", () => {
  test.each(cases)("are those of $id $at: $words", ({ words, mark, and, ...place }) => {
    expect(FACTS).toContain(words);
    expect(declared(place)).toEqual([...words.split(mark), ...and].toSorted());
  });
});
