import type { ActionRun } from "../../api/contract/actions.ts";
import { type Caller, visibleProject } from "../access.ts";
import { notFound } from "../failure.ts";
import type { ProjectRecord } from "../projects/project-state.ts";
import { runsOf } from "./runs.ts";
import { stepsAt } from "./run-steps.ts";
import type { RunRecord } from "./run-state.ts";
import type { World } from "../state/world.ts";
import { runLog } from "./run-log.ts";
import type { SectionHandlers } from "../handlers/handler.ts";

/** Action runs: what work on branches comes to. A project shows those of its branches, a branch's project its own. */
export function actionsHandlers(world: World): SectionHandlers<"actions"> {
  return {
    count: ({ params, caller }) => ({ count: visibleRuns(world, caller, params.ref).length }),
    list: ({ params, query, caller }) => {
      const { offset = 0, limit = Number.POSITIVE_INFINITY } = query;
      return visibleRuns(world, caller, params.ref)
        .slice(offset, offset + limit)
        .map((run) => runOutput(world, run));
    },
    get: ({ params, caller }) => runOutput(world, visibleRun(world, caller, params)),
    logs: ({ params, caller }) => runLog(visibleRun(world, caller, params), world.clock.now()),
    updateStatus: ({ params, body, caller }) => {
      const run = visibleRun(world, caller, params);
      const atMs = world.clock.now();
      const said = stepsAt(run, atMs).flatMap(({ name }) => {
        const status = body[name];
        return status === undefined ? [] : [{ step: name, status, atMs }];
      });
      const kept = run.overrides.filter(({ step }) => body[step] === undefined);
      world.runs.set(parentOf(visibleProject(world, caller, params.ref)), run.id, {
        ...run,
        overrides: [...kept, ...said],
      });
      return { message: "ok" };
    },
  };
}

function parentOf({ ref, branchOf }: ProjectRecord): string {
  return branchOf ?? ref;
}

function visibleRuns(world: World, caller: Caller, ref: string): readonly RunRecord[] {
  const project = visibleProject(world, caller, ref);
  return runsOf(world, project.ref, parentOf(project));
}

/** @throws ApiFailure 404 */
function visibleRun(
  world: World,
  caller: Caller,
  { ref, run_id: id }: { readonly ref: string; readonly run_id: string },
): RunRecord {
  const found = visibleRuns(world, caller, ref).find((run) => run.id === id);
  if (found === undefined) throw notFound("Action run");
  return found;
}

function runOutput(world: World, run: RunRecord): ActionRun {
  const steps = stepsAt(run, world.clock.now());
  const createdAt = new Date(run.createdAtMs).toISOString();
  return {
    id: run.id,
    branch_id: run.branchId,
    run_steps: steps.map(({ name, status, updatedAtMs }) => ({
      name,
      status,
      created_at: createdAt,
      updated_at: new Date(updatedAtMs).toISOString(),
    })),
    git_config: null,
    workdir: WORKDIR,
    check_run_id: run.number,
    created_at: createdAt,
    updated_at: new Date(Math.max(...steps.map(({ updatedAtMs }) => updatedAtMs))).toISOString(),
  };
}

/** Folder of a repository in which the platform looks for migrations and functions. */
const WORKDIR = "platform";
