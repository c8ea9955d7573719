import {
  ROLE_NAMES,
  type Member,
  type MemberV1,
  type OrganizationRole,
} from "../../api/contract/organization-members.ts";
import { visibleOrganization } from "../access.ts";
import { baseRoleId, projectRolesOf, projectsOfRole } from "./project-roles.ts";
import type { ProjectRole } from "./project-role-state.ts";
import type { OrganizationRecord, Role } from "./organization-state.ts";
import type { UserRecord } from "./user-state.ts";
import type { World } from "../state/world.ts";
import { cursorPage, type Placed } from "./cursor-page.ts";
import { entitlementsOf } from "./entitlements.ts";
import type { SectionHandlers } from "../handlers/handler.ts";

type MembershipVerb = "entitlements" | "members" | "listMembers" | "listRoles";

/** Who belongs to an organization, as what, and what its plan allows. Members and roles come from the seed and control calls. */
export function membershipHandlers(world: World): Pick<SectionHandlers<"organizations">, MembershipVerb> {
  return {
    entitlements: ({ params, caller }) => ({
      entitlements: entitlementsOf(visibleOrganization(world, caller, params.slug)),
    }),
    members: ({ params, caller }) => {
      const organization = visibleOrganization(world, caller, params.slug);
      return membersOf(world, organization).map(({ user, role }) => memberV1(world, user, role));
    },
    listMembers: ({ params, query, caller }) => {
      const organization = visibleOrganization(world, caller, params.slug);
      const { username, primary_email, mfa_enabled, is_sso_user, role } = query.filter ?? {};
      const placed = membersOf(world, organization)
        .map((member): Placed<Member> => ({ cursor: member.user.id, item: memberOutput(world, organization, member) }))
        .filter(
          ({ item: { attributes } }) =>
            matches(username, attributes.username) &&
            matches(primary_email, attributes.primary_email) &&
            matches(mfa_enabled, attributes.mfa_enabled) &&
            matches(is_sso_user, attributes.is_sso_user) &&
            (role === undefined || attributes.roles.some(({ name }) => name === role)),
        );
      return cursorPage(placed, `/v2/organizations/${organization.slug}/members`, query);
    },
    listRoles: ({ params, query, caller }) => {
      const organization = visibleOrganization(world, caller, params.slug);
      const { name, scope } = query.filter ?? {};
      const placed = rolesOf(world, organization).filter(
        ({ item: { attributes } }) => matches(name, attributes.name) && matches(scope, attributes.scope),
      );
      return cursorPage(placed, `/v2/organizations/${organization.slug}/roles`, query);
    },
  };
}

/** Whether a value is the one that is asked for, if one is. */
function matches<T>(wanted: T | undefined, value: T | null | undefined): boolean {
  return wanted === undefined || wanted === value;
}

interface Membership {
  readonly user: UserRecord;
  readonly role: Role;
}

function membersOf(world: World, { members }: OrganizationRecord): readonly Membership[] {
  return Object.entries(members).flatMap(([userId, role]) => {
    const user = world.users.get(userId);
    return user === undefined ? [] : [{ user, role }];
  });
}

/** The catalogue calls no picture nullable: who has none gets an address of one, as from a service that draws them from names. */
function pictureOf({ settings }: World, { id, avatarUrl }: UserRecord): string {
  return avatarUrl ?? `https://pictures.${settings.domain}/${id}.png`;
}

function memberV1(world: World, user: UserRecord, role: Role): MemberV1 {
  return {
    user_id: user.id,
    user_name: user.username,
    email: user.email,
    role_name: role,
    avatar_url: pictureOf(world, user),
    mfa_enabled: user.mfaEnabled ?? false,
  };
}

function memberOutput(world: World, { slug }: OrganizationRecord, { user, role }: Membership): Member {
  const own = { id: baseRoleId(role), name: role, scope: "organization", projects: [] };
  const onProjects = projectRolesOf(world, slug)
    .filter(({ userId }) => userId === user.id)
    .map((one) => ({ id: one.id, name: one.role, scope: "project", projects: projectNames(world, one) }));
  return {
    type: "organization_member",
    id: user.id,
    attributes: {
      username: user.username,
      primary_email: user.email,
      mfa_enabled: user.mfaEnabled ?? false,
      is_sso_user: user.isSso ?? false,
      avatar_url: pictureOf(world, user),
      roles: [own, ...onProjects],
    },
  };
}

function projectNames(world: World, role: ProjectRole): { ref: string; name: string }[] {
  return projectsOfRole(world, role).map(({ ref, name }) => ({ ref, name }));
}

/** The roles that every organization has, and those that members have on projects. */
function rolesOf(world: World, { slug }: OrganizationRecord): readonly Placed<OrganizationRole>[] {
  const base = ROLE_NAMES.map((name) => ({ id: baseRoleId(name), name, scope: "organization", projects: [] }));
  const onProjects = projectRolesOf(world, slug).map((one) => ({
    id: one.id,
    name: one.role,
    scope: "project",
    projects: projectNames(world, one),
  }));
  return [...base, ...onProjects].map(({ id, name, scope, projects }) => ({
    cursor: roleCursor(id),
    item: {
      type: "organization_role",
      id: String(id),
      attributes: { name, scope, base_role_id: baseRoleId(name), projects },
    },
  }));
}

/** A uuid in the order of the ids. */
function roleCursor(id: number): string {
  return `00000000-0000-4000-8000-${String(id).padStart(12, "0")}`;
}
