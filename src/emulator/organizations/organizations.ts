import { PROJECT_STATUSES } from "../../api/contract/fields.ts";
import type { organizations, OrgProjectItem } from "../../api/contract/organizations.ts";
import { isMember, visibleOrganization } from "../access.ts";
import { badRequest } from "../failure.ts";
import { statusAt } from "../state/life.ts";
import { projectsOf } from "../projects/new-project.ts";
import { DEFAULT_QUOTAS } from "./quotas.ts";
import type { OrganizationRecord } from "./organization-state.ts";
import type { ProjectRecord, ProjectStatus } from "../projects/project-state.ts";
import { newRef } from "../state/ids.ts";
import type { World } from "../state/world.ts";
import { databaseItems } from "../infrastructure/database-items.ts";
import type { HandlerRequest, SectionHandlers } from "../handlers/handler.ts";
import { membershipHandlers } from "./organization-members.ts";

/**
 * src/emulator/organizations: organizations, who belongs to them in which role, and what their plans give. Never here: what a role or a plan
 * lets a caller do, which is asked for every operation alike (access/).
 */

type ProjectsQuery = HandlerRequest<(typeof organizations)["listProjects"]>["query"];

export function organizationsHandlers(world: World): SectionHandlers<"organizations"> {
  return {
    create: ({ body, caller }) => {
      const slug = newRef(world);
      const organization: OrganizationRecord = {
        id: slug,
        slug,
        name: body.name,
        plan: "free",
        quotas: DEFAULT_QUOTAS.free,
        members: { [caller.userId]: "Owner" },
      };
      world.organizations.set(slug, organization);
      return summary(organization);
    },
    list: ({ caller }) =>
      [...world.organizations.values()].filter((organization) => isMember(organization, caller)).map(summary),
    get: ({ params, caller }) => {
      const { id, name, plan } = visibleOrganization(world, caller, params.slug);
      return { id, name, plan, opt_in_tags: [], allowed_release_channels: ["ga", "preview"] };
    },
    listProjects: ({ params, query, caller }) => {
      const { slug } = visibleOrganization(world, caller, params.slug);
      const { offset = 0, limit = 100 } = query;
      const matching = select(world, projectsOf(world, slug), query);
      return {
        projects: matching.slice(offset, offset + limit).map((project) => projectItem(world, project)),
        pagination: { count: matching.length, limit, offset },
      };
    },
    ...membershipHandlers(world),
  };
}

export function profileHandlers(world: World): SectionHandlers<"profile"> {
  return {
    get: ({ caller }) => {
      const user = world.users.get(caller.userId);
      return { auth_id: caller.userId, primary_email: user?.email ?? "", username: user?.username ?? "" };
    },
  };
}

function summary({ id, slug, name }: OrganizationRecord): { id: string; slug: string; name: string } {
  return { id, slug, name };
}

function select(world: World, all: readonly ProjectRecord[], query: ProjectsQuery): readonly ProjectRecord[] {
  const statuses = statusFilter(query.statuses);
  const search = query.search?.toLowerCase() ?? "";
  const nowMs = world.clock.now();
  return all
    .filter((project) => project.name.toLowerCase().includes(search))
    .filter((project) => statuses === undefined || statuses.includes(statusAt(project.life, nowMs)))
    .toSorted(ORDER[query.sort ?? "name_asc"]);
}

const byName = (a: ProjectRecord, b: ProjectRecord): number =>
  a.name < b.name ? -1 : a.name > b.name ? 1 : a.number - b.number;
const byAge = (a: ProjectRecord, b: ProjectRecord): number => a.createdAtMs - b.createdAtMs || a.number - b.number;

const ORDER = {
  name_asc: byName,
  name_desc: (a: ProjectRecord, b: ProjectRecord) => byName(b, a),
  created_asc: byAge,
  created_desc: (a: ProjectRecord, b: ProjectRecord) => byAge(b, a),
} as const;

/** "comma-separated; supported ACTIVE_HEALTHY, INACTIVE" (endpoints.md) */
function statusFilter(text: string | undefined): readonly ProjectStatus[] | undefined {
  if (text === undefined || text === "") return undefined;
  return text.split(",").map((name) => {
    const status = PROJECT_STATUSES.find((candidate) => candidate === name.trim());
    if (status !== "ACTIVE_HEALTHY" && status !== "INACTIVE") {
      throw badRequest(
        `statuses: Invalid enum value. Expected 'ACTIVE_HEALTHY' | 'INACTIVE', received '${name.slice(0, 80)}'`,
      );
    }
    return status;
  });
}

function projectItem(world: World, project: ProjectRecord): OrgProjectItem {
  const status = statusAt(project.life, world.clock.now());
  return {
    ref: project.ref,
    name: project.name,
    cloud_provider: "AWS",
    region: project.region,
    is_branch: project.branchOf !== undefined,
    status,
    inserted_at: new Date(project.createdAtMs).toISOString(),
    databases: databaseItems(world, project),
  };
}
