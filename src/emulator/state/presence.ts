import type { BranchRecord } from "../branches/branch-state.ts";
import type { ProjectRecord } from "../projects/project-state.ts";
import { statusAt } from "./life.ts";
import { goneAt } from "./indexes.ts";
import { ofProjects } from "./tables.ts";
import type { World } from "./world.ts";

/** Which projects and branches are there at this moment, and how their records change and go. */

/** Branches of a project that are there now. */
export function branchesOf(world: World, parentRef: string): readonly BranchRecord[] {
  return [...world.indexes.branchesOf.of(parentRef).values()].filter((branch) => isThere(world, branch));
}

/** Whether a branch was not yet removed by its scheduled deletion. */
export function isThere(world: World, branch: BranchRecord): boolean {
  return branch.deletionScheduledAtMs === undefined || world.clock.now() < branch.deletionScheduledAtMs;
}

/** The branch whose project has this ref (a default branch has the ref of its parent). */
export function branchByProjectRef(world: World, ref: string): BranchRecord | undefined {
  return [...world.indexes.branchesIn.of(ref).values()].find((branch) => isThere(world, branch));
}

/** A project by ref, preview projects of branches included; undefined once it is gone. */
export function projectByRef(world: World, ref: string): ProjectRecord | undefined {
  const project = world.projects.get(ref);
  if (project === undefined) return undefined;
  const goneAtMs = goneAt(project);
  return goneAtMs !== undefined && world.clock.now() >= goneAtMs ? undefined : project;
}

/** A project that is there to stay: of one that is going down nothing is read or changed but itself. */
export function stayingProject(world: World, ref: string): ProjectRecord | undefined {
  const project = projectByRef(world, ref);
  return project === undefined || isGoingDown(world, project) ? undefined : project;
}

/** Deleted and not gone yet, or put into that status. The project of a branch that can still come back is as it was. */
export function isGoingDown(world: World, { life }: ProjectRecord): boolean {
  return statusAt(life, world.clock.now()) === "GOING_DOWN";
}

/** Replaces a project's record; the project must exist. */
export function updateProject(world: World, project: ProjectRecord, change: Partial<ProjectRecord>): ProjectRecord {
  const updated = { ...project, ...change };
  world.projects.set(project.ref, updated);
  return updated;
}

export function updateBranch(world: World, branch: BranchRecord, change: Partial<BranchRecord>): BranchRecord {
  const updated = { ...branch, ...change, updatedAtMs: world.clock.now() };
  world.branches.set(branch.id, updated);
  return updated;
}

/** Removes a project and all that belongs to it; its branches are for the caller. */
export function removeProject(world: World, ref: string): void {
  if (!world.projects.delete(ref)) return;
  for (const table of ofProjects(world.tables)) table.drop(ref);
  world.onProjectRemoved(ref);
}

/** Removes the projects and branches whose time is over: nobody sees them any more. */
export function sweepGone(world: World): void {
  const nowMs = world.clock.now();
  for (const id of world.indexes.branchesGone.until(nowMs)) {
    const branch = world.branches.get(id);
    if (branch !== undefined) removeBranch(world, branch);
  }
  for (const ref of world.indexes.projectsGone.until(nowMs)) removeProject(world, ref);
}

/** Removes a branch, and its project where it has one of its own. */
export function removeBranch(world: World, branch: BranchRecord): void {
  world.branches.delete(branch.id);
  if (!branch.isDefault) removeProject(world, branch.projectRef);
}
