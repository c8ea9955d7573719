import type { Branch } from "../../api/contract/branches.ts";
import type { BranchObject } from "../environment.ts";
import type { Intent } from "../../resources/status.ts";
import { parentOf } from "../../resources/references.ts";
import { branchDeletionPolicy } from "../shared/branch-retention.ts";
import { parentVerdict } from "../shared/child-deletion.ts";
import { isOwner } from "../shared/claims.ts";
import { createdSince, inDoubtForMs } from "../shared/create-once.ts";
import { believeGone } from "../shared/believe-gone.ts";
import { blocked, deletingForMs, type DeletionTarget, observesOnly, deleteRemotely } from "../shared/deletion.ts";
import { waiting } from "../shared/failures.ts";
import { parentRefIfKnown } from "../shared/parents.ts";
import { noteFound, noteMissed, requireAbsence } from "../shared/require-absence.ts";
import { nameOf, type Sought, soughtBranch } from "../shared/sought.ts";
import { recordIdentity } from "../shared/record-identity.ts";
import { pollDelayMs } from "../shared/polling.ts";
import type { Session } from "../shared/sessions.ts";
import { awaitWork } from "./at-end.ts";
import type { BranchRun } from "./context.ts";
import { CREATE_DEADLINE_MS, foundBranches } from "./creation.ts";
import { isForDefault } from "./default-branch.ts";
import { recordedBranch } from "./identity.ts";
import { branchesIfThere, type BranchesOf, type BranchIdentity, findBranch } from "./observe.ts";
import { removeBranch } from "./remove.ts";

/** What this very object has remotely: a recorded branch, or one that it asked for and got no answer about. */
type Own =
  | { readonly kind: "recorded"; readonly identity: BranchIdentity }
  | { readonly kind: "intended"; readonly name: string };

function soughtOf(own: Own): Sought {
  return own.kind === "recorded" ? soughtBranch(own.identity) : { kind: "intended", what: "branch", name: own.name };
}

/**
 * Deals with the branch of an object under deletion: keeps it, or deletes it and waits until it is gone. Nothing remote is touched unless
 * it is recorded as this very object's.
 */
export async function finalizeBranch(run: BranchRun, object: BranchObject | undefined): Promise<void> {
  const own = ownBranch(run);
  if (own === undefined) return;
  const sought = soughtOf(own);
  const remote = nameOf(sought);
  if (object === undefined || observesOnly(run, object.spec)) {
    return kept(run, remote, "this object does not manage it");
  }
  const { environment } = run;
  const ref = own.kind === "recorded" ? own.identity.ref : undefined;
  // Of two objects for one branch, deleting the one that does not own it touches nothing remote (engine.md §4).
  if (ref !== undefined && !isOwner(object, environment.objects.branches.byIndex("ref", ref))) return;
  const why = whyRetained(object.spec, run.status.current);
  if (why !== undefined) return retained(run, remote, why);
  const verdict = await parentVerdict(run, { spec: object.spec, ref: run.status.current.parentRef });
  if (verdict !== "delete") return kept(run, remote, "what its Project is in is left to the Project");
  const { connectionRef, deletionTimeout: timeout } = object.spec;
  const target: DeletionTarget = { sought, ref, unconfirmed: unconfirmedProject(run, object), timeout, connectionRef };
  await deleteRemotely(run, target, (session) => deleteOwn(run, { object, own, target, session }));
}

function ownBranch({ environment, status, raw }: BranchRun): Own | undefined {
  const recorded = recordedBranch(raw.metadata, status.current, {
    account: undefined,
    cluster: environment.cluster,
  });
  if (recorded.kind === "ours") return { kind: "recorded", identity: { ref: recorded.ref, id: recorded.id } };
  const intent = ownIntent({ status, raw });
  return intent === undefined ? undefined : { kind: "intended", name: intent.name };
}

/** A default branch cannot be deleted alone, and whether this object's request made it does not matter to anybody. */
function ownIntent({ status, raw }: Pick<BranchRun, "status" | "raw">): Intent | undefined {
  const { intent } = status.current;
  return intent === undefined || intent.uid !== raw.metadata.uid || isForDefault(intent) ? undefined : intent;
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
async function retained(run: BranchRun, remote: string, why: string): Promise<void> {
  const { environment, raw: object, status, signal } = run;
  const adopt = "adoptionPolicy: IfNameMatches";
  if (status.current.isDefault !== true) await environment.releases.retain({ object, remote, adopt }, signal);
  kept(run, remote, why);
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

async function deleteOwn(run: BranchRun, deletion: Deletion): Promise<void> {
  const { object, own, target, session } = deletion;
  const { environment, key, status } = run;
  const projectRef = status.current.parentRef ?? parentRefIfKnown(environment, key.namespace, object.spec);
  if (projectRef === undefined) {
    await blocked(run, target, { lacksCredential: false, why: "the project that it belongs to is not known" });
    return;
  }
  const of: BranchesOf = { session, projectRef };
  const list = await branchesIfThere(run, of, 0);
  // With its project the branch is gone, too.
  if (list === undefined) return believeGone(run, { session, target, spec: object.spec });
  const recorded = own.kind === "recorded" ? findBranch(list, own.identity) : undefined;
  if (recorded !== undefined) {
    const end = await deleteBranch(run, deletion, { of, branch: recorded, sought: target.sought });
    if (end === "kept" || ownIntent(run) === undefined) return;
  }
  // Beside a record there is an intent while a branch that was gone is made anew, and where another one was taken over meanwhile.
  const others = list.filter((branch) => branch !== recorded);
  const intended = await intendedOf(run, session, others);
  if (intended !== undefined) {
    // What an intent made is recorded by now, and looked for as that.
    const sought = soughtBranch({ ref: intended.project_ref, id: intended.id });
    await deleteBranch(run, deletion, { of, branch: intended, sought });
  } else if (recorded === undefined) requireAbsence(run, target.sought, "letGo");
}

/** One of the branches that an object has. */
interface OwnBranch {
  readonly of: BranchesOf;
  readonly branch: Branch;
  readonly sought: Sought;
}

async function deleteBranch(
  run: BranchRun,
  { object, target: { timeout } }: Deletion,
  { of, branch, sought }: OwnBranch,
): Promise<"gone" | "kept"> {
  const { environment } = run;
  noteFound(run, sought);
  // What the platform says now counts, too: somebody may have made it last since the last look.
  const why = whyRetained(object.spec, { isDefault: branch.is_default, persistent: branch.persistent });
  if (why !== undefined) {
    await retained(run, nameOf(sought), why);
    return "kept";
  }
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
  run.wrote("Deleted", `the ${nameOf(sought)} ${how}`);
  return "gone";
}

/** @throws WaitingError ConfirmingAbsence while the request for it may still take effect; as `requireAbsence` */
async function intendedOf(run: BranchRun, session: Session, list: readonly Branch[]): Promise<Branch | undefined> {
  const intent = ownIntent(run);
  if (intent === undefined) return undefined;
  const named = list.filter(({ name, is_default: isDefault }) => name === intent.name && !isDefault);
  const found = createdSince(intent, foundBranches(run, named), CREATE_DEADLINE_MS);
  if (found !== undefined) {
    const { branch } = found;
    // No doubt is left of what came of the intent: once this one is gone, nothing is waited for any more.
    await recordIdentity(run, session, { ref: branch.project_ref, id: branch.id });
    run.status.update({ id: branch.id, intent: undefined });
    return branch;
  }
  const sought: Sought = { kind: "intended", what: "branch", name: intent.name };
  noteMissed(run, sought); // from the first look on, also while it is in doubt
  const nowMs = session.client.serverNow() ?? run.environment.clock.now();
  if (inDoubtForMs(intent, CREATE_DEADLINE_MS, nowMs) <= 0) {
    requireAbsence(run, sought, "letGo");
    return undefined;
  }
  const message = "a create request got no answer: waiting until it is certain that nothing was created";
  throw waiting("ConfirmingAbsence", message, pollDelayMs(deletingForMs(run)));
}
