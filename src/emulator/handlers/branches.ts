import type { Branch, BranchConfig, branches } from "../../api/contract/branches.ts";
import { type Caller, mayCall, visibleBranch, visibleMainProject, visibleProject } from "../access.ts";
import { badRequest, conflict, notFound, unprocessable } from "../failure.ts";
import { jsonReply } from "../http/answer.ts";
import { hasAddon } from "../state/addons.ts";
import { always, begin, statusAt } from "../state/life.ts";
import { freshProject, storeNewProject } from "../state/new-project.ts";
import { branching, isActive, previewing } from "../state/project-life.ts";
import { jwtSecretOf } from "../state/project-keys.ts";
import { newestRelease, releaseOf } from "../state/releases.ts";
import type { Release } from "../state/upgrade-state.ts";
import type { BranchRecord, BranchStatus, ProjectRecord, ProjectStatus } from "../state/records.ts";
import {
  branchesOf,
  newCredential,
  newId,
  projectByRef,
  removeBranch,
  sha256,
  underHolds,
  updateBranch,
  updateProject,
  type World,
} from "../state/world.ts";
import { databaseHost } from "./projects.ts";
import type { HandlerRequest, SectionHandlers } from "./handler.ts";
import { checkSecrets, storeSecrets } from "./secrets.ts";

type CreateBody = HandlerRequest<(typeof branches)["create"]>["body"];
type UpdateBody = HandlerRequest<(typeof branches)["update"]>["body"];

export function branchHandlers(world: World): SectionHandlers<"branches"> {
  return {
    create: ({ params, body, caller }) =>
      branchOutput(world, create(world, visibleMainProject(world, caller, params.ref), body)),
    list: ({ params, caller }) =>
      branchesOf(world, visibleProject(world, caller, params.ref).ref).map((branch) => branchOutput(world, branch)),
    disable: ({ params, caller }) => {
      for (const branch of branchesOf(world, visibleProject(world, caller, params.ref).ref)) {
        removeBranch(world, branch);
      }
      return jsonReply({});
    },
    getByName: ({ params, caller }) => {
      const { ref } = visibleProject(world, caller, params.ref);
      const branch = branchesOf(world, ref).find(({ name }) => name === params.name);
      if (branch === undefined) throw notFound("Branch");
      return branchOutput(world, branch);
    },
    get: ({ params, caller }) => config(world, caller, visibleBranch(world, caller, params.branch_id_or_ref)),
    update: ({ params, body, caller }) =>
      branchOutput(world, update(world, visibleBranch(world, caller, params.branch_id_or_ref), body)),
    delete: ({ params, query, caller }) => {
      const branch = visibleBranch(world, caller, params.branch_id_or_ref);
      if (branch.isDefault) throw unprocessable("Cannot delete the default branch");
      if (branch.persistent) {
        throw unprocessable("Cannot delete a persistent branch; it must first be changed to persistent=false");
      }
      const soft = query.force === false && projectByRef(world, branch.parentRef)?.softBranchDeletion === true;
      if (soft) scheduleDeletion(world, branch);
      else removeBranch(world, branch);
      return { message: "ok" };
    },
  };
}

/** The first branch is the default one, whatever it is called; later ones get projects of their own (facts.md §6.6). */
function create(world: World, parent: ProjectRecord, body: CreateBody): BranchRecord {
  const siblings = branchesOf(world, parent.ref);
  if (siblings.some(({ name }) => name === body.branch_name)) {
    throw conflict(`Branch with name ${JSON.stringify(body.branch_name.slice(0, 80))} already exists`);
  }
  const status = statusAt(parent.life, world.clock.now());
  if (!isActive(status)) throw badRequest(`Project is not ready for branching, it is ${status}`);
  if (body.with_data === true && !hasAddon(world, parent.ref, "pitr")) {
    throw badRequest("with_data: branching with data requires the point-in-time recovery add-on, which is not enabled");
  }
  const isDefault = siblings.length === 0;
  if (body.is_default === true && !isDefault) {
    throw unprocessable("is_default: the project has a default branch already");
  }
  const databasePassword = newCredential();
  const projectRef = isDefault ? parent.ref : preview(world, parent, body, databasePassword);
  const nowMs = world.clock.now();
  const branch: BranchRecord = {
    id: newId(),
    name: body.branch_name,
    projectRef,
    parentRef: parent.ref,
    isDefault,
    gitBranch: body.git_branch,
    notifyUrl: body.notify_url,
    persistent: body.persistent ?? isDefault,
    withData: body.with_data ?? false,
    life: branchLife(world, isDefault, [projectRef, body.branch_name]),
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    reviewRequestedAtMs: undefined,
    deletionScheduledAtMs: undefined,
    databasePassword,
  };
  world.branches.set(branch.id, branch);
  return branch;
}

function branchLife(world: World, isDefault: boolean, names: readonly string[]): BranchRecord["life"] {
  const nowMs = world.clock.now();
  if (isDefault) return always<BranchStatus>(nowMs, "FUNCTIONS_DEPLOYED");
  return underHolds(world, "branch", names, begin(nowMs, branching(world.settings)));
}

/** Makes the project of a branch. @returns its ref */
function preview(world: World, parent: ProjectRecord, body: CreateBody, databasePassword: string): string {
  const organization = world.organizations.get(parent.organizationSlug);
  if (organization === undefined) throw notFound("Organization");
  const fresh = freshProject(world, {
    name: body.branch_name,
    organization,
    region: body.region ?? parent.region,
    instanceSize: body.desired_instance_size ?? "micro",
    databasePassword,
  });
  const life = begin<ProjectStatus>(world.clock.now(), previewing(world.settings));
  const project: ProjectRecord = {
    ...fresh,
    branchOf: parent.ref,
    release: releaseFor(world, parent, body),
    life: underHolds(world, "project", [fresh.ref, body.branch_name], life),
  };
  const named = Object.entries(body.secrets ?? {}).map(([name, value]) => ({ name, value }));
  checkSecrets(world, project, named); // before the project is there
  storeNewProject(world, project);
  storeSecrets(world, project, named);
  return project.ref;
}

/** What the parent runs, or the newest of the engine that is asked for. */
function releaseFor(world: World, parent: ProjectRecord, body: CreateBody): Release {
  const ofParent = releaseOf(parent, world.clock.now());
  const { postgres_engine: engine = ofParent.engine, release_channel: channel = ofParent.channel } = body;
  return { ...(engine === ofParent.engine ? ofParent : newestRelease(world, engine)), channel };
}

function update(world: World, branch: BranchRecord, body: UpdateBody): BranchRecord {
  const { branch_name: name } = body;
  const taken = branchesOf(world, branch.parentRef).some((other) => other.id !== branch.id && other.name === name);
  if (taken) throw unprocessable(`branch_name: a branch of this name already exists`);
  if (branch.isDefault && body.persistent === false) throw unprocessable("The default branch is always persistent");
  const nowMs = world.clock.now();
  const project = projectByRef(world, branch.projectRef);
  if (name !== undefined && project?.branchOf !== undefined) updateProject(world, project, { name });
  return updateBranch(world, branch, {
    name: name ?? branch.name,
    gitBranch: body.git_branch ?? branch.gitBranch,
    persistent: body.persistent ?? branch.persistent,
    notifyUrl: body.notify_url ?? branch.notifyUrl,
    reviewRequestedAtMs: body.request_review === true ? nowMs : branch.reviewRequestedAtMs,
    life: body.status === undefined ? branch.life : always<BranchStatus>(nowMs, body.status),
  });
}

function scheduleDeletion(world: World, branch: BranchRecord): void {
  if (branch.deletionScheduledAtMs !== undefined) return; // the grace period does not begin anew
  const deletionScheduledAtMs = world.clock.now() + world.settings.timings.branchGraceMs;
  updateBranch(world, branch, { deletionScheduledAtMs });
  const project = projectByRef(world, branch.projectRef);
  if (project !== undefined) updateProject(world, project, { goneAtMs: deletionScheduledAtMs });
}

function branchOutput(world: World, branch: BranchRecord): Branch {
  const nowMs = world.clock.now();
  const project = projectByRef(world, branch.projectRef);
  return {
    id: branch.id,
    name: branch.name,
    project_ref: branch.projectRef,
    parent_project_ref: branch.parentRef,
    is_default: branch.isDefault,
    ...(branch.gitBranch === undefined ? {} : { git_branch: branch.gitBranch }),
    persistent: branch.persistent,
    status: statusAt(branch.life, nowMs),
    created_at: new Date(branch.createdAtMs).toISOString(),
    updated_at: new Date(branch.updatedAtMs).toISOString(),
    ...timeField("review_requested_at", branch.reviewRequestedAtMs),
    ...timeField("deletion_scheduled_at", branch.deletionScheduledAtMs),
    with_data: branch.withData,
    ...(branch.notifyUrl === undefined ? {} : { notify_url: branch.notifyUrl }),
    ...(project === undefined ? {} : { preview_project_status: statusAt(project.life, nowMs) }),
  };
}

function timeField(name: string, atMs: number | undefined): Record<string, string> {
  return atMs === undefined ? {} : { [name]: new Date(atMs).toISOString() };
}

/** The database of a branch; credentials are "hidden without rights" (facts.md §3). */
function config(world: World, caller: Caller, branch: BranchRecord): BranchConfig {
  const project = projectByRef(world, branch.projectRef);
  if (project === undefined) throw notFound("Branch");
  const mayKnow = mayCall(caller, [["project_admin_write"]]);
  const { version, engine, channel } = releaseOf(project, world.clock.now());
  return {
    ref: project.ref,
    postgres_version: version,
    postgres_engine: engine,
    release_channel: channel,
    status: statusAt(project.life, world.clock.now()),
    db_host: databaseHost(world, project.ref),
    db_port: 5432,
    ...(mayKnow ? credentialFields(world, branch, project) : {}),
  };
}

/** A password that a caller has set is never shown, only the one that the branch was made with. */
function credentialFields(
  world: World,
  { databasePassword }: BranchRecord,
  { ref, databasePassword: present }: ProjectRecord,
): Partial<BranchConfig> {
  return {
    db_user: "postgres",
    ...(sha256(databasePassword) === present.digest ? { db_pass: databasePassword } : {}),
    jwt_secret: jwtSecretOf(world, ref),
  };
}
