import { RUN_STEPS, type RunStep } from "../../api/contract/actions.ts";
import type { Databases } from "../postgres/database.ts";
import { badRequest, unprocessable } from "../failure.ts";
import { refusesWrites } from "../infrastructure/read-only-mode.ts";
import type { World } from "../state/world.ts";
import { applyMigrations, historyIn, type Migrated, rebuild } from "./branch-database.ts";
import { deployFunctions, type FunctionsDeployed } from "./branch-functions.ts";
import type { BranchRecord } from "./branch-state.ts";
import { type History, missingIn, upToVersion } from "./migration-history.ts";
import { defaultBranchOf, inTurnOf, presentBranch, refuseUnlessReady } from "./ready-branch.ts";
import type { RunFailure } from "./run-failure-state.ts";
import type { RunKind, RunNote, RunRecord } from "./run-state.ts";
import { startRun, takeRunFailure } from "./runs.ts";

/**
 * Merge, push and reset. The work is done before the answer, in one turn of the database that it changes: what is read there to decide is so when
 * it is done. The run that the answer names tells of it step by step afterwards, and the status of the branch in which it is done goes with the
 * run. A step that fails ends the work there.
 */

/** The branches of some work. */
interface Parties {
  /** the branch in which the work is done */
  readonly target: BranchRecord;
  /** where migrations and functions come from; undefined: from nowhere else */
  readonly source?: BranchRecord;
}

interface BranchWork {
  readonly kind: RunKind;
  /** Those that are meant, as they are now. @throws ApiFailure 400, 404, 422 where the work is refused now */
  readonly parties: () => Parties;
  /** Decides what is to be applied. @param had what the target has had, as it is in the turn in which that is applied */
  readonly choose: (had: () => Promise<History>) => Promise<History>;
}

/** What is asked for. */
interface WorkRequest {
  /** The branch that is named, as it is now; throws where there is none. */
  readonly find: () => BranchRecord;
  /** the last migration that is wanted; undefined: all */
  readonly upTo: string | undefined;
}

/** @throws ApiFailure 400, 404, 422; DatabaseUnavailableError */
export async function mergeBranch(world: World, databases: Databases, { find, upTo }: WorkRequest): Promise<RunRecord> {
  const parties = (): Required<Parties> => {
    const source = readyPreview(world, find(), "merged");
    return { source, target: readyDefault(world, source) };
  };
  return bring(world, databases, { kind: "merge", parties, upTo });
}

/** @throws ApiFailure 400, 404, 422; DatabaseUnavailableError */
export async function pushToBranch(
  world: World,
  databases: Databases,
  { find, upTo }: WorkRequest,
): Promise<RunRecord> {
  const parties = (): Required<Parties> => {
    const target = readyPreview(world, find(), "pushed to");
    return { target, source: readyDefault(world, target) };
  };
  return bring(world, databases, { kind: "push", parties, upTo });
}

/** @throws ApiFailure 400, 404, 422; DatabaseUnavailableError */
export async function resetBranch(world: World, databases: Databases, { find, upTo }: WorkRequest): Promise<RunRecord> {
  return perform(world, databases, {
    kind: "reset",
    parties: () => {
      const target = readyPreview(world, find(), "reset");
      if (refusesWrites(world, target.projectRef)) throw badRequest(`Failed to run sql query: ${READ_ONLY}`);
      return { target };
    },
    choose: async (had) => upToVersion(await had(), upTo),
  });
}

/** What PostgreSQL says to whoever removes a database while nothing may be written. */
const READ_ONLY = "ERROR:  25006: cannot execute DROP DATABASE in a read-only transaction\n";

/** @throws ApiFailure 422 for the default branch, which is the project itself; 400, 404 for one that is not up */
function readyPreview(world: World, branch: BranchRecord, verb: string): BranchRecord {
  if (branch.isDefault) throw unprocessable(`The default branch cannot be ${verb}`);
  refuseUnlessReady(world, branch);
  return branch;
}

/** @throws ApiFailure 400, 404 */
function readyDefault(world: World, branch: BranchRecord): BranchRecord {
  const found = defaultBranchOf(world, branch);
  refuseUnlessReady(world, found);
  return found;
}

/**
 * Brings one database what another has had and it has not. The other one's history is read first, in a turn of its own that is over then: a merge
 * and a push that each held one database and waited for the other would wait for ever. All that was acknowledged before the request came is in
 * it; what comes later is for the next one.
 */
async function bring(
  world: World,
  databases: Databases,
  asked: Pick<BranchWork, "kind"> & { readonly parties: () => Required<Parties>; readonly upTo: string | undefined },
): Promise<RunRecord> {
  const { kind, parties, upTo } = asked;
  const { projectRef: ref } = parties().source;
  const wanted = upToVersion(await inTurnOf(databases, { ref, check: parties }, historyIn), upTo);
  const choose: BranchWork["choose"] = async (had) => (wanted.length === 0 ? [] : missingIn(await had(), wanted));
  return perform(world, databases, { kind, parties, choose });
}

/** What was done, as far as it came. */
interface Done {
  readonly migrated?: Migrated;
  readonly deployed?: FunctionsDeployed;
  /** the ordered failure that ended it */
  readonly ordered?: RunFailure;
}

/** @throws ApiFailure 400, 404, 422; DatabaseUnavailableError */
async function perform(world: World, databases: Databases, work: BranchWork): Promise<RunRecord> {
  const { kind, parties, choose } = work;
  const { projectRef: ref } = parties().target;
  return inTurnOf(databases, { ref, check: parties }, async (turn) => {
    const migrations = await choose(() => historyIn(turn));
    if (kind !== "reset" && migrations.length > 0) await turn.open(); // there may be none until now
    const begun = parties(); // once more: reading took its time
    const ordered = takeRunFailure(world, begun.target, TO_MIGRATE);
    if (ordered !== undefined) return runOf(world, kind, begun, { ordered });
    const database = { turn, check: parties, isReadOnly: () => refusesWrites(world, ref) };
    const migrated = await (kind === "reset" ? rebuild(database, migrations) : applyMigrations(database, migrations));
    const present = stillThere(world, begun, (target) => tellOfMigrated(world, kind, { ...begun, target }, migrated));
    return runOf(world, kind, present, { migrated, ...afterMigrations(world, present, migrated) });
  });
}

/** Steps that come to their end before those that follow the migrations. */
const TO_MIGRATE = RUN_STEPS.slice(0, RUN_STEPS.indexOf("seed"));
const AFTER_MIGRATE = RUN_STEPS.slice(RUN_STEPS.indexOf("seed"));

/**
 * What is begun goes on, whatever happens to the branches while the database works, unless one is gone then.
 *
 * @throws ApiFailure 404
 * @param withoutSource told of the target when the other one is gone
 */
function stillThere(world: World, begun: Parties, withoutSource: (target: BranchRecord) => void): Parties {
  const target = presentBranch(world, begun.target);
  try {
    return begun.source === undefined ? { target } : { target, source: presentBranch(world, begun.source) };
  } catch (error) {
    withoutSource(target);
    throw error;
  }
}

/** What a database has had is told of by a run, also where nobody is answered with it: what it came from is gone, and brings no functions. */
function tellOfMigrated(world: World, kind: RunKind, parties: Parties, migrated: Migrated): void {
  if (migrated.applied === 0) return;
  const lost = `${parties.source?.name ?? ""} is gone: its functions are not deployed`;
  runOf(world, kind, parties, { migrated, ...(migrated.failed ? {} : { deployed: { lines: [lost], failed: true } }) });
}

/** Everything after the migrations happens without a pause, so that it is saved as a whole. */
function afterMigrations(world: World, { source, target }: Parties, { failed }: Migrated): Done {
  if (failed) return {};
  const ordered = takeRunFailure(world, target, AFTER_MIGRATE); // of work that was refused none is used up
  if (ordered !== undefined) return { ordered };
  return source === undefined ? {} : { deployed: deployFunctions(world, source.projectRef, target.projectRef) };
}

function runOf(world: World, kind: RunKind, parties: Parties, done: Done): RunRecord {
  const failedStep = ownFailure(done) ?? done.ordered?.step;
  return startRun(world, parties.target, { kind, notes: notesOf(kind, parties, done), failedStep });
}

function ownFailure({ migrated, deployed }: Done): RunStep | undefined {
  if (migrated?.failed === true) return "migrate";
  return deployed?.failed === true ? "deploy" : undefined;
}

const TITLES: Readonly<Record<RunKind, string>> = {
  create: "Set up branch",
  merge: "Merge into branch",
  push: "Push to branch",
  reset: "Reset branch",
};

function notesOf(
  kind: RunKind,
  { source, target }: Parties,
  { migrated, deployed, ordered }: Done,
): readonly RunNote[] {
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
