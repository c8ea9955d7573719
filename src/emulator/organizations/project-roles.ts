import { ROLE_NAMES } from "../../api/contract/organization-members.ts";
import type { ProjectRole } from "./project-role-state.ts";
import type { OrganizationRecord, Role } from "./organization-state.ts";
import type { ProjectRecord } from "../projects/project-state.ts";
import type { ProjectRoleSeed } from "../state/seed.ts";
import { nextNumber } from "../state/ids.ts";
import { projectByRef } from "../state/presence.ts";
import type { World } from "../state/world.ts";

/** Roles of members: one in the organization, and others on some of its projects, which go before it. */

/** The integer id of a role that every organization has; those on projects have ids of their own. */
export function baseRoleId(role: Role): number {
  return ROLE_NAMES.indexOf(role) + 1;
}

/** Above every id of a base role. */
const FIRST_ID = 100;

export function addProjectRole(
  world: World,
  { slug }: OrganizationRecord,
  userId: string,
  { role, projects }: ProjectRoleSeed,
): void {
  const id = FIRST_ID + nextNumber(world);
  world.projectRoles.set(String(id), { id, organizationSlug: slug, userId, role, projects });
}

/** In the order in which they were given. */
export function projectRolesOf(world: World, slug: string): readonly ProjectRole[] {
  return [...world.projectRoles.values()].filter(({ organizationSlug }) => organizationSlug === slug);
}

/** The projects that a role is about, those that are there. */
export function projectsOfRole(world: World, { organizationSlug, projects }: ProjectRole): readonly ProjectRecord[] {
  return [...world.projects.values()].filter(
    (project) =>
      project.organizationSlug === organizationSlug &&
      project.branchOf === undefined &&
      (projects.includes(project.ref) || projects.includes(project.name)) &&
      projectByRef(world, project.ref) !== undefined,
  );
}

/** What a member is on a project; a branch goes with its parent. undefined: no member. */
export function roleOn(
  world: World,
  organization: OrganizationRecord,
  userId: string,
  project: ProjectRecord | undefined,
): Role | undefined {
  const { ref, branchOf = ref } = project ?? { ref: "" };
  const own = projectRolesOf(world, organization.slug).find(
    (role) => role.userId === userId && projectsOfRole(world, role).some((one) => one.ref === branchOf),
  );
  return own?.role ?? organization.members[userId];
}
