import type { BRANCH_STATUSES, PROJECT_STATUSES } from "../../api/contract/fields.ts";
import type { Plan } from "../../api/contract/operation.ts";
import type { Life } from "./life.ts";

/** What the emulated service remembers. Plain data: records are replaced, never changed; values of secrets are kept as digests only. */

export type ProjectStatus = (typeof PROJECT_STATUSES)[number];
export type BranchStatus = (typeof BRANCH_STATUSES)[number];

export interface UserRecord {
  readonly id: string;
  readonly username: string;
  readonly email: string;
}

/** Whose token it is and what it may do. */
export type TokenRecord =
  /** "the same privileges as the user account" (behaviour.md, Authentication 2) */
  | { readonly kind: "personal"; readonly userId: string }
  | { readonly kind: "fine-grained"; readonly userId: string; readonly permissions: readonly string[] };

export type Role = "Owner" | "Administrator" | "Developer" | "Read-only";

/** How much an organization may have. */
export interface Quotas {
  readonly projects: number;
  readonly functionsPerProject: number;
  readonly secretsPerProject: number;
}

export interface OrganizationRecord {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly plan: Plan;
  readonly quotas: Quotas;
  /** role by user id */
  readonly members: Readonly<Record<string, Role>>;
}

export interface SecretRecord {
  /** lower-case hex SHA-256 of the value */
  readonly digest: string;
  readonly updatedAtMs: number;
  /** set by the platform: listed, cannot be changed */
  readonly platform: boolean;
}

export interface StoredFile {
  readonly path: string;
  readonly content: Uint8Array;
}

/** What was uploaded last: files, or a bundle that somebody else made. */
export interface BundleRecord {
  readonly files: readonly StoredFile[];
  readonly entrypointPath: string | undefined;
  /** lower-case hex SHA-256 over the whole upload */
  readonly sha256: string;
}

export interface FunctionRecord {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly status: "ACTIVE" | "REMOVED" | "THROTTLED";
  readonly version: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly verifyJwt: boolean;
  readonly importMap: boolean;
  readonly entrypointPath: string | undefined;
  readonly importMapPath: string | undefined;
  readonly staticPatterns: readonly string[];
  readonly bundle: BundleRecord | undefined;
  readonly declaredSha256: string | undefined;
}

export interface ProjectRecord {
  readonly ref: string;
  /** the integer `id` of ProjectRef */
  readonly number: number;
  readonly name: string;
  readonly organizationSlug: string;
  readonly region: string;
  readonly instanceSize: string;
  readonly createdAtMs: number;
  readonly postgresEngine: string;
  readonly postgresVersion: string;
  readonly releaseChannel: string;
  readonly life: Life<ProjectStatus>;
  /** when the project, deleted before, vanishes from every list */
  readonly goneAtMs: number | undefined;
  /** project that this one is a branch of */
  readonly branchOf: string | undefined;
  readonly databasePassword: { readonly digest: string; readonly changes: number };
  /** while it is off, the service `rest` is unhealthy for ever (facts.md §6.5) */
  readonly dataApi: boolean;
  readonly pitr: boolean;
  readonly softBranchDeletion: boolean;
  readonly functions: ReadonlyMap<string, FunctionRecord>;
  readonly secrets: ReadonlyMap<string, SecretRecord>;
}

export interface BranchRecord {
  readonly id: string;
  readonly name: string;
  readonly projectRef: string;
  readonly parentRef: string;
  readonly isDefault: boolean;
  readonly gitBranch: string | undefined;
  readonly notifyUrl: string | undefined;
  readonly persistent: boolean;
  readonly withData: boolean;
  readonly life: Life<BranchStatus>;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly reviewRequestedAtMs: number | undefined;
  readonly deletionScheduledAtMs: number | undefined;
  /** shown to those with the right to see it; made up by the emulator, never given by a caller */
  readonly credentials: { readonly databasePassword: string; readonly jwtSecret: string };
}
