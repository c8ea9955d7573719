import type { Branch } from "../../api/contract/branches.ts";
import type { Result } from "../../runtime/outcome.ts";
import type { BranchObject } from "../environment.ts";
import { tellEdited } from "../sections/await-running.ts";
import { noteRestarting } from "../sections/restart-for.ts";
import { isConfigured, runSections } from "../sections/run-sections.ts";
import type { SectionsEnd } from "../sections/sum.ts";
import { requestAnnotation } from "../../resources/requests.ts";
import { sightRequests } from "../requests/first-sight.ts";
import { meaningsOf } from "../requests/replace-root-key.ts";
import { attempt, endOf, unlessPassing } from "../shared/attempt.ts";
import { branchDeletionPolicy } from "../shared/branch-retention.ts";
import type { DriftShown } from "../shared/drift.ts";
import { terminal, waiting } from "../shared/failures.ts";
import type { KeyedMutex } from "../shared/keyed-mutex.ts";
import { parentPlace } from "../shared/parents.ts";
import { driftIntervalMs, effectivePolicies, type EffectivePolicies } from "../shared/policies.ts";
import { isUnwell } from "../shared/project-states.ts";
import { summarizeObserved, summarizeReady } from "../shared/ready.ts";
import { declaredRootKey } from "../shared/root-key.ts";
import type { Session } from "../shared/sessions.ts";
import { trackUnderway } from "../shared/underway.ts";
import { comeBack, hasEnded, isAtRest, refuseAfterEnd } from "./after-end.ts";
import { applyBranch } from "./apply.ts";
import type { BranchContext, BranchRun } from "./context.ts";
import { endBranch } from "./at-end.ts";
import { endRest, noteEnd, restsExpired } from "./expiry.ts";
import { endInMissingProject, endInUnknownProject } from "./lost-project.ts";
import { observeCondition } from "./observe.ts";
import { leaveToProject, refuseOfDefault } from "./of-default.ts";
import { publishBranch } from "./outputs.ts";
import { isGoing } from "./remove.ts";
import { asksToRestore, branchVerbNames, isRestoring, runBranchRequests } from "./requests.ts";
import { settleBranch } from "./settle.ts";
import { factsOf, phaseOf } from "./status.ts";
import { surroundingsOf } from "./surroundings.ts";

/** How often a state that does not pass by itself is looked at, milliseconds. */
const FAILED_LOOK_MS = 60_000;

const RESTORE = requestAnnotation("restore");
const NOT_KNOWN = `whether the platform keeps the branch, as ${RESTORE} asked, is not known yet`;

/** The steps of a Branch, in order: rest after its end, parent, policies, identity, claim, create or read, end of its ttl, apply, health, status. */
export async function reconcileBranch(
  run: BranchRun,
  object: BranchObject,
  defaultBranch: KeyedMutex,
): Promise<Result> {
  const { spec, metadata } = object;
  await sightRequests(run, branchVerbNames, meaningsOf(declaredRootKey(run, spec)));
  const isAtEnd = hasEnded(run);
  if (isAtEnd && isAtRest(run)) {
    await refuseAfterEnd(run);
    return rest(run);
  }
  if (!isAtEnd) endRest(run);
  await endInMissingProject(run, object);
  const place = parentPlace(run.environment, run.key.namespace, spec);
  const policies = branchPolicies(run, object, place.session);
  run.status.update({ effective: policies });
  const context: BranchContext = { object, place, policies, name: spec.name ?? metadata.name, defaultBranch };
  const lived = await attempt(() => live(run, context, isAtEnd));
  const ended = await attempt(() => endInUnknownProject(run, object, place));
  if (!lived.ok) throw lived.failure; // whatever else could not be told of its project
  if (!ended.ok) throw ended.failure;
  return lived.value;
}

/** The steps from identity on, in a place that is up. */
async function live(run: BranchRun, context: BranchContext, isAtEnd: boolean): Promise<Result> {
  if (isAtEnd) {
    const back = await comeBack(run, context);
    if (back !== undefined) return follow(run, context, back);
    if (hasEnded(run)) return rest(run);
    endRest(run);
  }
  const remote = await settleBranch(run, context);
  return remote === "expired" ? {} : follow(run, context, remote);
}

/** Nothing is done until the spec changes: the ttl of this one ended. @throws WaitingError Deleting where it has changed and the branch may be kept */
function rest(run: BranchRun): Result {
  if (!restsExpired(run)) throw waiting("Deleting", NOT_KNOWN, FAILED_LOOK_MS);
  summarizeReady(run.status, "Expired", run.status.condition("Expired")?.message ?? "");
  return {};
}

function branchPolicies(run: BranchRun, { spec }: BranchObject, session: Session): EffectivePolicies {
  const deletionPolicy = branchDeletionPolicy(spec, run.status.current);
  return {
    ...effectivePolicies({
      object: spec,
      connection: session.defaults,
      operator: run.environment.operatorPolicies,
      deletionPolicy: deletionPolicy.value,
    }),
    deletionPolicy,
  };
}

/** Brings an existing branch to its end, or in line, and says how it is. */
async function follow(run: BranchRun, context: BranchContext, found: Branch): Promise<Result> {
  const { object, place, policies } = context;
  const before = run.status.current;
  run.status.update(factsOf(found));
  const kept = await restoreFirst(run, context, found);
  const expiry = noteEnd(run, context, kept);
  if (expiry.kind === "over") {
    await endBranch(run, context, { remote: kept, elapsedMs: expiry.elapsedMs });
    return {};
  }
  const { untilEndMs } = expiry;
  const requested = await attempt(() => answerRequests(run, context, kept));
  const asked = requested.ok ? requested.value : kept;
  run.status.update(factsOf(asked));
  if (isGoing(asked)) throw goingByItself(asked);
  const { remote, drift, failure } = await applyBranch(run, context, asked);
  const failures = [expiry.pending, requested.ok ? undefined : requested.failure, failure];
  run.status.update(factsOf(remote));
  // Whether it lasts, and so what its deletion means, may just have been learned.
  run.status.update({ effective: branchPolicies(run, object, place.session) });
  const condition = await observeCondition(run, context, { remote, before });
  if (condition.unseen !== undefined) {
    throw endOf([condition.unseen, ...failures, await keepOutputs(run, context, remote)], untilEndMs);
  }
  const phase = phaseOf(condition);
  tellEdited(run, phase, { object, policies, others: drift });
  switch (phase.kind) {
    case "failed":
      throw endOf([terminal(phase.reason, phase.message, { recheckAfterMs: FAILED_LOOK_MS }), ...failures], untilEndMs);
    case "underway": {
      if (phase.operation === "Restarting") noteRestarting(run);
      const tended = phase.reason === "Unhealthy" ? await tend(run, context, { remote, drift }) : undefined;
      const awaited = trackUnderway(run, { ...phase, timeout: object.spec.provisioningTimeout });
      throw endOf([awaited, ...failures, tended], untilEndMs);
    }
    case "ready": {
      const next = await furnish(run, context, { remote, drift, failures, untilEndMs });
      if (policies.managementPolicy.value === "Observe") summarizeObserved(run.status);
      else summarizeReady(run.status, phase.reason, phase.message);
      return next;
    }
    default:
      return phase satisfies never;
  }
}

interface SettingsDue {
  readonly remote: Branch;
  readonly drift: DriftShown;
}

/**
 * Sees to what is up and unwell: what was configured once may be what makes it so, and an edit must be able to put that right.
 *
 * @returns as `keepOutputs`
 */
async function tend(
  run: BranchRun,
  context: BranchContext,
  { remote, drift }: SettingsDue,
): Promise<Error | undefined> {
  if (isConfigured(run.status.current)) await configure(run, context, { remote, drift });
  return keepOutputs(run, context, remote);
}

/** What programs connect by may be another since this very run, however the branch is. @returns what is to be told of it */
async function keepOutputs(run: BranchRun, context: BranchContext, remote: Branch): Promise<Error | undefined> {
  const failure = await publishBranch(run, context, { remote, isWell: false });
  return unlessPassing(failure, run.signal);
}

interface ReadyBranch extends SettingsDue {
  /** of what came before in this run */
  readonly failures: readonly (Error | undefined)[];
  readonly untilEndMs: number | undefined;
}

/** Sections and outputs of a branch that is ready, and when it is looked at next. @throws what failed of the whole run */
async function furnish(
  run: BranchRun,
  context: BranchContext,
  { remote, drift, failures, untilEndMs }: ReadyBranch,
): Promise<Result> {
  const ended = await configure(run, context, { remote, drift });
  const published = await publishBranch(run, context, { remote, isWell: true });
  const next = nextLook(ended.dueInMs ?? driftIntervalMs(context.policies), untilEndMs);
  const others = endOf([...failures, published], next.requeueAfterMs);
  // Sections have said by themselves when they are looked at.
  const due = others === undefined ? nextLook(ended.dueInMs, untilEndMs) : next;
  const error = endOf([others, ended.error], due.requeueAfterMs);
  if (error !== undefined) throw error;
  return next;
}

/** What brings a branch back comes before the end of its ttl, which may be why it is about to go. */
async function restoreFirst(run: BranchRun, context: BranchContext, found: Branch): Promise<Branch> {
  if (!isRestoring(run) && !(isGoing(found) && asksToRestore(run))) return found;
  const kept = await answerRequests(run, context, found);
  if (isRestoring(run) || (isGoing(kept) && asksToRestore(run))) throw goingByItself(kept);
  return kept;
}

function answerRequests(run: BranchRun, context: BranchContext, remote: Branch): Promise<Branch> {
  return remote.is_default ? refuseOfDefault(run, context, remote) : runBranchRequests(run, context, remote);
}

/** Somebody scheduled its deletion on the platform, or may have: nothing is written to it any more, and what follows is decided when it is gone. */
function goingByItself(branch: Branch): Error {
  const { deletion_scheduled_at: at } = branch;
  const message = isGoing(branch)
    ? `the platform will delete the branch at ${at ?? ""}: to keep it, annotate it ${RESTORE}: <a new id>`
    : NOT_KNOWN;
  return waiting("Deleting", message, FAILED_LOOK_MS);
}

/** The next drift check, or the end of the ttl if that comes first. */
function nextLook(intervalMs: number | undefined, untilEndMs: number | undefined): Result {
  if (untilEndMs !== undefined && untilEndMs < (intervalMs ?? Infinity)) {
    return { requeueAfterMs: untilEndMs, lane: "progress" };
  }
  return intervalMs === undefined ? {} : { requeueAfterMs: intervalMs, lane: "drift" };
}

/** Makes the sections as declared: what lives under the branch's ref is configured as a project is. */
function configure(run: BranchRun, context: BranchContext, { remote, drift }: SettingsDue): Promise<SectionsEnd> {
  const { object, place, policies } = context;
  if (remote.is_default) return Promise.resolve(leaveToProject(run, object, driftIntervalMs(policies)));
  const { project_ref: ref, id } = remote;
  const state = remote.preview_project_status ?? "UNKNOWN";
  const surroundings = surroundingsOf(run, context, { ref, id, isUnwell: isUnwell(state) });
  return runSections(run, { object, session: place.session, ref, policies, surroundings, others: drift });
}
