import { z } from "zod";
import { BRANCH_STATUSES, PROJECT_STATUSES } from "../../api/contract/fields.ts";
import { hasAddon } from "../infrastructure/addon-selection.ts";
import { isDataApiOn } from "../services/data-api-switch.ts";
import { statusAt } from "../state/life.ts";
import type { BranchRecord } from "../branches/branch-state.ts";
import type { FunctionRecord } from "../functions/function-state.ts";
import type { ProjectRecord } from "../projects/project-state.ts";
import { sha256 } from "../state/ids.ts";
import { isThere, projectByRef } from "../state/presence.ts";
import type { World } from "../state/world.ts";
import { logDrainView, logDrainViews } from "./log-drain-view.ts";

/** The state as control calls show it: no token, no password, no secret value. */

const fileViewSchema = z.object({ path: z.string(), bytes: z.number(), sha256: z.string() });
const functionViewSchema = z.object({
  slug: z.string(),
  name: z.string(),
  version: z.number(),
  verifyJwt: z.boolean(),
  entrypointPath: z.string().optional(),
  importMapPath: z.string().optional(),
  staticPatterns: z.array(z.string()),
  sha256: z.string().optional(),
  files: z.array(fileViewSchema),
});
const projectViewSchema = z.object({
  ref: z.string(),
  name: z.string(),
  organization: z.string(),
  region: z.string(),
  instanceSize: z.string(),
  status: z.enum(PROJECT_STATUSES),
  held: z.boolean(),
  branchOf: z.string().optional(),
  /** lower-case hex SHA-256 of the password, and how often it was set after the creation */
  databasePassword: z.object({ digest: z.string(), changes: z.number() }),
  dataApi: z.boolean(),
  pitr: z.boolean(),
  softBranchDeletion: z.boolean(),
  functions: z.array(functionViewSchema),
  secrets: z.array(z.object({ name: z.string(), digest: z.string(), platform: z.boolean() })),
  logDrains: z.array(logDrainView),
});
const branchViewSchema = z.object({
  id: z.string(),
  name: z.string(),
  projectRef: z.string(),
  parentRef: z.string(),
  isDefault: z.boolean(),
  persistent: z.boolean(),
  status: z.enum(BRANCH_STATUSES),
  held: z.boolean(),
});
export const stateViewSchema = z.object({
  organizations: z.array(z.object({ id: z.string(), slug: z.string(), name: z.string(), plan: z.string() })),
  users: z.array(z.object({ id: z.string(), username: z.string() })),
  projects: z.array(projectViewSchema),
  branches: z.array(branchViewSchema),
});
export type StateView = z.output<typeof stateViewSchema>;
export type ProjectView = z.output<typeof projectViewSchema>;

export function readState(world: World): StateView {
  return {
    organizations: [...world.organizations.values()].map(({ id, slug, name, plan }) => ({ id, slug, name, plan })),
    users: [...world.users.values()].map(({ id, username }) => ({ id, username })),
    projects: [...world.projects.values()]
      .filter(({ ref }) => projectByRef(world, ref) !== undefined)
      .map((project) => projectView(world, project)),
    branches: [...world.branches.values()]
      .filter((branch) => isThere(world, branch))
      .map((branch) => branchView(world, branch)),
  };
}

function projectView(world: World, project: ProjectRecord): ProjectView {
  const { ref, name, region, instanceSize, databasePassword, softBranchDeletion } = project;
  return {
    ref,
    name,
    organization: project.organizationSlug,
    region,
    instanceSize,
    status: statusAt(project.life, world.clock.now()),
    held: project.life.held !== undefined,
    ...(project.branchOf === undefined ? {} : { branchOf: project.branchOf }),
    databasePassword,
    dataApi: isDataApiOn(world, ref),
    pitr: hasAddon(world, ref, "pitr"),
    softBranchDeletion,
    functions: [...world.functions.of(ref).values()].map(functionView),
    logDrains: logDrainViews(world, ref),
    secrets: [...world.secrets.of(ref)].map(([secret, { digest, platform }]) => ({ name: secret, digest, platform })),
  };
}

function functionView(known: FunctionRecord): ProjectView["functions"][number] {
  const { slug, name, version, verifyJwt, entrypointPath, importMapPath, staticPatterns, bundle } = known;
  return {
    slug,
    name,
    version,
    verifyJwt,
    ...(entrypointPath === undefined ? {} : { entrypointPath }),
    ...(importMapPath === undefined ? {} : { importMapPath }),
    staticPatterns: [...staticPatterns],
    ...(bundle === undefined ? {} : { sha256: bundle.sha256 }),
    files: (bundle?.files ?? []).map(({ path, content }) => ({ path, bytes: content.length, sha256: sha256(content) })),
  };
}

function branchView(world: World, branch: BranchRecord): StateView["branches"][number] {
  const { id, name, projectRef, parentRef, isDefault, persistent, life } = branch;
  const status = statusAt(life, world.clock.now());
  return { id, name, projectRef, parentRef, isDefault, persistent, status, held: life.held !== undefined };
}
