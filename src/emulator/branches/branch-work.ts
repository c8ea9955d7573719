import { RUN_STEPS, type RunStep } from "../../api/contract/actions.ts";
import type { Databases } from "../postgres/database.ts";
import { badRequest, notFound, unprocessable } from "../failure.ts";
import { statusAt } from "../state/life.ts";
import { isActive } from "../projects/project-life.ts";
import { refusesWrites } from "../infrastructure/read-only-mode.ts";
import type { BranchRecord } from "./branch-state.ts";
import { startRun, takeRunFailure } from "./runs.ts";
import type { RunFailure } from "./run-failure-state.ts";
import type { RunKind, RunNote, RunRecord } from "./run-state.ts";
import { branchesOf, isThere, projectByRef, stayingProject } from "../state/presence.ts";
import type { World } from "../state/world.ts";
import { applyMigrations, historyOf, type Migrated, type MigrationTarget, rebuild } from "./branch-database.ts";
import { deployFunctions, type FunctionsDeployed } from "./branch-functions.ts";

/**
 * Merge, push and reset. The work is done before the answer; the run that the answer names tells of it step by step afterwards, and the
 * status of the branch in which it is done goes with the run. A step that fails ends the work there.
 */

interface BranchWork {
  readonly kind: RunKind;
  /** the branch in which the work is done */
  readonly target: BranchRecord;
  /** where migrations and functions come from; undefined: from nowhere else */
  readonly source?: BranchRecord;
  /** @param begin called when it is its turn, says whether anything is to be migrated; what it throws refuses it */
  readonly migrate: (begin: () => boolean) => Promise<Migrated | undefined>;
}

/** @throws ApiFailure 400, 404, 422 */
export async function mergeBranch(
  world: World,
  databases: Databases,
  branch: BranchRecord,
  upTo: string | undefined,
): Promise<RunRecord> {
  checkReady(world, branch, "merged");
  const target = defaultBranchOf(world, branch);
  refuseUnlessRunning(world, target);
  const migrate = await bringingMigrations(world, databases, { from: branch, to: target, upTo });
  return perform(world, { kind: "merge", target, source: branch, migrate });
}

/** @throws ApiFailure 400, 404, 422 */
export async function pushToBranch(
  world: World,
  databases: Databases,
  branch: BranchRecord,
  upTo: string | undefined,
): Promise<RunRecord> {
  checkReady(world, branch, "pushed to");
  const source = defaultBranchOf(world, branch);
  refuseUnlessRunning(world, source);
  const migrate = await bringingMigrations(world, databases, { from: source, to: branch, upTo });
  return perform(world, { kind: "push", target: branch, source, migrate });
}

/** @throws ApiFailure 400, 404, 422 */
export async function resetBranch(
  world: World,
  databases: Databases,
  branch: BranchRecord,
  upTo: string | undefined,
): Promise<RunRecord> {
  checkReady(world, branch, "reset");
  const kept = upToVersion(await historyIn(world, databases, branch), upTo);
  return perform(world, {
    kind: "reset",
    target: branch,
    migrate: (begin) => rebuild(databases, migrationTarget(world, branch, begin), kept),
  });
}

/** @throws ApiFailure 422 for the default branch, which is the project itself; 400 for one that is not up */
function checkReady(world: World, branch: BranchRecord, verb: string): void {
  if (branch.isDefault) throw unprocessable(`The default branch cannot be ${verb}`);
  refuseUnlessRunning(world, branch);
}

/** @throws ApiFailure 400 for a branch that is being made, or whose project does not run */
export function refuseUnlessRunning(world: World, { life, projectRef }: BranchRecord): void {
  const nowMs = world.clock.now();
  const status = statusAt(life, nowMs);
  if (status === "CREATING_PROJECT") throw badRequest(`Branch is not ready, it is ${status}`);
  const project = projectByRef(world, projectRef);
  const projectStatus = project === undefined ? "REMOVED" : statusAt(project.life, nowMs);
  if (!isActive(projectStatus)) throw badRequest(`Branch is not ready, its project is ${projectStatus}`);
}

/** @throws ApiFailure 404 */
function defaultBranchOf(world: World, { parentRef }: BranchRecord): BranchRecord {
  const found = branchesOf(world, parentRef).find(({ isDefault }) => isDefault);
  if (found === undefined) throw notFound("Default branch");
  return found;
}

type Migrations = Awaited<ReturnType<typeof historyOf>>;

/** What the one database has had and the other has not. */
async function bringingMigrations(
  world: World,
  databases: Databases,
  { from, to, upTo }: { readonly from: BranchRecord; readonly to: BranchRecord; readonly upTo: string | undefined },
): Promise<BranchWork["migrate"]> {
  const wanted = upToVersion(await historyIn(world, databases, from), upTo);
  const known = wanted.length === 0 ? [] : await historyIn(world, databases, to);
  const versions = new Set(known.map(({ version }) => version));
  const missing = wanted.filter(({ version }) => !versions.has(version));
  return (begin) => applyMigrations(databases, migrationTarget(world, to, begin), missing);
}

function historyIn(world: World, databases: Databases, branch: BranchRecord): Promise<Migrations> {
  return historyOf(databases, branch.projectRef, () => refuseUnlessRunning(world, branch));
}

function migrationTarget(world: World, { projectRef: ref }: BranchRecord, begin: () => boolean): MigrationTarget {
  return { ref, begin, isReadOnly: () => refusesWrites(world, ref) };
}

/** @throws ApiFailure 400 for a version that is not in the history */
function upToVersion(history: Migrations, upTo: string | undefined): Migrations {
  if (upTo === undefined) return history;
  const last = history.findIndex(({ version }) => version === upTo);
  if (last === -1) throw badRequest(`migration_version: no migration ${upTo.slice(0, 80)} in the history`);
  return history.slice(0, last + 1);
}

/** What was done, as far as it came. */
interface Done {
  readonly migrated?: Migrated | undefined;
  readonly deployed?: FunctionsDeployed | undefined;
  /** the ordered failure that ended it */
  readonly ordered?: RunFailure | undefined;
}

/** Everything after the migrations happens without a pause, so that it is saved as a whole. @throws ApiFailure 400, 404 */
async function perform(world: World, work: BranchWork): Promise<RunRecord> {
  const { kind, source } = work;
  const begun: { ordered?: RunFailure | undefined } = {};
  const migrated = await work.migrate(() => {
    refuseUnlessRunning(world, stillThere(world, work));
    if (source !== undefined) refuseUnlessRunning(world, source);
    begun.ordered = takeRunFailure(world, work.target); // of work that was refused none is used up
    return comesTo(begun.ordered, "migrate");
  });
  const { ordered } = begun;
  const target = stillThere(world, work);
  const goesOn = migrated?.failed === false && comesTo(ordered, "deploy");
  const deployed = goesOn && source !== undefined ? deployInto(world, target, source) : undefined;
  const own = ownFailure({ migrated, deployed });
  const stopped = own === undefined ? ordered : undefined;
  const notes = notesOf(work, { migrated, deployed, ordered: stopped });
  return startRun(world, target, { kind, notes, failedStep: own ?? stopped?.step });
}

/** Branches, or their projects, may be gone or going down when the database has worked. @returns the target as it is now. @throws ApiFailure 404 */
function stillThere(world: World, { source, target }: BranchWork): BranchRecord {
  const present = presentBranch(world, target);
  if (source !== undefined) presentBranch(world, source);
  return present;
}

/** @throws ApiFailure 404 */
function presentBranch(world: World, { id }: BranchRecord): BranchRecord {
  const present = world.branches.get(id);
  if (present === undefined || !isThere(world, present)) throw notFound("Branch");
  if (stayingProject(world, present.projectRef) === undefined) throw notFound("Project");
  return present;
}

function deployInto(world: World, target: BranchRecord, source: BranchRecord): FunctionsDeployed {
  return deployFunctions(world, source.projectRef, target.projectRef);
}

function ownFailure({ migrated, deployed }: Done): RunStep | undefined {
  if (migrated?.failed === true) return "migrate";
  return deployed?.failed === true ? "deploy" : undefined;
}

/** Whether a run gets to a step and through it: neither it nor one before it is ordered to fail. */
function comesTo(ordered: RunFailure | undefined, step: RunStep): boolean {
  return ordered === undefined || RUN_STEPS.indexOf(step) < RUN_STEPS.indexOf(ordered.step);
}

const TITLES: Readonly<Record<RunKind, string>> = {
  create: "Set up branch",
  merge: "Merge into branch",
  push: "Push to branch",
  reset: "Reset branch",
};

function notesOf({ kind, source, target }: BranchWork, { migrated, deployed, ordered }: Done): readonly RunNote[] {
  return [
    { step: "clone", text: `${TITLES[kind]} ${target.name} (${target.projectRef})` },
    ...lines("pull", source === undefined ? [] : [`Changes come from ${source.name} (${source.projectRef})`]),
    ...lines("migrate", migrated?.lines ?? []),
    ...lines("deploy", deployed?.lines ?? []),
    ...(ordered === undefined ? [] : [{ step: ordered.step, text: ordered.message }]),
  ];
}

function lines(step: RunStep, texts: readonly string[]): readonly RunNote[] {
  return texts.map((text) => ({ step, text }));
}
