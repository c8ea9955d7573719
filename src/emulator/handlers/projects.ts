import type { Project, ProjectDetail, projects } from "../../api/contract/projects.ts";
import { isMember, visibleMainProject, visibleProject } from "../access.ts";
import { badRequest, conflict, paymentRequired } from "../failure.ts";
import { jsonReply } from "../http/answer.ts";
import { begin, statusAt } from "../state/life.ts";
import { freshProject, nameTaken, projectsOf, storeNewProject } from "../state/new-project.ts";
import { isActive, isProvisioning, pausing, restarting, restoring } from "../state/project-life.ts";
import { goThrough } from "../state/project-phases.ts";
import { releaseOf } from "../state/releases.ts";
import type { OrganizationRecord, ProjectRecord, ProjectStatus } from "../state/records.ts";
import { serviceHealth } from "../state/service-health.ts";
import { lasts } from "../state/settings.ts";
import { branchesOf, removeBranch, removeProject, sha256, updateProject, type World } from "../state/world.ts";
import type { HandlerRequest, SectionHandlers } from "./handler.ts";

type CreateBody = HandlerRequest<(typeof projects)["create"]>["body"];

const GROUP_REGIONS = { americas: "us-east-1", emea: "eu-central-1", apac: "ap-southeast-1" } as const;

export function projectHandlers(world: World): SectionHandlers<"projects"> {
  return {
    create: ({ body, caller }) => {
      const organization = world.organizations.get(body.organization_slug);
      // the catalogue lists no 404 here: an organization that is not there is a bad field
      if (organization === undefined || !isMember(organization, caller)) {
        throw badRequest("organization_slug: Organization not found; expected the slug of an organization, not its id");
      }
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
    pause: ({ params, caller }) => {
      const project = visibleProject(world, caller, params.ref);
      const status = statusAt(project.life, world.clock.now());
      if (!isActive(status)) throw badRequest(`Project cannot be paused, it is ${status}`);
      goThrough(world, project, pausing(world.settings));
      return undefined;
    },
    restart: ({ params, caller }) => {
      const project = visibleProject(world, caller, params.ref);
      const status = statusAt(project.life, world.clock.now());
      if (!isActive(status)) throw badRequest(`Project cannot be restarted, it is ${status}`);
      goThrough(world, project, restarting(world.settings));
      return jsonReply({});
    },
    restore: ({ params, caller }) => {
      const project = visibleProject(world, caller, params.ref);
      const status = statusAt(project.life, world.clock.now());
      if (status !== "INACTIVE") throw badRequest(`Project is no longer in a paused state, it is ${status}`);
      goThrough(world, project, restoring(world.settings));
      return undefined;
    },
    health: ({ params, query, caller }) => {
      const project = visibleProject(world, caller, params.ref);
      return query.services.map((name) => serviceHealth(world, project, name, query.timeout_ms));
    },
    updatePassword: ({ params, body, caller }) => {
      const project = visibleProject(world, caller, params.ref);
      const { changes } = project.databasePassword;
      updateProject(world, project, { databasePassword: { digest: sha256(body.password), changes: changes + 1 } });
      return { message: "Successfully updated password" };
    },
  };
}

function createProject(world: World, organization: OrganizationRecord, body: CreateBody): ProjectRecord {
  if (nameTaken(world, organization.slug, body.name)) throw nameConflict(body.name);
  const active = projectsOf(world, organization.slug).filter(({ branchOf }) => branchOf === undefined);
  if (active.length >= organization.quotas.projects) {
    throw paymentRequired(
      `The organization has reached its limit of ${organization.quotas.projects} projects on its plan`,
    );
  }
  const project = freshProject(world, {
    name: body.name,
    organization,
    region: regionOf(body),
    instanceSize: body.desired_instance_size ?? "micro",
    databasePassword: body.db_pass,
  });
  storeNewProject(world, project);
  return project;
}

function nameConflict(name: string): Error {
  return conflict(`Project with name ${JSON.stringify(name)} already exists in your organization`);
}

function regionOf({ region_selection: selection, region }: CreateBody): string {
  if (selection === undefined) return region ?? "us-east-1";
  return selection.type === "specific" ? selection.code : GROUP_REGIONS[selection.code];
}

/** With a project go its branches and their projects. */
function deleteProject(world: World, project: ProjectRecord): ProjectRecord {
  if (project.goneAtMs !== undefined) return project; // going down already
  const nowMs = world.clock.now();
  if (isProvisioning(statusAt(project.life, nowMs))) throw badRequest("Project not ready for deletion.");
  for (const branch of branchesOf(world, project.ref)) removeBranch(world, branch);
  const goingDownMs = lasts(world.settings, "goingDownMs");
  if (goingDownMs === 0) {
    removeProject(world, project.ref);
    return project;
  }
  const life = begin<ProjectStatus>(nowMs, [{ status: "GOING_DOWN", forMs: goingDownMs }]);
  return updateProject(world, project, { life, goneAtMs: nowMs + goingDownMs });
}

function projectOutput(world: World, project: ProjectRecord): Project {
  return {
    id: project.ref,
    ref: project.ref,
    organization_id: world.organizations.get(project.organizationSlug)?.id ?? project.organizationSlug,
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

/** `db.<ref>.<host>` (facts.md §4). */
export function databaseHost(world: World, ref: string): string {
  return `db.${ref}.${world.settings.domain}`;
}

function projectRef({ number, ref, name }: ProjectRecord): { id: number; ref: string; name: string } {
  return { id: number, ref, name };
}
