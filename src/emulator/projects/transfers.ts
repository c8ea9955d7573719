import { logDrains } from "../../api/contract/log-drains.ts";
import type { Plan } from "../../api/contract/operation.ts";
import { readReplicas } from "../../api/contract/read-replicas.ts";
import type { TransferFinding, TransferPreview } from "../../api/contract/transfers.ts";
import { vanitySubdomain } from "../../api/contract/vanity-subdomain.ts";
import { type Caller, isMember, visibleMainProject } from "../access.ts";
import { missingInRole } from "../access/roles.ts";
import { badRequest } from "../failure.ts";
import { projects } from "../../api/contract/projects.ts";
import { hasAddons, isSizeOfAddon } from "../infrastructure/addon-plans.ts";
import { replicasOf } from "../infrastructure/primary-and-replicas.ts";
import { statusAt } from "../state/life.ts";
import { countProjects, nameTaken } from "./new-project.ts";
import { isActive } from "./project-life.ts";
import type { OrganizationRecord } from "../organizations/organization-state.ts";
import type { ProjectRecord } from "./project-state.ts";
import { FILE_SIZE_OF_PLAN } from "../services/storage-state.ts";
import { branchesOf, projectByRef, updateProject } from "../state/presence.ts";
import type { World } from "../state/world.ts";
import type { SectionHandlers } from "../handlers/handler.ts";
import { organizationOf } from "../organizations/organization-of.ts";

/** A project's move to another organization: what a preview calls invalid is refused. */
export function transfersHandlers(world: World): SectionHandlers<"transfers"> {
  return {
    preview: ({ params, body, caller }) => {
      const project = visibleMainProject(world, caller, params.ref);
      const target = targetOf(world, caller, body.data.attributes.target_organization_slug);
      const attributes = preview(world, { project, target, caller });
      return { data: { type: "project_transfer_result", attributes } };
    },
    create: ({ params, body, caller }) => {
      const project = visibleMainProject(world, caller, params.ref);
      const target = targetOf(world, caller, body.data.attributes.target_organization_slug);
      transfer(world, { project, target, caller });
      return undefined;
    },
  };
}

/** A project, where it shall go, and who brings it there. */
interface Transfer {
  readonly project: ProjectRecord;
  readonly target: OrganizationRecord | undefined;
  readonly caller: Pick<Caller, "userId">;
}

/** Moves a project with its branches. @throws ApiFailure 400 with what its preview calls errors */
export function transfer(world: World, wanted: Transfer): void {
  const { errors } = preview(world, wanted);
  const { project, target } = wanted;
  if (target === undefined || errors.length > 0) throw badRequest(errors.map(({ message }) => message).join("; "));
  move(world, project, target);
}

/** undefined: there is none, or the caller is no member of it. */
function targetOf(world: World, caller: Caller, slug: string): OrganizationRecord | undefined {
  const organization = world.organizations.get(slug);
  return isMember(organization, caller) ? organization : undefined;
}

type Preview = TransferPreview["data"]["attributes"];

function preview(world: World, { project, target, caller }: Transfer): Preview {
  if (target === undefined) {
    const message = "The target organization does not exist, or you are not a member of it";
    return { valid: false, warnings: [], errors: [{ key: "target_organization_not_found", message }], info: [] };
  }
  const errors = [
    ...obstaclesOfTarget(world, project, target),
    ...obstaclesOfRole(target, caller),
    ...movedWith(world, project).flatMap((one) => [
      ...obstaclesOfStatus(world, one),
      ...obstaclesOfPlan(world, one, target.plan),
    ]),
  ];
  return { valid: errors.length === 0, errors, warnings: warnings(world, project), info: info(world, project, target) };
}

/** Findings whose condition holds. */
function found(...candidates: readonly (readonly [boolean, string, string])[]): TransferFinding[] {
  return candidates.filter(([holds]) => holds).map(([, key, message]) => ({ key, message }));
}

function obstaclesOfTarget(world: World, project: ProjectRecord, target: OrganizationRecord): TransferFinding[] {
  const isSame = project.organizationSlug === target.slug;
  if (isSame) return found([true, "same_organization", "The project belongs to the target organization already"]);
  return found(
    [
      nameTaken(world, target.slug, project.name),
      "project_name_taken",
      `The target organization has a project named ${JSON.stringify(project.name)}`,
    ],
    [
      countProjects(world, target.slug) >= target.quotas.projects,
      "project_limit_reached",
      `The target organization has reached its limit of ${target.quotas.projects} projects on its plan`,
    ],
  );
}

/** Whoever brings a project must be allowed to create one there. */
function obstaclesOfRole(target: OrganizationRecord, { userId }: Transfer["caller"]): TransferFinding[] {
  const role = target.members[userId];
  const missing = role === undefined ? undefined : missingInRole(projects.create, role);
  return found([
    missing !== undefined,
    "insufficient_role",
    `Your role ${role} in the target organization lacks: ${missing}`,
  ]);
}

/** What a transfer takes to the other organization, and what it is to the project. */
interface Moved {
  readonly project: ProjectRecord;
  readonly name: string;
}

/** The project and the projects of its branches. */
function movedWith(world: World, project: ProjectRecord): readonly Moved[] {
  const previews = branchesOf(world, project.ref).flatMap(({ isDefault, name, projectRef }) => {
    const moved = isDefault ? undefined : projectByRef(world, projectRef);
    return moved === undefined ? [] : [{ project: moved, name: `branch ${JSON.stringify(name)}` }];
  });
  return [{ project, name: "project" }, ...previews];
}

/** What one that moves is in the middle of, which would end in another organization than it began in. */
function obstaclesOfStatus(world: World, { project, name }: Moved): TransferFinding[] {
  const status = statusAt(project.life, world.clock.now());
  const settled = isActive(status) || status === "INACTIVE";
  return found([!settled, "project_not_ready", `The ${name} cannot be transferred while it is ${status}`]);
}

/** What one that moves uses and the target's plan has not. */
function obstaclesOfPlan(world: World, { project, name }: Moved, plan: Plan): TransferFinding[] {
  const { ref, instanceSize } = project;
  const lacks = (plans: readonly Plan[]): boolean => plan !== "platform" && !plans.includes(plan);
  const used: readonly (readonly [boolean, string])[] = [
    [world.addons.of(ref).size > 0 && !hasAddons(plan), "add-ons"],
    [isSizeOfAddon(instanceSize) && !hasAddons(plan), `the compute size ${instanceSize}`],
    [world.logDrains.of(ref).size > 0 && lacks(logDrains.create.plans), "log drains"],
    [replicasOf(world, ref).length > 0 && lacks(readReplicas.setup.plans), "read replicas"],
    [world.vanitySubdomains.get(ref) !== null && lacks(vanitySubdomain.activate.plans), "a vanity subdomain"],
    [world.storageConfig.get(ref).fileSizeLimit > FILE_SIZE_OF_PLAN[plan], "files as large as the project allows"],
  ];
  return used
    .filter(([missing]) => missing)
    .map(([, what]) => ({
      key: "feature_not_in_plan",
      message: `The ${name} uses ${what}, which the target organization's plan ${plan} does not have`,
    }));
}

function warnings(world: World, project: ProjectRecord): TransferFinding[] {
  const branches = branchesOf(world, project.ref).filter(({ isDefault }) => !isDefault).length;
  const addons = movedWith(world, project).reduce((sum, one) => sum + world.addons.of(one.project.ref).size, 0);
  return found(
    [branches > 0, "branches_move", `${branches} preview branches move with the project and count there`],
    [addons > 0, "addons_move", `${addons} add-ons move with the project and are billed to the target organization`],
  );
}

function info(world: World, project: ProjectRecord, target: OrganizationRecord): TransferFinding[] {
  const { plan } = organizationOf(world, project);
  return found(
    [plan !== target.plan, "plan_changes", `The project goes from the plan ${plan} to the plan ${target.plan}`],
    [true, "members_change", "Members of the present organization who are none of the target lose their access"],
  );
}

function move(world: World, project: ProjectRecord, { slug }: OrganizationRecord): void {
  for (const moved of movedWith(world, project)) updateProject(world, moved.project, { organizationSlug: slug });
}
