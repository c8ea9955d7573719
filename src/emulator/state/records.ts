import { z } from "zod";
import {
  BRANCH_INSTANCE_SIZES,
  BRANCH_STATUSES,
  FUNCTION_STATUSES,
  ORGANIZATION_PLANS,
  PROJECT_STATUSES,
} from "../../api/contract/fields.ts";
import { lifeSchema } from "./life.ts";
import { releaseSchema } from "../projects/upgrade-state.ts";

/**
 * What the emulated service remembers of users, organizations, projects and branches. Plain data: records are replaced, never changed;
 * values of secrets are kept as digests only.
 */

export type ProjectStatus = (typeof PROJECT_STATUSES)[number];
export type BranchStatus = (typeof BRANCH_STATUSES)[number];

export const userSchema = z
  .strictObject({
    id: z.string(),
    username: z.string(),
    email: z.string(),
    mfaEnabled: z.boolean().optional(),
    /** signs in through the organization's identity provider */
    isSso: z.boolean().optional(),
    avatarUrl: z.string().optional(),
  })
  .readonly();
export type UserRecord = z.output<typeof userSchema>;

/** Whose token it is and what it may do. */
export const tokenSchema = z.discriminatedUnion("kind", [
  /** "the same privileges as the user account" (behaviour.md, Authentication 2) */
  z.strictObject({ kind: z.literal("personal"), userId: z.string() }).readonly(),
  z
    .strictObject({
      kind: z.literal("fine-grained"),
      userId: z.string(),
      permissions: z.array(z.string()).readonly(),
    })
    .readonly(),
  /** an app's access token, under a grant of its user (oauth-state.ts) */
  z
    .strictObject({
      kind: z.literal("oauth"),
      userId: z.string(),
      grantId: z.string(),
      scopes: z.array(z.string()).readonly(),
      expiresAtMs: z.number(),
    })
    .readonly(),
]);
export type TokenRecord = z.output<typeof tokenSchema>;

export const ROLES = ["Owner", "Administrator", "Developer", "Read-only"] as const;
export type Role = (typeof ROLES)[number];

/** How much an organization may have. */
const quotas = z
  .strictObject({ projects: z.number(), functionsPerProject: z.number(), secretsPerProject: z.number() })
  .readonly();
export type Quotas = z.output<typeof quotas>;

export const organizationSchema = z
  .strictObject({
    id: z.string(),
    slug: z.string(),
    name: z.string(),
    plan: z.enum(ORGANIZATION_PLANS),
    quotas,
    /** role by user id */
    members: z.record(z.string(), z.enum(ROLES)).readonly(),
  })
  .readonly();
export type OrganizationRecord = z.output<typeof organizationSchema>;

/** Under the secret's name. */
export const secretRecordSchema = z
  .strictObject({
    /** lower-case hex SHA-256 of the value */
    digest: z.string(),
    updatedAtMs: z.number(),
    /** set by the platform: listed, cannot be changed */
    platform: z.boolean(),
  })
  .readonly();
export type SecretRecord = z.output<typeof secretRecordSchema>;

const bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array, "expected bytes");
const storedFile = z.strictObject({ path: z.string(), content: bytes }).readonly();
export type StoredFile = z.output<typeof storedFile>;

/** What was uploaded last: files, or a bundle that somebody else made. */
const bundle = z
  .strictObject({
    files: z.array(storedFile).readonly(),
    entrypointPath: z.string().optional(),
    /** lower-case hex SHA-256 over the whole upload */
    sha256: z.string(),
  })
  .readonly();
export type BundleRecord = z.output<typeof bundle>;

/** Under the function's slug. */
export const functionRecordSchema = z
  .strictObject({
    id: z.string(),
    slug: z.string(),
    name: z.string(),
    status: z.enum(FUNCTION_STATUSES),
    version: z.number(),
    createdAtMs: z.number(),
    updatedAtMs: z.number(),
    verifyJwt: z.boolean(),
    importMap: z.boolean(),
    entrypointPath: z.string().optional(),
    importMapPath: z.string().optional(),
    staticPatterns: z.array(z.string()).readonly(),
    bundle: bundle.optional(),
    declaredSha256: z.string().optional(),
  })
  .readonly();
export type FunctionRecord = z.output<typeof functionRecordSchema>;

export const projectRecordSchema = z
  .strictObject({
    ref: z.string(),
    /** the integer `id` of ProjectRef */
    number: z.number(),
    name: z.string(),
    organizationSlug: z.string(),
    region: z.string(),
    instanceSize: z.enum(BRANCH_INSTANCE_SIZES),
    createdAtMs: z.number(),
    /** what its database runs, unless an upgrade came to its end: ask releaseOf */
    release: releaseSchema,
    /** what it runs from a time on, once it is UPGRADING no more */
    nextRelease: z.strictObject({ fromMs: z.number(), release: releaseSchema }).readonly().optional(),
    life: lifeSchema(PROJECT_STATUSES),
    /** when the project, deleted before, vanishes from every list */
    goneAtMs: z.number().optional(),
    /** project that this one is a branch of */
    branchOf: z.string().optional(),
    databasePassword: z.strictObject({ digest: z.string(), changes: z.number() }).readonly(),
    softBranchDeletion: z.boolean(),
  })
  .readonly();
export type ProjectRecord = z.output<typeof projectRecordSchema>;

export const branchRecordSchema = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    projectRef: z.string(),
    parentRef: z.string(),
    isDefault: z.boolean(),
    gitBranch: z.string().optional(),
    notifyUrl: z.string().optional(),
    persistent: z.boolean(),
    withData: z.boolean(),
    life: lifeSchema(BRANCH_STATUSES),
    /** the action run whose steps its life goes with */
    runId: z.string().optional(),
    createdAtMs: z.number(),
    updatedAtMs: z.number(),
    reviewRequestedAtMs: z.number().optional(),
    deletionScheduledAtMs: z.number().optional(),
    /** shown to those with the right to see it; made up by the emulator, never given by a caller */
    databasePassword: z.string(),
  })
  .readonly();
export type BranchRecord = z.output<typeof branchRecordSchema>;
