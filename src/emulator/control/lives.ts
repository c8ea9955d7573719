import { z } from "zod";
import { BRANCH_STATUSES, PROJECT_STATUSES } from "../../api/contract/fields.ts";
import { ApiFailure, conflict } from "../failure.ts";
import { dropAddon, selectAddon } from "../infrastructure/addon-selection.ts";
import { PITR } from "../infrastructure/infrastructure-seed.ts";
import { isAtLeast, SMALLEST_WITH_PITR } from "../projects/compute-sizes.ts";
import { switchDataApi } from "../services/data-api-switch.ts";
import { always, release } from "../state/life.ts";
import type { ProjectRecord, ProjectStatus } from "../projects/project-state.ts";
import { standstill, steerBranch } from "../branches/runs.ts";
import { removeBranch, removeProject, updateBranch, updateProject } from "../state/presence.ts";
import { branchesCalled, branchNames, orderHold, projectsCalled } from "../state/order-hold.ts";
import type { HoldRule } from "../state/service-state.ts";
import type { World } from "../state/world.ts";
import { call, done, type Implementations } from "./call.ts";
import { notThere } from "./not-there.ts";
import { existingProject, ofProject } from "./of-project.ts";

/** Control calls that steer the lives of projects and branches: stop them, let them go on, put them into a status. */

const projectStatus = z.enum(PROJECT_STATUSES);
const branchStatus = z.enum(BRANCH_STATUSES);
const named = z.strictObject({ refOrName: z.string() });

export const lifeCalls = {
  projects: {
    hold: call({
      summary:
        "Stop a project in a status that it has or is yet to reach, for ever; also one that is yet to be created, by name",
      input: named.extend({ at: projectStatus }),
      output: done,
    }),
    release: call({ summary: "Let a held project go on", input: named, output: done }),
    force: call({
      summary: "Put a project into a status, in which it stays",
      input: ofProject.extend({ status: projectStatus }),
      output: done,
    }),
    patch: call({
      summary:
        "Switch the Data API, point-in-time recovery (with the compute size that it needs) and soft deletion of branches, whatever the plan",
      input: ofProject
        .extend({
          dataApi: z.boolean().optional(),
          pitr: z.boolean().optional(),
          softBranchDeletion: z.boolean().optional(),
        })
        .refine(
          ({ ref: _, ...changes }) => Object.keys(changes).length > 0,
          "nothing to change: say dataApi, pitr or softBranchDeletion",
        ),
      output: done,
    }),
    remove: call({
      summary: "Make a project vanish, as if somebody had deleted it in the dashboard",
      input: ofProject,
      output: done,
    }),
  },
  branches: {
    hold: call({
      summary: "Stop a branch in a status that it has or is yet to reach; also one that is yet to be created, by name",
      input: named.extend({ at: branchStatus }),
      output: done,
    }),
    release: call({ summary: "Let a held branch go on", input: named, output: done }),
    force: call({
      summary: "Put a branch into a status, in which it stays",
      input: named.extend({ status: branchStatus }),
      output: done,
    }),
  },
} as const;

type LifeControl = Implementations<typeof lifeCalls>;

export function lifeControl(world: World): LifeControl {
  return { projects: projectControl(world), branches: branchControl(world) };
}

function projectControl(world: World): LifeControl["projects"] {
  return {
    hold: ({ refOrName, at }) => orderHold(world, { kind: "project", refOrName, at }),
    release: ({ refOrName }) => {
      const found = projectsCalled(world, refOrName);
      takeHoldsBack(world, { kind: "project", refOrName }, found);
      for (const project of found) letGo(world, project);
    },
    force: ({ ref, status }) => {
      const project = existingProject(world, ref);
      if (isDeleted(project)) throw conflict(`project ${ref} was deleted: it is GOING_DOWN until it is gone`);
      updateProject(world, project, { life: always<ProjectStatus>(world.clock.now(), status) });
    },
    patch: ({ ref, dataApi, pitr, softBranchDeletion }) => {
      const project = existingProject(world, ref);
      if (dataApi !== undefined) switchDataApi(world, ref, dataApi);
      if (pitr === true) selectAddon(world, ref, PITR);
      if (pitr === false) dropAddon(world, ref, "pitr");
      updateProject(world, project, {
        softBranchDeletion: softBranchDeletion ?? project.softBranchDeletion,
        ...(pitr === true ? sizeForPitr(world, project) : {}),
      });
    },
    remove: ({ ref }) => {
      existingProject(world, ref);
      removeWithBranches(world, ref);
    },
  };
}

/** The size that point-in-time recovery needs, as if the project had been resized before. */
function sizeForPitr(world: World, { ref, instanceSize }: ProjectRecord): Partial<ProjectRecord> {
  if (isAtLeast(instanceSize, SMALLEST_WITH_PITR)) return {};
  world.computeHistory.set(ref, { previousSize: instanceSize });
  return { instanceSize: SMALLEST_WITH_PITR };
}

/** Lets a project go on: after GOING_DOWN it is gone. */
function letGo(world: World, project: ProjectRecord): void {
  const nowMs = world.clock.now();
  const ends = project.life.held !== undefined && isDeleted(project);
  updateProject(world, project, { life: release(project.life, nowMs), ...(ends ? { goneAtMs: nowMs } : {}) });
}

/** Deleted itself; the project of a branch goes with that, and may come back with it. */
function isDeleted({ goneAtMs, branchOf }: ProjectRecord): boolean {
  return goneAtMs !== undefined && branchOf === undefined;
}

/** Whatever comes under the name is not held. @throws ApiFailure 404 where nothing is, nor was to be once it is there */
function takeHoldsBack(
  world: World,
  { kind, refOrName }: Pick<HoldRule, "kind" | "refOrName">,
  found: readonly { readonly life: { readonly held?: unknown } }[],
): void {
  const others = world.holds.filter((rule) => rule.kind !== kind || rule.refOrName !== refOrName);
  if (others.length === world.holds.length && found.every(({ life }) => life.held === undefined)) {
    const ordered = others.filter((rule) => rule.kind === kind).map((rule) => rule.refOrName);
    throw new ApiFailure(404, `no ${kind} ${refOrName} is held; held: ${[...new Set(ordered)].join(", ") || "none"}`);
  }
  world.holds = others;
}

function removeWithBranches(world: World, ref: string): void {
  for (const branch of world.branches.values()) {
    if (branch.parentRef === ref || branch.projectRef === ref) removeBranch(world, branch);
  }
  removeProject(world, ref);
}

function branchControl(world: World): LifeControl["branches"] {
  return {
    hold: ({ refOrName, at }) => orderHold(world, { kind: "branch", refOrName, at }),
    release: ({ refOrName }) => {
      const found = branchesCalled(world, refOrName);
      takeHoldsBack(world, { kind: "branch", refOrName }, found);
      for (const branch of found) {
        steerBranch(world, branch, release(branch.life, world.clock.now()));
      }
    },
    force: ({ refOrName, status }) => {
      const found = branchesCalled(world, refOrName);
      if (found.length === 0) throw notThere("Branch", refOrName, branchNames(world));
      for (const branch of found) updateBranch(world, branch, standstill(world, status));
    },
  };
}
