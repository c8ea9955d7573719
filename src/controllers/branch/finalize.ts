import type { Branch } from "../../api/contract/branches.ts";
import type { BranchObject } from "../environment.ts";
import type { Intent } from "../../resources/status.ts";
import { parentOf } from "../../resources/references.ts";
import { REF_INDEX } from "../indexes.ts";
import { branchDeletionPolicy } from "../shared/branch-retention.ts";
import { attempt } from "../shared/attempt.ts";
import { parentVerdict } from "../shared/child-deletion.ts";
import { claimOf, isOwner } from "../shared/claims.ts";
import { believeGone } from "../shared/believe-gone.ts";
import {
  blocked,
  deletingForMs,
  type DeletionTarget,
  observesOnly,
  deleteRemotely,
  platformNowOf,
} from "../shared/deletion.ts";
import { endDoubt, ownIntent, waitOutDoubt } from "../shared/doubt.ts";
import { createdSince, mayHaveMade } from "../shared/create-once.ts";
import { findIntended } from "../shared/find-intended.ts";
import { glance } from "../shared/glance.ts";
import { recordedFirst } from "../shared/ownership.ts";
import { parentRefIfKnown } from "../shared/parents.ts";
import { isHidden } from "../shared/readable.ts";
import { noteFound, requireAbsence } from "../shared/require-absence.ts";
import { nameOf, type Sought, soughtBranch } from "../shared/sought.ts";
import { recordIdentity } from "../shared/record-identity.ts";
import { isOtherAccount, type Session } from "../shared/sessions.ts";
import { awaitWork } from "./at-end.ts";
import type { BranchRun } from "./context.ts";
import { CREATE_DEADLINE_MS as requestDeadlineMs, foundBranches } from "./creation.ts";
import { isForDefault } from "./default-branch.ts";
import { branchesIfThere, type BranchesOf, type BranchIdentity, findBranch } from "./observe.ts";
import { isOnItsWayOut, removeBranch } from "./remove.ts";

/** What this very object has remotely: a recorded branch, one that it asked for and got no answer about, or both while one that was gone is made anew. */
interface Own {
  readonly recorded: BranchIdentity | undefined;
  readonly intent: Intent | undefined;
  /** why the recorded one is kept, whatever becomes of the other; undefined: it goes, for all that is known */
  readonly why?: string | undefined;
}

function soughtOf({ recorded, intent }: Own): Sought {
  return recorded === undefined ? intended(intent) : soughtBranch(recorded);
}

function intended(intent: Intent | undefined): Sought {
  return { kind: "intended", what: "branch", name: intent?.name ?? "" };
}

/**
 * Deals with the branch of an object under deletion: keeps it, or deletes it and waits until it is gone. Nothing remote is touched unless
 * it is recorded as this very object's.
 */
export async function finalizeBranch(run: BranchRun, object: BranchObject | undefined, unread: string): Promise<void> {
  const own = ownBranch(run, object);
  if (own === undefined) return;
  const remote = nameOf(soughtOf(own));
  const times = { requestDeadlineMs, nowMs: platformNowOf(run, object?.spec ?? {}) };
  if (object === undefined) {
    waitOutDoubt(own.intent, times);
    return retained(run, [{ remote, why: unread }]);
  }
  if (observesOnly(run, object.spec)) {
    waitOutDoubt(own.intent, times);
    return kept(run, remote, "this object does not manage it");
  }
  const { spec } = object;
  const why = whyRetained(spec, run.status.current);
  if (why !== undefined && own.recorded !== undefined) endDoubt(run, times);
  const intent = askedFor(run);
  // What keeps the one that it has may say nothing of what is in doubt beside that.
  const isFollowed = own.recorded !== undefined && intent !== undefined && whyRetained(spec, {}) === undefined;
  if (why !== undefined && !isFollowed) {
    waitOutDoubt(intent, times);
    const beside = await keptBeside(run, object, own);
    const whyBeside = "a request for it got no answer, and it stays with the other one";
    return retained(run, [{ remote, why }, ...(beside === undefined ? [] : [{ remote: beside, why: whyBeside }])]);
  }
  const verdict = await parentVerdict(run, { spec, ref: run.status.current.parentRef });
  if (verdict === "delete") return deleteOwn(run, object, { ...own, why });
  if (verdict === "gone") return; // and with it what lived in it, or it was kept whole
  waitOutDoubt(intent, times);
  return kept(run, remote, "what its Project is in is left to the Project");
}

function ownBranch(run: BranchRun, object: BranchObject | undefined): Own | undefined {
  const { environment, status, raw } = run;
  const recorded = recordedFirst(raw.metadata, status.current, { account: undefined, cluster: environment.cluster });
  const intent = askedFor(run);
  if (recorded.kind !== "ours") return intent === undefined ? undefined : { recorded: undefined, intent };
  const { ref, id } = recorded;
  // Of two objects for one branch, deleting the one that does not own it touches nothing remote (engine.md §4).
  const isOurs =
    object === undefined || isOwner(object, environment.objects.branches.recordsByIndex(REF_INDEX, ref).map(claimOf));
  if (isOurs) return { recorded: { ref, id }, intent };
  endDoubt(run, { requestDeadlineMs, nowMs: platformNowOf(run, object.spec) });
  return askedFor(run) === undefined ? undefined : { recorded: undefined, intent };
}

/** A default branch cannot be deleted alone, and whether this object's request made it does not matter to anybody. */
function askedFor(run: BranchRun): Intent | undefined {
  const intent = ownIntent(run);
  return isForDefault(intent) ? undefined : intent;
}

/** The project that only the spec names: the status, which the operator alone writes, never said that the branch is in it. */
function unconfirmedProject({ status, raw }: BranchRun, { spec }: BranchObject): string | undefined {
  const { parentRef, recordedFor, intent } = status.current;
  const { uid } = raw.metadata;
  const confirmed = parentRef !== undefined && (recordedFor === uid || intent?.uid === uid);
  const parent = parentOf(spec);
  return confirmed || parent.kind !== "UnmanagedProject" ? undefined : (parentRef ?? parent.ref);
}

function kept(run: BranchRun, remote: string, why: string): void {
  run.wrote("Retained", `the object was deleted and the ${remote} is kept: ${why}`);
}

/** Kept by its own policy; a default branch goes with its project, which is told of there. */
async function retained(
  run: BranchRun,
  all: readonly { readonly remote: string; readonly why: string }[],
): Promise<void> {
  const { environment, raw: object, status, signal } = run;
  const adopt = "adoptionPolicy: IfNameMatches";
  const listed = all.map(({ remote }) => ({ remote, adopt }));
  if (status.current.isDefault !== true) await environment.releases.retain({ object, kept: listed }, signal);
  for (const { remote, why } of all) kept(run, remote, why);
}

/** What an intent made beside what is recorded, of whose doubt the end was waited for; undefined where there is none, or where a look does not find it. */
async function keptBeside(
  run: BranchRun,
  { spec }: BranchObject,
  { recorded, intent }: Own,
): Promise<string | undefined> {
  const { parentRef: projectRef, connection } = run.status.current;
  if (recorded === undefined || intent === undefined) return undefined;
  const remote = nameOf(intended(intent));
  const nowMs = platformNowOf(run, spec);
  if (projectRef === undefined) return remote;
  const look = async (session: Session): Promise<boolean> => {
    const all = await branchesIfThere(run, { session, projectRef }, 0);
    // What is not shown to this token may be there.
    if (all === undefined || isOtherAccount(connection, session)) return true;
    const others = all.filter((branch) => branch !== findBranch(all, recorded));
    const found = foundBranches(
      run,
      session,
      others.filter(({ name }) => name === intent.name),
    );
    return createdSince(intent, found, requestDeadlineMs) !== undefined || mayHaveMade(intent, found, nowMs);
  };
  const { seen = true } = (await glance(run, spec, look)) ?? {};
  return seen ? remote : undefined;
}

/** Why its own policy keeps a branch, for people; undefined where it does not. */
function whyRetained(
  spec: BranchObject["spec"],
  facts: Parameters<typeof branchDeletionPolicy>[1],
): string | undefined {
  const { value, origin } = branchDeletionPolicy(spec, facts);
  if (value !== "Retain") return undefined;
  if (facts.isDefault === true) return "it is the default branch, which goes only with its project";
  return `deletionPolicy is Retain${origin === "Object" ? "" : ", the default for a persistent branch"}`;
}

interface Deletion {
  readonly object: BranchObject;
  readonly own: Own;
  readonly target: DeletionTarget;
  readonly session: Session;
}

async function deleteOwn(run: BranchRun, object: BranchObject, own: Own): Promise<void> {
  const { recorded, intent } = own;
  const { connectionRef, deletionTimeout: timeout } = object.spec;
  const target: DeletionTarget = {
    sought: soughtOf(own),
    ref: recorded?.ref ?? intent?.name,
    beside: recorded === undefined || intent === undefined ? undefined : intended(intent),
    unconfirmed: unconfirmedProject(run, object),
    timeout,
    connectionRef,
  };
  await deleteRemotely(run, target, (session) => deleteBranches(run, { object, own, target, session }));
}

async function deleteBranches(run: BranchRun, deletion: Deletion): Promise<void> {
  const { object, own, target, session } = deletion;
  const { environment, key, status } = run;
  const projectRef = status.current.parentRef ?? parentRefIfKnown(environment, key.namespace, object.spec);
  if (projectRef === undefined) {
    await blocked(run, target, { lacksCredential: false, why: "the project that it belongs to is not known" });
    return;
  }
  const of: BranchesOf = { session, projectRef };
  const nowMs = session.client.serverNow() ?? environment.clock.now(); // before the look
  const looked = await attempt(() => branchesIfThere(run, of, 0));
  if (!looked.ok) return unseen(run, deletion, looked.failure);
  const list = looked.value;
  // With its project the branch is gone, too.
  if (list === undefined) return believeGone(run, { session, target, spec: object.spec });
  const recorded = own.recorded && findBranch(list, own.recorded);
  // From its going on, the intent that was in doubt then is followed, however long that takes.
  if (recorded !== undefined && !isOnItsWayOut(recorded)) endDoubt(run, { requestDeadlineMs, nowMs });
  const { sought } = target;
  const tell = recorded && (await deleteBranch(run, deletion, { of, branch: recorded, sought, why: own.why }));
  const others = list.filter((branch) => branch !== recorded);
  const made = await intendedBranch(run, { session, nowMs, others });
  await tell?.(); // once, as nothing is waited for any more
  if (made === "released") return;
  if (made !== undefined) return deleteIntended(run, deletion, { of, branch: made });
  if (recorded === undefined) requireAbsence(run, target.sought, "letGo");
}

/** What was only asked for nobody can put right by hand: it goes at the bound, as where the platform does not know the project. */
async function unseen(run: BranchRun, { own, target }: Deletion, failure: Error): Promise<void> {
  if (own.recorded !== undefined || !isHidden(failure)) throw failure;
  const why =
    "the token does not read the branches of its project any more, so that the branch is not taken for missing";
  await blocked(run, target, { lacksCredential: true, why });
}

async function deleteIntended(
  run: BranchRun,
  deletion: Deletion,
  { of, branch }: Omit<OwnBranch, "sought">,
): Promise<void> {
  const { project_ref: ref, id, persistent } = branch;
  // No doubt is left of what came of the intent: once this one is gone, nothing is waited for any more.
  await recordIdentity(run, deletion.session, { ref, id, noting: { id, persistent, intent: undefined } });
  const tell = await deleteBranch(run, deletion, { of, branch, sought: soughtBranch({ ref, id }) });
  await tell();
}

/** One of the branches that an object has. */
interface OwnBranch {
  readonly of: BranchesOf;
  readonly branch: Branch;
  readonly sought: Sought;
  /** as `Own` */
  readonly why?: string | undefined;
}

/** @returns tells how it ended: what is listed still is told of once, when nothing else of the object is waited for */
async function deleteBranch(
  run: BranchRun,
  { object, target: { timeout } }: Deletion,
  { of, branch, sought, why: known }: OwnBranch,
): Promise<() => Promise<void>> {
  const { environment } = run;
  noteFound(run, sought);
  // What the platform says now counts, too: somebody may have made it last since the last look.
  const why = known ?? whyRetained(object.spec, { isDefault: branch.is_default, persistent: branch.persistent });
  if (why !== undefined) return () => retained(run, [{ remote: nameOf(sought), why }]);
  const soft = object.spec.softDelete === true;
  const ending = { object, place: of, remote: branch, why: "the object is deleted" };
  await awaitWork(run, ending, {
    elapsedMs: deletingForMs(run),
    leftMs: () => environment.deletions.leftToWaitMs(run.raw.metadata, timeout),
    atMost: `until shortly before deletionTimeout ${timeout}`,
  });
  const goesAt = await removeBranch(run, of, { branch, elapsedMs: deletingForMs(run), soft, sought });
  const how =
    goesAt === undefined ? "is deleted" : `is deleted by the platform at ${goesAt}; until then it can be restored`;
  const tell = (): Promise<void> => Promise.resolve(run.wrote("Deleted", `the ${nameOf(sought)} ${how}`));
  if (goesAt !== undefined) return tell;
  await tell();
  return () => Promise.resolve();
}

interface Look {
  readonly session: Session;
  readonly nowMs: number;
  readonly others: readonly Branch[];
}

/** What an intent made, beside what is recorded. Returns and throws as `findIntended`. */
async function intendedBranch(
  run: BranchRun,
  { session, nowMs, others }: Look,
): Promise<Branch | "released" | undefined> {
  const intent = askedFor(run);
  if (intent === undefined) return undefined;
  const named = others.filter(({ name, is_default: isDefault }) => name === intent.name && !isDefault);
  const look = (): Promise<ReturnType<typeof foundBranches>> => Promise.resolve(foundBranches(run, session, named));
  const made = await findIntended(run, { intent, sought: intended(intent), requestDeadlineMs, nowMs, look });
  return made === "released" ? made : made?.branch;
}
