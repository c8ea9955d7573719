import { selectAddon } from "../infrastructure/addon-selection.ts";
import { isDataApiOn, switchDataApi } from "../services/data-api-switch.ts";
import { withAuthUpdate } from "../auth/auth-config-record.ts";
import { always } from "./life.ts";
import { bundleOf, newFunction, withBundle, withSettings } from "../functions/function-record.ts";
import { seedInfrastructure } from "../infrastructure/infrastructure-seed.ts";
import { freshProject, storeNewProject } from "../projects/new-project.ts";
import { addOAuthApp } from "../oauth/oauth-apps.ts";
import { seedHosting, setDns } from "../domains/hosting.ts";
import { releasesOf } from "../projects/releases.ts";
import type { Release } from "../projects/upgrade-state.ts";
import { DEFAULT_QUOTAS } from "../organizations/quotas.ts";
import type {
  BranchRecord,
  BranchStatus,
  FunctionRecord,
  OrganizationRecord,
  ProjectRecord,
  ProjectStatus,
  UserRecord,
} from "./records.ts";
import { addProjectRole } from "../organizations/project-roles.ts";
import type { Seed, SeedProject, SeedUser } from "./seed.ts";
import { SeedError } from "./seed-error.ts";
import { putSnippet } from "../sql/snippet-pages.ts";
import { newCredential, newId, newRef, sha256, type World } from "./world.ts";

/** Adds what a seed describes to the state. @throws SeedError */
export function applySeed(world: World, seed: Seed): void {
  if (seed.settings !== undefined) changeSettings(world, seed.settings);
  for (const user of seed.users) ensureUser(world, user.username, user);
  for (const organization of seed.organizations) addOrganization(world, organization);
  for (const { token, user, permissions } of seed.tokens) addToken(world, token, user, permissions);
  for (const project of seed.projects) addProject(world, project);
  for (const record of seed.dns) setDns(world, record);
  for (const { region, ...capacity } of seed.regions) world.regions.set(region, capacity);
  for (const app of seed.oauthApps) addOAuthApp(world, app);
  for (const snippet of seed.snippets) putSnippet(world, snippet);
}

/** Replaces what is said of the settings; the rest stays. */
export function changeSettings(world: World, said: NonNullable<Seed["settings"]>): void {
  const { timings, ...others } = said;
  world.settings = {
    ...world.settings,
    ...definedOnly(others),
    timings: { ...world.settings.timings, ...definedOnly(timings ?? {}) },
  };
}

/** What is said, without what is left open. */
export function definedOnly<T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> }; // the filter is what the type says
}

/** The user of this name, made when there is none; what is said of one that is known is changed. @throws SeedError for another id */
export function ensureUser(
  world: World,
  username: string,
  { id, ...said }: Partial<Omit<SeedUser, "username">> = {},
): UserRecord {
  const known = [...world.users.values()].find((user) => user.username === username);
  if (known !== undefined && id !== undefined && id !== known.id) {
    throw new SeedError(`user ${username} has the id ${known.id} already`);
  }
  const made = known ?? { id: id ?? newId(), username, email: `${username}@example.test` };
  const user: UserRecord = { ...made, ...definedOnly(said) };
  world.users.set(user.id, user);
  return user;
}

/** Makes a token known; one that is known already gets the new rights. */
export function addToken(world: World, token: string, username: string, permissions?: readonly string[]): void {
  const { id: userId } = ensureUser(world, username);
  world.tokens.set(
    sha256(token),
    permissions === undefined ? { kind: "personal", userId } : { kind: "fine-grained", userId, permissions },
  );
}

export function addOrganization(world: World, wanted: Seed["organizations"][number]): OrganizationRecord {
  if (world.organizations.has(wanted.slug)) throw new SeedError(`organization ${wanted.slug} exists already`);
  const plan = wanted.plan ?? "pro";
  const members = Object.entries(wanted.members ?? {}).map(
    ([name, role]) => [ensureUser(world, name).id, role] as const,
  );
  const organization: OrganizationRecord = {
    id: newRef(world), // not the slug, so that whoever confuses them notices
    slug: wanted.slug,
    name: wanted.name ?? wanted.slug,
    plan,
    quotas: { ...DEFAULT_QUOTAS[plan], ...definedOnly(wanted.quotas ?? {}) },
    members: Object.fromEntries(members),
  };
  world.organizations.set(organization.slug, organization);
  for (const role of wanted.projectRoles ?? []) {
    const { id } = ensureUser(world, role.user);
    if (!Object.hasOwn(organization.members, id)) {
      throw new SeedError(`organization ${wanted.slug}: ${role.user} has a role on projects and is no member`);
    }
    addProjectRole(world, organization, id, role);
  }
  return organization;
}

function addProject(world: World, wanted: SeedProject): void {
  const slug = wanted.organization ?? world.organizations.keys().next().value;
  const organization = world.organizations.get(slug ?? "");
  if (organization === undefined) {
    throw new SeedError(`project ${wanted.name}: organization ${slug ?? ""} is not in the seed`);
  }
  if (wanted.ref !== undefined && world.projects.has(wanted.ref)) {
    throw new SeedError(`project ref ${wanted.ref} exists already`);
  }
  const fresh = freshProject(world, {
    name: wanted.name,
    organization,
    region: wanted.region,
    instanceSize: wanted.instanceSize,
    databasePassword: wanted.databasePassword ?? newCredential(),
    ...(wanted.ref === undefined ? {} : { ref: wanted.ref }),
  });
  const nowMs = world.clock.now();
  const project: ProjectRecord = {
    ...fresh,
    life: always<ProjectStatus>(nowMs, wanted.status),
    release: seededRelease(world, wanted.postgresVersion ?? fresh.release.version),
    softBranchDeletion: wanted.softBranchDeletion,
  };
  storeNewProject(world, project);
  seedHosting(world, project.ref, wanted);
  if (wanted.pitr) selectAddon(world, project.ref, "pitr_7");
  seedInfrastructure(world, project.ref, wanted);
  for (const one of wanted.functions) world.functions.set(project.ref, one.slug, seededFunction(one, nowMs));
  for (const [name, value] of Object.entries(wanted.secrets)) {
    world.secrets.set(project.ref, name, { digest: sha256(value), updatedAtMs: nowMs, platform: false });
  }
  if (Object.keys(wanted.auth).length > 0) world.authConfig.set(project.ref, withAuthUpdate({}, wanted.auth));
  for (const [index, branch] of wanted.branches.entries()) addBranch(world, project, branch, index === 0);
}

function seededRelease(world: World, version: string): Release {
  const known = releasesOf(world);
  const found = known.find((release) => release.version === version);
  if (found !== undefined) return found;
  throw new SeedError(`postgresVersion ${version}: the platform has ${known.map((one) => one.version).join(", ")}`);
}

function seededFunction(wanted: SeedProject["functions"][number], nowMs: number): FunctionRecord {
  const files = Object.entries(wanted.files).map(([path, text]) => ({ path, content: Buffer.from(text) }));
  const settings = withSettings(newFunction(wanted.slug, nowMs), {
    name: wanted.name,
    verifyJwt: wanted.verifyJwt,
    entrypointPath: wanted.entrypoint,
    importMapPath: wanted.importMap,
  });
  return withBundle(settings, bundleOf(files, wanted.entrypoint), nowMs);
}

function addBranch(
  world: World,
  parent: ProjectRecord,
  wanted: SeedProject["branches"][number],
  isDefault: boolean,
): void {
  const nowMs = world.clock.now();
  const databasePassword = newCredential();
  const projectRef = isDefault ? parent.ref : newRef(world);
  if (!isDefault) {
    world.projects.set(projectRef, {
      ...parent,
      ref: projectRef,
      name: wanted.name,
      branchOf: parent.ref,
      life: always<ProjectStatus>(nowMs, "ACTIVE_HEALTHY"),
      databasePassword: { digest: sha256(databasePassword), changes: 0 },
    });
    for (const [slug, one] of world.functions.of(parent.ref)) world.functions.set(projectRef, slug, one);
    for (const [name, one] of world.secrets.of(parent.ref)) world.secrets.set(projectRef, name, one);
  }
  if (!isDataApiOn(world, parent.ref)) switchDataApi(world, projectRef, false);
  const branch: BranchRecord = {
    id: newId(),
    name: wanted.name,
    projectRef,
    parentRef: parent.ref,
    isDefault,
    gitBranch: wanted.gitBranch,
    notifyUrl: undefined,
    persistent: wanted.persistent ?? isDefault,
    withData: false,
    life: always<BranchStatus>(nowMs, wanted.status),
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    reviewRequestedAtMs: undefined,
    deletionScheduledAtMs: undefined,
    databasePassword,
  };
  world.branches.set(branch.id, branch);
}
