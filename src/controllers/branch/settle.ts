import type { Branch } from "../../api/contract/branches.ts";
import type { BranchStatus } from "../../resources/branch/status.ts";
import { REF_INDEX } from "../indexes.ts";
import { claimOf, requireClaim } from "../shared/claims.ts";
import { attempt } from "../shared/attempt.ts";
import { requireConnectionGuard } from "../shared/connection-guard.ts";
import { createdSince, inDoubtForMs } from "../shared/create-once.ts";
import { calling, terminal } from "../shared/failures.ts";
import { madeOtherwise } from "../shared/fixed-fields.ts";
import { FINAL_ABSENCE_MS } from "../shared/absences.ts";
import { recordIdentity } from "../shared/record-identity.ts";
import { noteFound, requireAbsence } from "../shared/require-absence.ts";
import { soughtBranch } from "../shared/sought.ts";
import { requireAnswered, requireBranchName } from "./claimants.ts";
import type { BranchContext, BranchRun } from "./context.ts";
import { branchesNamed, createBranch } from "./create.ts";
import { CREATE_DEADLINE_MS, foundBranches } from "./creation.ts";
import { ensureDefaultBranch, isForDefault } from "./default-branch.ts";
import { endOfOwn, hadExpired, platformNow, settleExpired, UNCOUNTED } from "./expiry.ts";
import { identifyBranch } from "./identity.ts";
import { afterLoss, remoteMissing } from "./missing.ts";
import { type BranchIdentity, readBranch } from "./observe.ts";
import { endRequestsOfLost } from "./requests.ts";

/** How soon a name is looked for again that somebody has to make, rename or free on the platform, milliseconds. */
const NAME_LOOK_MS = 60_000;

/**
 * Finds out which branch the object stands for, creating it where it is to be made, and records that.
 *
 * @returns the branch, or `expired` when it went at the end of its ttl
 */
export async function settleBranch(run: BranchRun, context: BranchContext): Promise<Branch | "expired"> {
  const { object, place } = context;
  const identified = identifyBranch(object, place.session, run.environment.cluster);
  switch (identified.kind) {
    case "new":
      return create(run, context);
    case "adopt":
      return adoptByName(run, context, "what another object recorded is not created: remove the annotation for that");
    case "recorded":
      return recorded(run, context, identified.identity);
    default:
      return identified satisfies never;
  }
}

async function recorded(run: BranchRun, context: BranchContext, identity: BranchIdentity): Promise<Branch | "expired"> {
  const { ref } = identity;
  requireClaimOnRef(run, context, ref);
  const remote = await readBranch(run, context, identity);
  if (remote === undefined) return lost(run, context, identity);
  noteFound(run, soughtBranch(identity));
  return recordBranch(run, context, remote);
}

/** What follows where the recorded branch is not found. What has no way back does once that was so for a minute. */
async function lost(run: BranchRun, context: BranchContext, identity: BranchIdentity): Promise<Branch | "expired"> {
  const { ref, id: branchId } = identity;
  const sought = soughtBranch(identity);
  const why = "the branch does not exist any more";
  const next = hadExpired(run, context) ? "expired" : afterLoss(run, context, ref);
  if (next !== "expired" && next.kind === "leave") {
    const leftMs = FINAL_ABSENCE_MS - requireAbsence(run, sought, "tell");
    if (leftMs <= 0) await endRequestsOfLost(run, context, { branchId, why });
    throw remoteMissing(run, ref, { why: next.why, leftMs });
  }
  requireAbsence(run, sought, "end");
  await endRequestsOfLost(run, context, { branchId, why });
  if (next === "expired") {
    await settleExpired(run, context);
    return "expired";
  }
  run.status.update({ state: undefined, projectState: undefined, services: undefined, host: undefined });
  const made = await create(run, context);
  noteFound(run, sought); // another one is in its place
  return made;
}

/** Nobody else's object may have it: the owner of record goes first, then the oldest (claims.ts). */
export function requireClaimOnRef(run: BranchRun, { object }: BranchContext, ref: string): void {
  requireClaim(object, run.environment.objects.branches.recordsByIndex(REF_INDEX, ref).map(claimOf), `branch ${ref}`);
}

/** Records which branch the object has. @param more what else the status says from then on */
export async function recordBranch(
  run: BranchRun,
  context: BranchContext,
  remote: Branch,
  more: Partial<BranchStatus> = {},
): Promise<Branch> {
  const { project_ref: ref, id, parent_project_ref: parentRef } = remote;
  const noting = { id, parentRef, ...more, ...(isAnswered(run, context, remote) ? { intent: undefined } : {}) };
  await recordIdentity(run, context.place.session, { ref, id, noting });
  return remote;
}

/** Whether nothing more can come of a recorded request: this is what came of it, or too long has passed. */
function isAnswered(run: BranchRun, context: BranchContext, remote: Branch): boolean {
  const { intent } = run.status.current;
  if (intent === undefined || isForDefault(intent)) return true;
  const found = foundBranches(run, context.place.session, [remote]);
  if (createdSince(intent, found, CREATE_DEADLINE_MS) !== undefined) return true;
  return inDoubtForMs(intent, CREATE_DEADLINE_MS, platformNow(run, context)) <= 0;
}

/** Whether an earlier request of this very object may have made a branch of its own. */
function mayHaveCreated({ metadata, status: { intent } }: BranchContext["object"]): boolean {
  return intent?.uid === metadata.uid && !isForDefault(intent);
}

async function create(run: BranchRun, context: BranchContext): Promise<Branch> {
  const { place, policies, name, object } = context;
  if (policies.managementPolicy.value === "Observe") {
    requireBranchName(run, context);
    return adoptByName(run, context, "managementPolicy Observe creates nothing");
  }
  if (!mayHaveCreated(object)) requireBranchName(run, context); // who lost begins nothing
  requireConnectionGuard(run, place.session);
  await run.protect();
  await ensureDefaultBranch(run, context);
  const { branch, how } = await createBranch(run, context);
  if (how === "adopted") return takeOver(run, context, branch);
  await recordBranch(run, context, branch, endOfOwn(object.spec, branch));
  run.wrote("Created", `created the branch ${name} as ${branch.project_ref}`);
  return branch;
}

/** Takes the branch of the declared name, if the policy says so; never makes one. */
async function adoptByName(run: BranchRun, context: BranchContext, otherwise: string): Promise<Branch> {
  const { object, place, name } = context;
  requireAnswered(run, context);
  const [found, second] = await branchesNamed(run, context, name);
  if (found === undefined) {
    const message = `the project ${place.projectRef} has no branch named ${name}, and ${otherwise}`;
    throw terminal("InvalidSpec", message, { recheckAfterMs: NAME_LOOK_MS });
  }
  if (second !== undefined) {
    const message = `the project ${place.projectRef} has several branches named ${name}: rename all but one`;
    throw terminal("Conflict", message, { recheckAfterMs: NAME_LOOK_MS });
  }
  if (object.spec.adoptionPolicy !== "IfNameMatches") {
    const message = `the project ${place.projectRef} has a branch named ${name}: set adoptionPolicy: IfNameMatches to have it`;
    throw terminal("Conflict", message, { recheckAfterMs: NAME_LOOK_MS });
  }
  return takeOver(run, context, found.branch);
}

async function takeOver(run: BranchRun, context: BranchContext, branch: Branch): Promise<Branch> {
  const { project_ref: ref } = branch;
  const otherwise = await madeOtherwiseThan(run, context, branch);
  requireClaimOnRef(run, context, ref);
  // How long it lived before this object had it is no part of its ttl.
  await recordBranch(run, context, branch, UNCOUNTED);
  run.wrote("Adopted", `adopted the branch ${ref}, which has the declared name${otherwise}`);
  return branch;
}

/** What of it cannot be read keeps nobody from it. Of its region nothing is told at the path of a branch. */
async function madeOtherwiseThan(
  run: BranchRun,
  { object, place }: BranchContext,
  { project_ref: ref, with_data: hasData }: Branch,
): Promise<string> {
  const { withData, postgresEngine, releaseChannel } = object.spec;
  const shared = run.environment.snapshots.branchConfig(place.session.client, { ref, parentRef: place.projectRef });
  const isAsked = postgresEngine !== undefined || releaseChannel !== undefined;
  const config = isAsked ? await attempt(() => calling("read the branch", () => shared.get(0, run.call))) : undefined;
  const of = config?.ok === true ? config.value : undefined;
  return madeOtherwise([
    { field: "spec.withData", declared: withData, found: hasData },
    { field: "spec.postgresEngine", declared: postgresEngine, found: of?.postgres_engine },
    { field: "spec.releaseChannel", declared: releaseChannel, found: of?.release_channel },
  ]);
}
