import { RUN_STEPS, type RunStep, type RunStepStatus } from "../../api/contract/actions.ts";
import type { LifePhase, Phases } from "../state/life.ts";
import type { BranchStatus } from "./branch-state.ts";
import type { RunKind, RunRecord } from "./run-state.ts";
import { lasts, type Settings } from "../state/settings.ts";

/** How the steps of an action run follow from the life of the branch that it works on. Pure. */

interface RunStage {
  readonly status: BranchStatus;
  readonly timing: "creatingBranchMs" | "runningMigrationsMs" | "migrationsPassedMs";
  readonly steps: readonly RunStep[];
}

const CREATING: readonly RunStage[] = [
  { status: "CREATING_PROJECT", timing: "creatingBranchMs", steps: ["clone", "pull", "health"] },
  { status: "RUNNING_MIGRATIONS", timing: "runningMigrationsMs", steps: ["configure", "migrate", "seed"] },
  { status: "MIGRATIONS_PASSED", timing: "migrationsPassedMs", steps: ["deploy"] },
];

/** The project is there already. */
const WORKING: readonly RunStage[] = [
  {
    status: "RUNNING_MIGRATIONS",
    timing: "runningMigrationsMs",
    steps: ["clone", "pull", "health", "configure", "migrate", "seed"],
  },
  { status: "MIGRATIONS_PASSED", timing: "migrationsPassedMs", steps: ["deploy"] },
];

function stagesOf(kind: RunKind): readonly RunStage[] {
  return kind === "create" ? CREATING : WORKING;
}

/** What a branch goes through while a run works on it; a step that fails ends it. */
export function phasesOfRun(settings: Settings, kind: RunKind, failedStep?: RunStep): Phases<BranchStatus> {
  const stages = stagesOf(kind);
  const failsIn = failedStep === undefined ? -1 : stages.findIndex(({ steps }) => steps.includes(failedStep));
  const passed = failsIn === -1 ? stages : stages.slice(0, failsIn + 1);
  const [first, ...rest] = passed.map(({ status, timing }): LifePhase<BranchStatus> => ({
    status,
    forMs: lasts(settings, timing),
  }));
  const end: LifePhase<BranchStatus> = { status: endOf(failedStep), forMs: 0 };
  return first === undefined ? [end] : [first, ...rest, end];
}

function endOf(failedStep: RunStep | undefined): BranchStatus {
  if (failedStep === undefined) return "FUNCTIONS_DEPLOYED";
  return failedStep === "deploy" ? "FUNCTIONS_FAILED" : "MIGRATIONS_FAILED";
}

/** When a step runs by itself; undefined: the run ended, or is held, before it. */
interface StepSpan {
  readonly fromMs: number;
  readonly untilMs: number;
}

export interface StepView {
  readonly name: RunStep;
  readonly status: RunStepStatus;
  readonly updatedAtMs: number;
  readonly span: StepSpan | undefined;
}

/** The steps of a run at a time. */
export function stepsAt(run: RunRecord, nowMs: number): readonly StepView[] {
  return RUN_STEPS.map((name) => {
    const span = spanOf(run, name);
    const own = ownStatus(run, name, span, nowMs);
    const said = run.overrides.find(({ step }) => step === name);
    if (said === undefined) return { name, ...own, span };
    return { name, status: said.status, updatedAtMs: said.atMs, span };
  });
}

function ownStatus(
  { createdAtMs, failedStep }: RunRecord,
  name: RunStep,
  span: StepSpan | undefined,
  nowMs: number,
): Pick<StepView, "status" | "updatedAtMs"> {
  if (span === undefined || nowMs < span.fromMs) return { status: "CREATED", updatedAtMs: createdAtMs };
  if (nowMs < span.untilMs) return { status: "RUNNING", updatedAtMs: span.fromMs };
  return { status: name === failedStep ? "DEAD" : "EXITED", updatedAtMs: span.untilMs };
}

/** Steps share the time of their stage; the last one of a stage ends with it, which is never where the branch is held in it. */
function spanOf({ life, ...run }: RunRecord, name: RunStep): StepSpan | undefined {
  const stage = stagesOf(run.kind).find(({ steps }) => steps.includes(name));
  const index = life.steps.findIndex(({ status }) => status === stage?.status);
  const from = life.steps[index]?.atMs;
  if (stage === undefined || from === undefined) return undefined;
  const steps = untilFailure(stage.steps, run.failedStep);
  const at = steps.indexOf(name);
  if (at === -1) return undefined;
  const endMs = life.steps[index + 1]?.atMs ?? Number.POSITIVE_INFINITY;
  const eachMs = (run.spansMs[stage.status] ?? 0) / steps.length;
  return {
    fromMs: Math.min(from + at * eachMs, endMs),
    untilMs: at === steps.length - 1 ? endMs : Math.min(from + (at + 1) * eachMs, endMs),
  };
}

function untilFailure(steps: readonly RunStep[], failedStep: RunStep | undefined): readonly RunStep[] {
  const at = failedStep === undefined ? -1 : steps.indexOf(failedStep);
  return at === -1 ? steps : steps.slice(0, at + 1);
}
