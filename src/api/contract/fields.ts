import { z } from "zod";

/** Field types and value tables that several sections of the catalogue share. Sources: facts.md §1 and §2. */

/**
 * An enum of a response: any string passes, the values known today are documented. "Every response enum is open" (facts.md, head).
 */
export function openEnum(values: readonly string[]): z.ZodString {
  return z.string().meta({ "x-known-values": values });
}

/** A response object: the declared fields are checked, others are kept. */
export const response = z.looseObject;

/** Query parameter given by callers as boolean, on the wire "true" or "false". */
export const queryBoolean = z.boolean();

/**
 * Marks a field whose value is never shown: redacted in messages and logs (secret-fields.ts). Applied last, since every method of a
 * schema makes a new one without the mark.
 */
export function secret<S extends z.ZodType>(schema: S): S {
  return schema.meta({ "x-secret": true });
}

/** Schemas of what answers show, and neither a log nor a refusal: a key of somebody's, or what one signs in with. */
export const UNTOLD = z.registry();

/** Marks a field so. Applied last, as `secret` is. */
export function untold<S extends z.ZodType>(schema: S): S {
  UNTOLD.add(schema);
  return schema;
}

/** SQL of a request; it is known by being this very schema (secret-fields.ts), so that what it tells of secrets is hidden in logs. */
export const sqlText = z.string().min(1, "expected SQL, at least one character");

/** Marks a field of a request that the catalogue calls deprecated: it is still taken. Applied last, as `secret` is. */
export function deprecated<S extends z.ZodType>(schema: S): S {
  return schema.meta({ deprecated: true });
}

export const refSchema = z.string().regex(/^[a-z]{20}$/, "a project ref is exactly 20 lower-case letters");
export const slugSchema = z.string().regex(/^[\w-]+$/, "an organization slug has letters, digits, _ and - only");
/** Not marked as deprecated, which only a part of it is: of two forms of a text, generators of clients make one type. */
export const branchIdOrRefSchema = z
  .union([refSchema, z.uuid("a branch's id is a uuid")])
  .describe("Ref of the branch. Its id is still taken, and deprecated: write the ref.");

export const REGIONS = [
  "us-east-1",
  "us-east-2",
  "us-west-1",
  "us-west-2",
  "ap-east-1",
  "ap-southeast-1",
  "ap-southeast-2",
  "ap-northeast-1",
  "ap-northeast-2",
  "ap-south-1",
  "eu-west-1",
  "eu-west-2",
  "eu-west-3",
  "eu-north-1",
  "eu-central-1",
  "eu-central-2",
  "ca-central-1",
  "sa-east-1",
] as const;
export const SMART_GROUPS = ["americas", "emea", "apac"] as const;

const LARGE_SIZES = [
  "24xlarge",
  "24xlarge_optimized_memory",
  "24xlarge_optimized_cpu",
  "24xlarge_high_memory",
  "48xlarge",
  "48xlarge_optimized_memory",
  "48xlarge_optimized_cpu",
  "48xlarge_high_memory",
] as const;
/** desired_instance_size of a new project. */
export const INSTANCE_SIZES = [
  "nano",
  "micro",
  "small",
  "medium",
  "large",
  "xlarge",
  "2xlarge",
  "4xlarge",
  "8xlarge",
  "12xlarge",
  "16xlarge",
  ...LARGE_SIZES,
] as const;
/** desired_instance_size of a new branch; infra_compute_size. */
export const BRANCH_INSTANCE_SIZES = ["pico", ...INSTANCE_SIZES] as const;

export const PROJECT_STATUSES = [
  "INACTIVE",
  "ACTIVE_HEALTHY",
  "ACTIVE_UNHEALTHY",
  "COMING_UP",
  "UNKNOWN",
  "GOING_DOWN",
  "INIT_FAILED",
  "REMOVED",
  "RESTORING",
  "UPGRADING",
  "PAUSING",
  "RESTORE_FAILED",
  "RESTARTING",
  "PAUSE_FAILED",
  "RESIZING",
  "PROMOTING",
] as const;
/** Status of one database of a project, primary or read replica. */
export const DATABASE_STATUSES = [
  "ACTIVE_HEALTHY",
  "ACTIVE_UNHEALTHY",
  "COMING_UP",
  "GOING_DOWN",
  "INIT_FAILED",
  "REMOVED",
  "RESTORING",
  "UNKNOWN",
  "INIT_READ_REPLICA",
  "INIT_READ_REPLICA_FAILED",
  "RESTARTING",
  "RESIZING",
] as const;
export const DATABASE_TYPES = ["PRIMARY", "READ_REPLICA"] as const;
export const DISK_TYPES = ["gp3", "io2"] as const;
export const BRANCH_STATUSES = [
  "CREATING_PROJECT",
  "RUNNING_MIGRATIONS",
  "MIGRATIONS_PASSED",
  "MIGRATIONS_FAILED",
  "FUNCTIONS_DEPLOYED",
  "FUNCTIONS_FAILED",
] as const;
export const FUNCTION_STATUSES = ["ACTIVE", "REMOVED", "THROTTLED"] as const;
export const HEALTH_SERVICES = [
  "auth",
  "db",
  "db_postgres_user",
  "pooler",
  "realtime",
  "rest",
  "storage",
  "pg_bouncer",
] as const;
export const HEALTH_STATUSES = ["COMING_UP", "ACTIVE_HEALTHY", "UNHEALTHY"] as const;
export const RELEASE_CHANNELS = ["internal", "alpha", "beta", "ga", "withdrawn", "preview"] as const;
export const POSTGRES_ENGINES = ["15", "17", "17-oriole"] as const;
/** Plans that are paid for: what the plan free does not have. */
export const PAID_PLANS = ["pro", "team", "enterprise"] as const;
export const ORGANIZATION_PLANS = ["free", "pro", "team", "enterprise", "platform"] as const;

/** Path parameters of an operation on one project. */
export const projectParams = z.strictObject({ ref: refSchema });
export const noParams = z.strictObject({});
export const noQuery = z.strictObject({});

/** Body of a failed request: `{"message": "…"}` (facts.md §5); 5xx may add errorEventId. */
export const errorBodySchema = response({ message: z.string(), errorEventId: z.string().optional() });

/** The answer of calls that only say that they did it. */
export const messageSchema = response({ message: z.string() });

/** How a read of its configuration tells that a project was deleted: "404 or **406**" (facts.md §5). */
export const CONFIG_GONE = [404, 406] as const;

/** Failures that the catalogue lists for most operations. */
export const USUAL_ERRORS = [401, 403, 429] as const;
export const USUAL_ERRORS_500 = [401, 403, 429, 500] as const;

/** Of PostgreSQL's schemas. No name there has a NUL, which no text of the database can hold. */
export const schemaNames = z
  .string()
  // oxlint-disable-next-line no-control-regex -- a NUL is what is refused, written as clients in all languages read it in the OpenAPI document
  .regex(/^[^,\x00]+(,[^,\x00]+)*$/, "expected names of schemas with commas between them, such as public,auth");
