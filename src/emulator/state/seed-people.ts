import { addProjectRole } from "../organizations/project-roles.ts";
import { DEFAULT_QUOTAS } from "../organizations/quotas.ts";
import { definedOnly } from "./defined-only.ts";
import type { OrganizationRecord } from "../organizations/organization-state.ts";
import type { UserRecord } from "../organizations/user-state.ts";
import type { ProjectRoleSeed, Seed, SeedUser } from "./seed.ts";
import { contradiction, eachWithin } from "./seed-error.ts";
import { newId, newRef, sha256 } from "./ids.ts";
import { memberNamed } from "../organizations/member-named.ts";
import type { World } from "./world.ts";

/** What a seed says of users, their tokens and their organizations. */

/** The user of this name, made when there is none; what is said of one that is known is changed. @throws SeedError for another id, and for that of another */
export function ensureUser(
  world: World,
  username: string,
  { id, ...said }: Partial<Omit<SeedUser, "username">> = {},
): UserRecord {
  const known = [...world.users.values()].find((user) => user.username === username);
  if (known !== undefined && id !== undefined && id !== known.id) {
    throw contradiction(["id"], `${username} has the id ${known.id} already`);
  }
  const namesake = known === undefined && id !== undefined ? world.users.get(id) : undefined;
  if (namesake !== undefined) throw contradiction(["id"], `${namesake.username} has it already`);
  const made = known ?? { id: id ?? newId(), username, email: `${username}@example.test` };
  const user: UserRecord = { ...made, ...definedOnly(said) };
  world.users.set(user.id, user);
  return user;
}

interface TokenRights {
  /** username */
  readonly user: string;
  /** absent: all the rights of the user */
  readonly permissions?: readonly string[] | undefined;
}

/** Makes a token known; one that is known already gets the new rights. */
export function addToken(world: World, token: string, { user, permissions }: TokenRights): void {
  const { id: userId } = ensureUser(world, user);
  world.tokens.set(
    sha256(token),
    permissions === undefined ? { kind: "personal", userId } : { kind: "fine-grained", userId, permissions },
  );
}

export function addOrganization(world: World, wanted: Seed["organizations"][number]): OrganizationRecord {
  if (world.organizations.has(wanted.slug)) throw contradiction(["slug"], `there is ${wanted.slug} already`);
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
  addProjectRoles(world, organization, wanted.projectRoles ?? []);
  return organization;
}

const AT_ROLE = { organization: [], user: ["user"] };

/** @throws SeedError for a user who is no member */
export function addProjectRoles(
  world: World,
  organization: OrganizationRecord,
  roles: readonly ProjectRoleSeed[],
): void {
  eachWithin(["projectRoles"], roles, (role) => {
    const id = memberNamed(world, { user: role.user, slug: organization.slug }, AT_ROLE);
    addProjectRole(world, organization, id, role);
  });
}
