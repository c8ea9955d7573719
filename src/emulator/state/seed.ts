import { z } from "zod";
import {
  BRANCH_STATUSES,
  ORGANIZATION_PLANS,
  PROJECT_STATUSES,
  REGIONS,
  refSchema,
  slugSchema,
} from "../../api/contract/fields.ts";
import { authConfigUpdateSchema } from "../../api/contract/auth-config.ts";
import { ROLE_NAMES } from "../../api/contract/organization-members.ts";
import { newFunctionSlug } from "../../api/contract/functions.ts";
import { SECRET_NAME_MAX, SECRET_VALUE_MAX } from "../../api/contract/secrets.ts";
import { permissionSchema } from "../access/known-permissions.ts";
import { tokenText } from "../access/token-text.ts";
import { oauthAppSeedSchema } from "../oauth/oauth-apps.ts";
import { infrastructureSeedShape } from "../infrastructure/infrastructure-seed.ts";
import { JIT_UNAVAILABLE_REASONS } from "../../api/contract/jit.ts";
import { publishedJwksSeed } from "../auth/third-party-auth-state.ts";
import { runFailureOrder } from "../branches/run-failure-state.ts";
import { bundleFailureOrder } from "../functions/bundle-failure-state.ts";
import { dnsSeed } from "../domains/dns-seed.ts";
import { regionSeed } from "../projects/region-seed.ts";
import { troubleSeed } from "../projects/service-trouble-seed.ts";
import { releaseSeed, upgradeSeed } from "../projects/upgrade-seed.ts";
import { bucketSeed } from "../services/bucket-seed.ts";
import { distinct } from "./distinct.ts";
import { holdRule } from "./service-state.ts";
import { settingsChangeSchema } from "./settings.ts";
import { snippetSeedSchema } from "../sql/snippet-state.ts";

/**
 * What a seed file may say: the state that an emulator starts with, and how it behaves. Everything is optional; a file with `{}` is one
 * organization `acme` owned by the user of the first token, with no project.
 */

const quotasSchema = z.strictObject({
  projects: z.number().int().min(0).optional(),
  functionsPerProject: z.number().int().min(0).optional(),
  secretsPerProject: z.number().int().min(0).optional(),
});

/** role by username */
const membersSchema = z.record(z.string(), z.enum(ROLE_NAMES));

/** Roles that members have on some projects in place of the one that they have in the organization. */
const projectRoleSeed = z.strictObject({
  /** username of a member */
  user: z.string(),
  role: z.enum(ROLE_NAMES),
  /** refs or names of the organization's projects, also of ones that are yet to be made */
  projects: z.array(z.string()).min(1),
});
export type ProjectRoleSeed = z.output<typeof projectRoleSeed>;

const userSchema = z.strictObject({
  username: z.string().min(1),
  /** default: made up */
  id: z.uuid().optional(),
  email: z.email().optional(),
  mfaEnabled: z.boolean().optional(),
  isSso: z.boolean().optional(),
  avatarUrl: z.url().optional(),
});
export type SeedUser = z.output<typeof userSchema>;

export const tokenSeedSchema = z.strictObject({
  token: tokenText,
  /** username */
  user: z.string(),
  /** a fine-grained token with only these; absent: a personal token with all the rights of its user */
  permissions: z.array(permissionSchema).optional(),
});

/** What an organization begins with, and a control call changes. */
export const organizationShape = {
  plan: z.enum(ORGANIZATION_PLANS).optional(),
  quotas: quotasSchema.optional(),
  members: membersSchema.optional(),
  projectRoles: z.array(projectRoleSeed).optional(),
};
const organizationSchema = z.strictObject({
  slug: slugSchema,
  name: z.string().min(1).max(256).optional(),
  ...organizationShape,
});

const functionSchema = z.strictObject({
  slug: newFunctionSlug,
  name: z.string().optional(),
  verifyJwt: z.boolean().optional(),
  entrypoint: z.string().default("index.ts"),
  importMap: z.string().optional(),
  /** text by path */
  files: z.record(z.string(), z.string()),
});

const branchSchema = z.strictObject({
  name: z.string().min(1),
  gitBranch: z.string().optional(),
  persistent: z.boolean().optional(),
  status: z.enum(BRANCH_STATUSES).default("FUNCTIONS_DEPLOYED"),
});

const projectSchema = z.strictObject({
  name: z.string().min(1).max(256),
  /** slug; default: the first organization */
  organization: slugSchema.optional(),
  ref: refSchema.optional(),
  region: z.enum(REGIONS).default("us-east-1"),
  status: z.enum(PROJECT_STATUSES).default("ACTIVE_HEALTHY"),
  databasePassword: z.string().min(4).optional(),
  dataApi: z.boolean().default(true),
  softBranchDeletion: z.boolean().default(false),
  functions: distinct(functionSchema, ({ slug }) => slug, "function with this slug"),
  /** value by name */
  secrets: z.record(z.string().min(1).max(SECRET_NAME_MAX), z.string().max(SECRET_VALUE_MAX)).default({}),
  /** fields of the auth configuration, as a PATCH has them */
  auth: authConfigUpdateSchema.default({}),
  ...infrastructureSeedShape,
  /** the first one is the default branch */
  branches: distinct(branchSchema, ({ name }) => name, "branch of this name"),
  /** a version that the platform knows, such as 15.8.1.085; default: the newest */
  postgresVersion: z.string().optional(),
  buckets: distinct(bucketSeed, ({ name }) => name, "bucket of this name"),
  upgrade: upgradeSeed.optional(),
  troubles: distinct(troubleSeed, ({ service }) => service, "trouble of this service"),
  /** why just-in-time access cannot be switched */
  jitUnavailable: z.enum(JIT_UNAVAILABLE_REASONS).optional(),
});

/** As `functions.failBundle` has it, but for the name that a project may have here in place of its ref. */
const failingBundleSchema = z.strictObject({
  ...bundleFailureOrder.omit({ ref: true }).shape,
  /** ref or name; default: every project */
  project: z.string().min(1).optional(),
});

export const seedSchema = z.strictObject({
  settings: settingsChangeSchema.optional(),
  users: distinct(userSchema, ({ username }) => username, "user of this name"),
  tokens: distinct(tokenSeedSchema, ({ token }) => token, "token like this"),
  organizations: z.array(organizationSchema).default([]),
  projects: z.array(projectSchema).default([]),
  dns: distinct(dnsSeed, ({ name }) => name.toLowerCase(), "record of this name"),
  regions: distinct(regionSeed, ({ region }) => region, "line about this region"),
  oauthApps: distinct(oauthAppSeedSchema, ({ clientId }) => clientId, "app with this client id"),
  snippets: distinct(snippetSeedSchema, ({ id }) => id, "snippet with this id"),
  releases: distinct(releaseSeed, ({ version }) => version, "release of this version"),
  thirdPartyKeys: distinct(publishedJwksSeed, ({ url }) => url, "key set at this URL"),
  failingBundles: z.array(failingBundleSchema).default([]),
  failingSteps: z.array(runFailureOrder).default([]),
  /** also of what is yet to be created, by its name */
  holds: z.array(holdRule).default([]),
});
export type Seed = z.output<typeof seedSchema>;
export type SeedInput = z.input<typeof seedSchema>;
export type SeedProject = Seed["projects"][number];
