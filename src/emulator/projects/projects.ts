import type { Project, ProjectDetail, projects } from "../../api/contract/projects.ts";
import { type Caller, isMember, visibleMainProject, visibleProject } from "../access.ts";
import { badRequest, conflict, paymentRequired } from "../failure.ts";
import { statusAt } from "../state/life.ts";
import { refuseSizeOfPlan } from "../infrastructure/addon-plans.ts";
import { USUAL_SIZE } from "./compute-sizes.ts";
import { goThrough } from "./go-through.ts";
import { countProjects, freshProject, nameTaken, projectsOf, storeNewProject } from "./new-project.ts";
import { isProvisioning } from "./project-life.ts";
import type { Region } from "./region-state.ts";
import { isRegion, noRoom, regionOfGroup, unavailability } from "./regions.ts";
import { releaseOf } from "./releases.ts";
import type { OrganizationRecord } from "../organizations/organization-state.ts";
import type { ProjectRecord } from "./project-state.ts";
import { serviceHealth } from "./service-health.ts";
import { storeDatabaseUrl } from "../functions/platform-secrets.ts";
import { lasts } from "../state/settings.ts";
import { sha256 } from "../state/ids.ts";
import { branchesOf, removeBranch, removeProject, updateProject } from "../state/presence.ts";
import type { World } from "../state/world.ts";
import { regionsFor } from "./available-regions.ts";
import type { HandlerRequest, SectionHandlers } from "../handlers/handler.ts";
import { databaseHost } from "./database-host.ts";
import { lifeHandlers } from "./pause-and-restore.ts";
import { organizationOf } from "../organizations/organization-of.ts";

/**
 * src/emulator/projects: projects of the emulated platform: how they come up, pause, restart, upgrade, move and go, where there is room for
 * them, which release they run, and how their services do. Never here: what belongs to the database server (infrastructure/), to a branch as
 * such (branches/), or to one service (services/).
 */

type ProjectCreateBody = HandlerRequest<(typeof projects)["create"]>["body"];

export function projectsHandlers(world: World): SectionHandlers<"projects"> {
  return {
    create: ({ body, caller }) => {
      const organization = ownOrganization(world, caller, body.organization_slug);
      return projectOutput(world, createProject(world, organization, body));
    },
    list: ({ caller }) =>
      [...world.organizations.values()]
        .filter((organization) => isMember(organization, caller))
        .flatMap(({ slug }) => projectsOf(world, slug))
        .filter((project) => project.branchOf === undefined)
        .map((project) => projectDetail(world, project)),
    get: ({ params, caller }) => projectDetail(world, visibleMainProject(world, caller, params.ref)),
    update: ({ params, body, caller }) => {
      const project = visibleMainProject(world, caller, params.ref);
      if (body.name !== project.name && nameTaken(world, project.organizationSlug, body.name)) {
        throw nameConflict(body.name);
      }
      return projectRef(updateProject(world, project, { name: body.name }));
    },
    delete: ({ params, caller }) => projectRef(deleteProject(world, visibleMainProject(world, caller, params.ref))),
    ...lifeHandlers(world),
    availableRegions: ({ query, caller }) =>
      regionsFor(world, ownOrganization(world, caller, query.organization_slug), query),
    health: ({ params, query, caller }) => {
      const project = visibleProject(world, caller, params.ref);
      return query.services.map((name) => serviceHealth(world, project, name, query.timeout_ms));
    },
    updatePassword: ({ params, body, caller }) => {
      const project = visibleProject(world, caller, params.ref);
      const { changes } = project.databasePassword;
      updateProject(world, project, { databasePassword: { digest: sha256(body.password), changes: changes + 1 } });
      storeDatabaseUrl(world, project.ref, body.password);
      return { message: "Successfully updated password" };
    },
  };
}

/** The catalogue lists no 404 here: an organization that is not there is a bad field. @throws ApiFailure 400 */
function ownOrganization(world: World, caller: Caller, slug: string): OrganizationRecord {
  const organization = world.organizations.get(slug);
  if (organization !== undefined && isMember(organization, caller)) return organization;
  throw badRequest("organization_slug: Organization not found; expected the slug of an organization, not its id");
}

function createProject(world: World, organization: OrganizationRecord, body: ProjectCreateBody): ProjectRecord {
  if (nameTaken(world, organization.slug, body.name)) throw nameConflict(body.name);
  if (countProjects(world, organization.slug) >= organization.quotas.projects) {
    throw paymentRequired(
      `The organization has reached its limit of ${organization.quotas.projects} projects on its plan`,
    );
  }
  refuseSizeOfPlan(body, organization);
  const project = freshProject(world, {
    name: body.name,
    organization,
    region: regionOf(world, organization, body),
    instanceSize: body.desired_instance_size ?? USUAL_SIZE,
    databasePassword: body.db_pass,
  });
  storeNewProject(world, project, body.db_pass);
  return project;
}

function nameConflict(name: string): Error {
  return conflict(`Project with name ${JSON.stringify(name)} already exists in your organization`);
}

/** @throws ApiFailure 400 where there is no room for the size, or none on the organization's plan */
function regionOf(world: World, { plan }: OrganizationRecord, body: ProjectCreateBody): Region {
  const { region_selection: selection, desired_instance_size: size = USUAL_SIZE } = body;
  const wanted = { size, plan };
  const code = selection?.code ?? body.region ?? "us-east-1";
  const found = selection?.type === "smartGroup" ? regionOfGroup(world, selection.code, wanted) : code;
  if (isRegion(found) && unavailability(world, found, wanted) === undefined) return found;
  throw noRoom("region_selection", code, wanted);
}

/** With a project go its branches and their projects. */
function deleteProject(world: World, project: ProjectRecord): ProjectRecord {
  if (project.goneAtMs !== undefined) return project; // going down already
  const nowMs = world.clock.now();
  if (isProvisioning(statusAt(project.life, nowMs))) throw badRequest("Project not ready for deletion.");
  for (const branch of branchesOf(world, project.ref)) removeBranch(world, branch);
  const goingDownMs = lasts(world.settings, "goingDownMs");
  const ending = goThrough(world, project, [{ status: "GOING_DOWN", forMs: goingDownMs }]);
  if (goingDownMs > 0 || ending.life.held !== undefined) {
    return updateProject(world, ending, { goneAtMs: nowMs + goingDownMs });
  }
  removeProject(world, project.ref);
  return project;
}

function projectOutput(world: World, project: ProjectRecord): Project {
  return {
    id: project.ref,
    ref: project.ref,
    organization_id: organizationOf(world, project).id,
    organization_slug: project.organizationSlug,
    name: project.name,
    region: project.region,
    created_at: new Date(project.createdAtMs).toISOString(),
    status: statusAt(project.life, world.clock.now()),
  };
}

function projectDetail(world: World, project: ProjectRecord): ProjectDetail {
  const { version, engine, channel } = releaseOf(project, world.clock.now());
  return {
    ...projectOutput(world, project),
    database: { host: databaseHost(world, project.ref), version, postgres_engine: engine, release_channel: channel },
  };
}

function projectRef({ number, ref, name }: ProjectRecord): { id: number; ref: string; name: string } {
  return { id: number, ref, name };
}
