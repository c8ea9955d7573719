import type { BranchRecord } from "../branches/branch-state.ts";
import { steerBranch } from "../branches/runs.ts";
import type { ProjectRecord } from "../projects/project-state.ts";
import { hold } from "./life.ts";
import { isThere, projectByRef, updateProject } from "./presence.ts";
import type { HoldRule } from "./service-state.ts";
import type { World } from "./world.ts";

/** Holds as a seed or a control call orders them, and what they name. */

/** Stops what has this ref or name in a status that it has or is yet to reach; also what gets the name after this. */
export function orderHold(world: World, rule: HoldRule): void {
  world.holds = [...world.holds, rule];
  const nowMs = world.clock.now();
  if (rule.kind === "project") {
    for (const project of projectsCalled(world, rule.refOrName)) {
      updateProject(world, project, { life: hold(project.life, rule.at, nowMs) });
    }
    return;
  }
  for (const branch of branchesCalled(world, rule.refOrName)) {
    steerBranch(world, branch, hold(branch.life, rule.at, nowMs));
  }
}

export function projectsCalled(world: World, refOrName: string): readonly ProjectRecord[] {
  return [...world.projects.values()].filter(
    ({ ref, name }) => (ref === refOrName || name === refOrName) && projectByRef(world, ref) !== undefined,
  );
}

/** Names by which somebody may have meant one. */
export function projectNames(world: World): readonly string[] {
  return [...world.projects.values()]
    .filter(({ ref }) => projectByRef(world, ref) !== undefined)
    .map(({ name }) => name);
}

export function branchNames(world: World): readonly string[] {
  return [...world.branches.values()].filter((branch) => isThere(world, branch)).map(({ name }) => name);
}

export function branchesCalled(world: World, refOrName: string): readonly BranchRecord[] {
  return [...world.branches.values()].filter(
    (branch) => isThere(world, branch) && [branch.id, branch.projectRef, branch.name].includes(refOrName),
  );
}
