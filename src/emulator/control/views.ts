import { hasAddon } from "../infrastructure/addon-selection.ts";
import { isDataApiOn } from "../services/data-api-switch.ts";
import { statusAt } from "../state/life.ts";
import type { BranchRecord, FunctionRecord, ProjectRecord } from "../state/records.ts";
import { isThere, projectByRef, sha256, type World } from "../state/world.ts";
import type { ProjectView, StateView } from "./calls.ts";
import { logDrainViews } from "./log-drain-view.ts";

/** The state as control calls show it: no token, no password, no secret value. */
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
