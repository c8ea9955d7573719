import type { branches } from "../../api/contract/branches.ts";
import { visibleBranch, visibleMainProject, visibleProject } from "../access.ts";
import type { Databases } from "../postgres/database.ts";
import { notFound, unprocessable } from "../failure.ts";
import type { BranchRecord } from "./branch-state.ts";
import type { ProjectRecord } from "../projects/project-state.ts";
import { standstill } from "./runs.ts";
import type { RunRecord } from "./run-state.ts";
import { newRef } from "../state/ids.ts";
import {
  branchesOf,
  projectByRef,
  removeBranch,
  stayingProject,
  updateBranch,
  updateProject,
} from "../state/presence.ts";
import type { World } from "../state/world.ts";
import {
  checkNewBranch,
  checkPreview,
  createDefaultBranch,
  createPreviewBranch,
  nameConflict,
} from "./branch-create.ts";
import { branchDiff } from "./branch-diff.ts";
import { branchConfig, branchOutput } from "./branch-output.ts";
import { mergeBranch, pushToBranch, resetBranch } from "./branch-work.ts";
import type { HandlerRequest, SectionHandlers } from "../handlers/handler.ts";
import { answered, silenceOf } from "../sql/sql.ts";

type BranchCreateBody = HandlerRequest<(typeof branches)["create"]>["body"];
type BranchUpdateBody = HandlerRequest<(typeof branches)["update"]>["body"];

/**
 * src/emulator/branches: preview branches, and the action runs that work on them step by step. Never here: the project that a branch has of
 * its own, which is one like any other (projects/), nor how a database is copied or compared (postgres/).
 */
export function branchesHandlers(world: World, databases: Databases): SectionHandlers<"branches"> {
  return {
    create: async ({ params, body, caller }) =>
      branchOutput(world, await create(world, databases, visibleMainProject(world, caller, params.ref), body)),
    list: ({ params, caller }) => {
      const found = branchesOf(world, visibleProject(world, caller, params.ref).ref);
      if (found.length === 0 && world.settings.branchesWithoutBranching === "refused") {
        throw unprocessable("Preview branching is not enabled for this project");
      }
      return found.map((branch) => branchOutput(world, branch));
    },
    disable: ({ params, caller }) => {
      for (const branch of branchesOf(world, visibleProject(world, caller, params.ref).ref)) {
        removeBranch(world, branch);
      }
      return undefined;
    },
    getByName: ({ params, caller }) => {
      const { ref } = visibleProject(world, caller, params.ref);
      const branch = branchesOf(world, ref).find(({ name }) => name === params.name);
      if (branch === undefined) throw notFound("Branch");
      return branchOutput(world, branch);
    },
    get: ({ params, caller }) => branchConfig(world, caller, visibleBranch(world, caller, params.branch_id_or_ref)),
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
    ...workHandlers(world, databases),
  };
}

type WorkHandlers = Pick<SectionHandlers<"branches">, "diff" | "merge" | "push" | "reset" | "restore">;

function workHandlers(world: World, databases: Databases): WorkHandlers {
  return {
    diff: async ({ params, query, caller }) => {
      const find = () => visibleBranch(world, caller, params.branch_id_or_ref);
      const included = query.included_schemas?.split(",").map((name) => name.trim());
      return answered(branchDiff(world, databases, find, included));
    },
    merge: async ({ params, body, caller }) => {
      const find = () => visibleBranch(world, caller, params.branch_id_or_ref);
      return runStarted(await answered(mergeBranch(world, databases, { find, upTo: body.migration_version })));
    },
    push: async ({ params, body, caller }) => {
      const find = () => visibleBranch(world, caller, params.branch_id_or_ref);
      return runStarted(await answered(pushToBranch(world, databases, { find, upTo: body.migration_version })));
    },
    reset: async ({ params, body, caller }) => {
      const find = () => visibleBranch(world, caller, params.branch_id_or_ref);
      return runStarted(await answered(resetBranch(world, databases, { find, upTo: body.migration_version })));
    },
    restore: ({ params, caller }) => {
      restore(world, visibleBranch(world, caller, params.branch_id_or_ref));
      return { message: "Branch restoration initiated" };
    },
  };
}

function runStarted({ id }: RunRecord): { workflow_run_id: string; message: string } {
  return { workflow_run_id: id, message: "ok" };
}

async function create(
  world: World,
  databases: Databases,
  parent: ProjectRecord,
  body: BranchCreateBody,
): Promise<BranchRecord> {
  if (checkNewBranch(world, parent, body).isDefault) return createDefaultBranch(world, parent, body);
  const wanted = { ref: newRef(world), body };
  checkPreview(world, parent, wanted);
  const silence = silenceOf(world, parent.ref);
  if (silence !== undefined) throw silence;
  try {
    await answered(databases.clone(parent.ref, wanted.ref, { data: body.with_data ?? false }));
    // what happened meanwhile: the project may be gone or elsewhere, or there may be a branch of this name, or branching may be off
    const present = stayingProject(world, parent.ref);
    if (present === undefined) throw notFound("Project");
    if (checkNewBranch(world, present, body).isDefault) throw unprocessable("Preview branching was disabled meanwhile");
    return createPreviewBranch(world, present, wanted);
  } catch (error) {
    databases.drop(wanted.ref);
    throw error;
  }
}

function update(world: World, branch: BranchRecord, body: BranchUpdateBody): BranchRecord {
  const { branch_name: name } = body;
  const taken = branchesOf(world, branch.parentRef).some((other) => other.id !== branch.id && other.name === name);
  if (name !== undefined && taken) throw nameConflict(name);
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
    ...(body.status === undefined ? {} : standstill(world, body.status)),
  });
}

function scheduleDeletion(world: World, branch: BranchRecord): void {
  if (branch.deletionScheduledAtMs !== undefined) return; // the grace period does not begin anew
  const deletionScheduledAtMs = world.clock.now() + world.settings.timings.branchGraceMs;
  updateBranch(world, branch, { deletionScheduledAtMs });
  const project = projectByRef(world, branch.projectRef);
  if (project !== undefined) updateProject(world, project, { goneAtMs: deletionScheduledAtMs });
}

/** @throws ApiFailure 422 when no deletion is scheduled */
function restore(world: World, branch: BranchRecord): void {
  if (branch.deletionScheduledAtMs === undefined) throw unprocessable("Branch is not scheduled for deletion");
  updateBranch(world, branch, { deletionScheduledAtMs: undefined });
  const project = projectByRef(world, branch.projectRef);
  if (project !== undefined) updateProject(world, project, { goneAtMs: undefined });
}
