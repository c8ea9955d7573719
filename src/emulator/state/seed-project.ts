import { isDataApiOn, switchDataApi } from "../services/data-api-switch.ts";
import { withAuthUpdate } from "../auth/auth-config-record.ts";
import { putBucket } from "../services/bucket-seed.ts";
import { missingFile } from "../functions/deploy.ts";
import { storePlatformSecrets } from "../functions/platform-secrets.ts";
import { reservedWords } from "../functions/secrets.ts";
import { bundleOf, newFunction, withBundle, withSettings } from "../functions/function-record.ts";
import { seededSize, seedInfrastructure } from "../infrastructure/infrastructure-seed.ts";
import { freshProject, nameTaken, storeNewProject } from "../projects/new-project.ts";
import { setJitAvailability } from "../jit/jit-availability.ts";
import { makeTrouble } from "../projects/service-trouble-seed.ts";
import { releasesOf } from "../projects/releases.ts";
import type { PostgresRelease } from "../projects/upgrade-state.ts";
import { always } from "./life.ts";
import { storeBranch } from "../branches/store-branch.ts";
import type { FunctionRecord } from "../functions/function-state.ts";
import type { ProjectRecord, ProjectStatus } from "../projects/project-state.ts";
import type { SeedProject } from "./seed.ts";
import { contradiction, eachWithin, notThere } from "./seed-error.ts";
import { newCredential, newRef, nextNumber, sha256 } from "./ids.ts";
import type { World } from "./world.ts";

/**
 * Adds a project of a seed with all that is said of it, its branches too. Over a quota it may be, as an organization is whose plan became a
 * smaller one; what no sequence of calls could bring about it may not.
 *
 * @throws SeedError
 */
export function addProject(world: World, wanted: SeedProject): void {
  const slug = wanted.organization ?? world.organizations.keys().next().value;
  const organization = world.organizations.get(slug ?? "");
  if (organization === undefined) {
    throw notThere(["organization"], { what: "organization", name: slug ?? "", known: world.organizations.keys() });
  }
  if (wanted.ref !== undefined && world.projects.has(wanted.ref)) {
    throw contradiction(["ref"], `there is ${wanted.ref} already`);
  }
  if (nameTaken(world, organization.slug, wanted.name)) {
    throw contradiction(["name"], `project ${wanted.name} exists already in the organization ${organization.slug}`);
  }
  const databasePassword = wanted.databasePassword ?? newCredential();
  const fresh = freshProject(world, {
    name: wanted.name,
    organization,
    region: wanted.region,
    instanceSize: seededSize(wanted),
    databasePassword,
    ...(wanted.ref === undefined ? {} : { ref: wanted.ref }),
  });
  const nowMs = world.clock.now();
  const project: ProjectRecord = {
    ...fresh,
    life: always<ProjectStatus>(nowMs, wanted.status),
    release: seededRelease(world, wanted.postgresVersion ?? fresh.release.version),
    softBranchDeletion: wanted.softBranchDeletion,
  };
  storeNewProject(world, project, databasePassword);
  seedServices(world, project.ref, wanted);
  for (const [index, branch] of wanted.branches.entries()) {
    addBranch(world, project, { ...branch, isDefault: index === 0 });
  }
}

/** What a seed says of what a project has and how it is set. */
function seedServices(world: World, ref: string, wanted: SeedProject): void {
  for (const bucket of wanted.buckets) putBucket(world, ref, bucket);
  if (wanted.upgrade !== undefined) world.upgradeObstacles.set(ref, wanted.upgrade);
  for (const trouble of wanted.troubles) makeTrouble(world, ref, trouble);
  if (wanted.jitUnavailable !== undefined) setJitAvailability(world, ref, wanted.jitUnavailable);
  if (!wanted.dataApi) switchDataApi(world, ref, false);
  seedInfrastructure(world, ref, wanted);
  const nowMs = world.clock.now();
  eachWithin(["functions"], wanted.functions, (fn) => world.functions.set(ref, fn.slug, seededFunction(fn, nowMs)));
  for (const [name, value] of Object.entries(wanted.secrets)) {
    const reserved = reservedWords(world, ref, name);
    if (reserved !== undefined) throw contradiction(["secrets", name], reserved);
    world.secrets.set(ref, name, { digest: sha256(value), updatedAtMs: nowMs, platform: false });
  }
  if (Object.keys(wanted.auth).length > 0) world.authConfig.set(ref, withAuthUpdate({}, wanted.auth));
}

function seededRelease(world: World, version: string): PostgresRelease {
  const known = releasesOf(world);
  const found = known.find((release) => release.version === version);
  if (found !== undefined) return found;
  const versions = known.map((one) => one.version);
  throw notThere(["postgresVersion"], { what: "version", name: version, known: versions });
}

function seededFunction(wanted: SeedProject["functions"][number], nowMs: number): FunctionRecord {
  const files = Object.entries(wanted.files).map(([path, text]) => ({ path, content: Buffer.from(text) }));
  const missing = missingFile(files, { entrypoint: wanted.entrypoint, importMap: wanted.importMap });
  if (missing !== undefined) throw contradiction(["files"], missing);
  const settings = withSettings(newFunction(wanted.slug, nowMs), {
    name: wanted.name,
    verifyJwt: wanted.verifyJwt,
    entrypointPath: wanted.entrypoint,
    importMapPath: wanted.importMap,
  });
  return withBundle(settings, bundleOf(files, wanted.entrypoint), nowMs);
}

type SeedBranch = SeedProject["branches"][number] & { readonly isDefault: boolean };

function addBranch(world: World, parent: ProjectRecord, wanted: SeedBranch): void {
  const { isDefault } = wanted;
  const nowMs = world.clock.now();
  const databasePassword = newCredential();
  const projectRef = isDefault ? parent.ref : newRef(world);
  if (!isDefault) {
    const project: ProjectRecord = {
      ...parent,
      ref: projectRef,
      number: nextNumber(world),
      name: wanted.name,
      branchOf: parent.ref,
      life: always<ProjectStatus>(nowMs, "ACTIVE_HEALTHY"),
      databasePassword: { digest: sha256(databasePassword), changes: 0 },
    };
    world.projects.set(projectRef, project);
    for (const [slug, one] of world.functions.of(parent.ref)) world.functions.set(projectRef, slug, one);
    for (const [name, one] of world.secrets.of(parent.ref)) world.secrets.set(projectRef, name, one);
    storePlatformSecrets(world, project, databasePassword);
  }
  if (!isDataApiOn(world, parent.ref)) switchDataApi(world, projectRef, false);
  storeBranch(world, { ...wanted, parentRef: parent.ref, projectRef, databasePassword });
}
