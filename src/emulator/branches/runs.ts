import { RUN_STEPS, type RunStep } from "../../api/contract/actions.ts";
import { always, begin, type Life } from "../state/life.ts";
import type { BranchRecord, BranchStatus } from "./branch-state.ts";
import { phasesOfRun } from "./run-steps.ts";
import type { RunFailure, RunFailureOrder } from "./run-failure-state.ts";
import type { RunKind, RunNote, RunRecord } from "./run-state.ts";
import { underHolds } from "../state/holds.ts";
import { newId, nextNumber } from "../state/ids.ts";
import { updateBranch } from "../state/presence.ts";
import { orderedFailure, takeFailure } from "../state/ordered-failures.ts";
import type { World } from "../state/world.ts";

/** Action runs of the emulated projects, and the branches whose statuses go with them. */

/** What a run does, as far as it comes. */
export interface RunWork {
  readonly kind: RunKind;
  readonly notes: readonly RunNote[];
  readonly failedStep?: RunStep | undefined;
}

/** Lets a branch, which is stored already, go through the statuses of a run from now on. */
export function startRun(world: World, branch: BranchRecord, { kind, notes, failedStep }: RunWork): RunRecord {
  const nowMs = world.clock.now();
  const phases = phasesOfRun(world.settings, kind, failedStep);
  const run: RunRecord = {
    id: newId(),
    kind,
    branchId: branch.id,
    projectRef: branch.projectRef,
    number: nextNumber(world),
    createdAtMs: nowMs,
    spansMs: Object.fromEntries(phases.map(({ status, forMs }) => [status, forMs])),
    life: underHolds(world, { kind: "branch", names: [branch.projectRef, branch.name] }, begin(nowMs, phases)),
    failedStep,
    notes,
    overrides: [],
  };
  world.runs.set(branch.parentRef, run.id, run);
  updateBranch(world, branch, { life: run.life, runId: run.id });
  return run;
}

/** Changes the course of a branch's life, and of the run that it goes with. */
export function steerBranch(world: World, branch: BranchRecord, life: Life<BranchStatus>): BranchRecord {
  const run = branch.runId === undefined ? undefined : world.runs.get(branch.parentRef, branch.runId);
  if (run !== undefined) world.runs.set(branch.parentRef, run.id, { ...run, life });
  return updateBranch(world, branch, { life });
}

/** A life in one status, which goes with no run any more: the run, if one is under way, comes to its own end. */
export function standstill(world: World, status: BranchStatus): Pick<BranchRecord, "life" | "runId"> {
  return { life: always<BranchStatus>(world.clock.now(), status), runId: undefined };
}

/**
 * The runs of a project, newest first: those that work in it and, for a project with branches, those of its branches, which outlive them.
 *
 * @param parentRef the project itself, or the one that it is a branch of
 */
export function runsOf(world: World, ref: string, parentRef: string): readonly RunRecord[] {
  const all = [...world.runs.of(parentRef).values()].toReversed();
  return ref === parentRef ? all : all.filter(({ projectRef }) => projectRef === ref);
}

/** The newest run on a branch. */
export function latestRunOf(world: World, { id, parentRef }: BranchRecord): RunRecord | undefined {
  return [...world.runs.of(parentRef).values()].findLast(({ branchId }) => branchId === id);
}

export function orderRunFailure(world: World, order: RunFailureOrder): void {
  const id = newId();
  world.runFailures.set(id, orderedFailure(id, order));
}

/** The failure that was ordered for a run on this branch: the oldest of the step that it comes to first. */
export function takeRunFailure(
  world: World,
  { id, name, projectRef }: BranchRecord,
  steps: readonly RunStep[] = RUN_STEPS,
): RunFailure | undefined {
  for (const at of steps) {
    const isMeant = ({ refOrName, step }: RunFailure): boolean =>
      step === at && (refOrName === undefined || [id, name, projectRef].includes(refOrName));
    const found = takeFailure(world.runFailures, isMeant);
    if (found !== undefined) return found;
  }
  return undefined;
}
