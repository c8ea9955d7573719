import type { ProjectRecord } from "../projects/project-state.ts";
import type { World } from "../state/world.ts";
import type { OrganizationRecord } from "./organization-state.ts";

/** The organization of a project: there is always one, since organizations are never removed. */
export function organizationOf(
  world: World,
  { ref, organizationSlug }: Pick<ProjectRecord, "ref" | "organizationSlug">,
): OrganizationRecord {
  const found = world.organizations.get(organizationSlug);
  if (found === undefined) throw new RangeError(`no organization ${organizationSlug} of project ${ref}`);
  return found;
}
