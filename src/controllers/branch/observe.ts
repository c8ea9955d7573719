import type { Branch } from "../../api/contract/branches.ts";
import type { BranchStatus } from "../../resources/branch/status.ts";
import type { DeepReadonly } from "../../resources/kind.ts";
import { attempt } from "../shared/attempt.ts";
import { clusterNow } from "../shared/cluster-time.ts";
import { calling, unlessGone } from "../shared/failures.ts";
import { readHealth, unhealthyServices } from "../shared/health.ts";
import { readInPlace } from "../shared/place-gone.ts";
import { driftIntervalMs } from "../shared/policies.ts";
import type { Session } from "../shared/sessions.ts";
import { acceptableAgeMs } from "../shared/snapshot.ts";
import type { BranchContext, BranchRun } from "./context.ts";
import { servicesOf } from "../shared/project-states.ts";
import { type BranchCondition, endsWithMigrations, mayServe } from "./status.ts";

/**
 * What is read of branches: the list of the project, shared by all its objects (engine.md §3), and what only a branch's own paths tell.
 * By the path of projects a branch's ref is unknown (facts.md §5, K-23), so that path is never asked.
 */

/** A project whose branches are looked at. */
export interface BranchesOf {
  readonly session: Session;
  readonly projectRef: string;
}

/** What is done when they are read, for people. */
const LISTING = "list the branches of the project";

/** The branches of a project, at most `maxAgeMs` old (0 reads live); undefined where the token reads no such project. */
export function branchesIfThere(
  run: BranchRun,
  { session, projectRef }: BranchesOf,
  maxAgeMs: number,
): Promise<readonly Branch[] | undefined> {
  const { branches } = run.environment.snapshots.of(session.client, projectRef);
  return unlessGone(LISTING, () => branches.get(maxAgeMs, run.call));
}

/** As `branchesIfThere`, for an object that lives in the project. @throws as `readInPlace` */
export function listBranches(
  run: BranchRun,
  { object: { spec }, place }: Pick<BranchContext, "object" | "place">,
  maxAgeMs: number,
): Promise<readonly Branch[]> {
  const { session, projectRef: ref } = place;
  const { branches } = run.environment.snapshots.of(session.client, ref);
  const read = (): Promise<readonly Branch[]> => branches.get(maxAgeMs, run.call);
  return readInPlace(run, { spec, place, ref, list: "branches", doing: LISTING, read });
}

/** What is recorded of a branch. */
export interface BranchIdentity {
  readonly ref: string;
  /** absent in records that were written without it */
  readonly id?: string | undefined;
}

/** The branch in a list. Its id tells it best: the default branch shares its ref with the project, so that a ref alone never means it. */
export function findBranch(list: readonly Branch[], { ref, id }: BranchIdentity): Branch | undefined {
  return list.find((branch) =>
    id === undefined ? branch.project_ref === ref && !branch.is_default : branch.id === id,
  );
}

/**
 * The recorded branch as the platform has it. That it is gone is believed of a list alone that was read for this very question (engine.md §4).
 */
export async function readBranch(
  run: BranchRun,
  context: BranchContext,
  identity: BranchIdentity,
): Promise<Branch | undefined> {
  const maxAgeMs = acceptableAgeMs({
    lane: run.lane,
    driftIntervalMs: driftIntervalMs(context.policies),
    ready: run.status.condition("Ready")?.status === "True",
  });
  return (
    findBranch(await listBranches(run, context, maxAgeMs), identity) ??
    findBranch(await listBranches(run, context, 0), identity)
  );
}

/** The list changed by an answer of the platform's. */
export function noteBranch(run: BranchRun, { session, projectRef }: BranchesOf, answered: Branch): void {
  run.environment.snapshots.of(session.client, projectRef).branches.wrote((list) => {
    const known = list.some(({ id }) => id === answered.id);
    return known ? list.map((branch) => (branch.id === answered.id ? answered : branch)) : [...list, answered];
  });
}

/** Something was written and the answer does not tell what the list is now. */
export function forgetList(run: BranchRun, { session, projectRef }: BranchesOf): void {
  run.environment.snapshots.of(session.client, projectRef).branches.wrote();
}

interface SeenCondition extends BranchCondition {
  /** why it is not known how the services of a branch do that is up */
  readonly unseen?: Error;
}

/**
 * How the branch is, for phaseOf; notes it in the status as well. Asks only for what the list leaves open: state and host of the branch's
 * project, and the services once nothing else is awaited (K-24).
 *
 * @param before the status that the run began with
 */
export async function observeCondition(
  run: BranchRun,
  { place }: BranchContext,
  { remote, before }: { readonly remote: Branch; readonly before: DeepReadonly<BranchStatus> },
): Promise<SeenCondition> {
  const { project_ref: ref, status: state } = remote;
  const { projectState, host } = await projectOf(run, place, remote);
  run.status.update({ projectState, host });
  const condition = { state, projectState, migrationsAreTheEnd: migrationsAreTheEnd(run, before) };
  if (!mayServe(condition)) {
    run.status.update({ services: undefined });
    return { ...condition, unhealthy: [] };
  }
  const health = await attempt(() => unhealthyIn(run, place.session, ref));
  return health.ok
    ? { ...condition, unhealthy: health.value }
    : { ...condition, unhealthy: [], unseen: health.failure };
}

async function unhealthyIn(run: BranchRun, session: Session, ref: string): Promise<readonly string[]> {
  const services = await readHealth(run, session, ref);
  run.status.update({ services: servicesOf(services) });
  return unhealthyServices(run, session, { ref, services });
}

/** The branch's project: its state stands in the list, as a rule; its host never changes. */
async function projectOf(
  run: BranchRun,
  { session, projectRef }: BranchesOf,
  { project_ref: ref, preview_project_status: listed }: Branch,
): Promise<{ readonly projectState: string | undefined; readonly host: string | undefined }> {
  const { host: knownHost, ref: knownRef } = run.status.current;
  const host = knownRef === ref ? knownHost : undefined;
  const needed = listed === undefined || listed === null || (host === undefined && listed === "ACTIVE_HEALTHY");
  if (!needed) return { projectState: listed, host };
  const config = await calling("read the branch", () =>
    session.client.branches.get({ branch_id_or_ref: ref }, { ...run.call, parentRef: projectRef }),
  );
  return { projectState: listed ?? config.status, host: config.db_host };
}

function migrationsAreTheEnd({ environment }: BranchRun, before: DeepReadonly<BranchStatus>): boolean {
  if (before.state !== "MIGRATIONS_PASSED") return false;
  const { underway } = before;
  if (underway?.operation !== "DeployingFunctions") return true; // it was taken for the end before
  return endsWithMigrations(clusterNow(environment) - Date.parse(underway.since));
}
