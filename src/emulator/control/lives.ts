import { notFound } from "../failure.ts";
import { dropAddon, selectAddon } from "../infrastructure/addon-selection.ts";
import { switchDataApi } from "../services/data-api-switch.ts";
import { always, hold, release } from "../state/life.ts";
import type { BranchRecord, ProjectRecord, ProjectStatus } from "../state/records.ts";
import { standstill, steerBranch } from "../branches/runs.ts";
import {
  isThere,
  projectByRef,
  removeBranch,
  removeProject,
  updateBranch,
  updateProject,
  type World,
} from "../state/world.ts";
import type { ControlHandlers } from "./calls.ts";

/** Control calls that steer lives: stop them, let them go on, put them into a status. */

export function projectControl(world: World): ControlHandlers["projects"] {
  const named = (refOrName: string): readonly ProjectRecord[] =>
    [...world.projects.values()].filter(({ ref, name }) => ref === refOrName || name === refOrName);
  return {
    hold: ({ refOrName, at }) => {
      world.holds = [...world.holds, { kind: "project", refOrName, at }];
      for (const project of named(refOrName)) {
        updateProject(world, project, { life: hold(project.life, at, world.clock.now()) });
      }
      return {};
    },
    release: ({ refOrName }) => {
      world.holds = world.holds.filter((rule) => rule.kind !== "project" || rule.refOrName !== refOrName);
      for (const project of named(refOrName)) {
        updateProject(world, project, { life: release(project.life, world.clock.now()) });
      }
      return {};
    },
    force: ({ ref, status }) => {
      updateProject(world, existing(world, ref), { life: always<ProjectStatus>(world.clock.now(), status) });
      return {};
    },
    patch: ({ ref, dataApi, pitr, softBranchDeletion }) => {
      const project = existing(world, ref);
      if (dataApi !== undefined) switchDataApi(world, ref, dataApi);
      if (pitr === true) selectAddon(world, ref, "pitr_7");
      if (pitr === false) dropAddon(world, ref, "pitr");
      updateProject(world, project, {
        softBranchDeletion: softBranchDeletion ?? project.softBranchDeletion,
      });
      return {};
    },
    remove: ({ ref }) => {
      existing(world, ref);
      removeWithBranches(world, ref);
      return {};
    },
  };
}

function existing(world: World, ref: string): ProjectRecord {
  const project = projectByRef(world, ref);
  if (project === undefined) throw notFound(`Project ${ref}`);
  return project;
}

function removeWithBranches(world: World, ref: string): void {
  for (const branch of world.branches.values()) {
    if (branch.parentRef === ref || branch.projectRef === ref) removeBranch(world, branch);
  }
  removeProject(world, ref);
}

export function branchControl(world: World): ControlHandlers["branches"] {
  const named = (refOrName: string): readonly BranchRecord[] =>
    [...world.branches.values()].filter(
      (branch) => isThere(world, branch) && [branch.id, branch.projectRef, branch.name].includes(refOrName),
    );
  return {
    hold: ({ refOrName, at }) => {
      world.holds = [...world.holds, { kind: "branch", refOrName, at }];
      for (const branch of named(refOrName)) {
        steerBranch(world, branch, hold(branch.life, at, world.clock.now()));
      }
      return {};
    },
    release: ({ refOrName }) => {
      world.holds = world.holds.filter((rule) => rule.kind !== "branch" || rule.refOrName !== refOrName);
      for (const branch of named(refOrName)) {
        steerBranch(world, branch, release(branch.life, world.clock.now()));
      }
      return {};
    },
    force: ({ refOrName, status }) => {
      const found = named(refOrName);
      if (found.length === 0) throw notFound(`Branch ${refOrName}`);
      for (const branch of found) updateBranch(world, branch, standstill(world, status));
      return {};
    },
  };
}
