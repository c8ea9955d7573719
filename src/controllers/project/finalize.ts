import { isApiError } from "../../api/errors.ts";
import type { ProjectDetail } from "../../api/contract/projects.ts";
import type { Intent } from "../../resources/status.ts";
import type { ProjectObject } from "../environment.ts";
import { attempt } from "../shared/attempt.ts";
import { isOwner } from "../shared/claims.ts";
import { allowsOrganization } from "../shared/connection-lookup.ts";
import {
  blocked,
  deletingForMs,
  type DeletionTarget,
  observesOnly,
  deleteRemotely,
  platformNowOf,
} from "../shared/deletion.ts";
import { UnderWayError } from "../shared/deletion-failures.ts";
import { endDoubt, ownIntent, waitOutDoubt } from "../shared/doubt.ts";
import { explain, waiting } from "../shared/failures.ts";
import { glance } from "../shared/glance.ts";
import { isHidden, whyUnreadable } from "../shared/readable.ts";
import { noteFound, requireAbsence } from "../shared/require-absence.ts";
import type { KeptRemote } from "../shared/releases.ts";
import { nameOf, type Sought } from "../shared/sought.ts";
import { recordedFirst, type RecordedAsOurs } from "../shared/ownership.ts";
import { recordIdentity } from "../shared/record-identity.ts";
import { pollDelayMs } from "../shared/polling.ts";
import { isElsewhere, isOtherAccount, type Session } from "../shared/sessions.ts";
import { intendedProject, projectMadeBy } from "./create.ts";
import { readProject } from "./observe.ts";
import { claimants, CREATE_DEADLINE_MS } from "./claimants.ts";
import type { ProjectRun } from "./context.ts";
import { isOwnOrganization } from "./transfer.ts";
import { keepPassword } from "./password.ts";

/**
 * Deals with the project of an object under deletion: keeps it, or deletes it and waits until it is gone. Nothing remote is touched
 * unless it is recorded as this very object's.
 */
export async function finalizeProject(
  run: ProjectRun,
  object: ProjectObject | undefined,
  unread: string,
): Promise<void> {
  const own = ownProject(run);
  if (own === undefined) return;
  const observes = object !== undefined && observesOnly(run, object.spec);
  if (object === undefined || observes || object.spec.deletionPolicy === "Retain") {
    waitOutDoubt(own.intent, doubtTimes(run, object));
    return keepProject(run, object, { ...own, observes, unread });
  }
  const end = await deleteOwn(run, object, own);
  if (end !== "gone") await keepPassword(run, object);
}

/** The project stays, in a list that outlives the object and its namespace; but what the object only observed was never its to keep. */
async function keepProject(
  run: ProjectRun,
  object: ProjectObject | undefined,
  { recorded, intent, observes, unread }: Own & { readonly observes: boolean; readonly unread: string },
): Promise<void> {
  await keepPassword(run, object);
  const kept = [
    ...(recorded === undefined ? [] : [keptByRef(recorded.ref)]),
    ...(intent === undefined ? [] : await keptIntended(run, object, { recorded, intent, observes })),
  ];
  const why = unread === "" ? "" : `: ${unread}`;
  const lostWithNamespace = passwordLost(run);
  if (!observes) await run.environment.releases.retain({ object: run.raw, kept, lostWithNamespace }, run.signal);
  for (const { remote } of kept) run.wrote("Retained", `the object was deleted and ${remote} is kept${why}`);
}

/** A generated password is nowhere but in its Secret, which outlives the object and not its namespace. */
function passwordLost({ status }: ProjectRun): string | undefined {
  const { databasePassword } = status.current;
  if (databasePassword?.generated !== true) return undefined;
  const lies = `the Secret ${databasePassword.secretName} with its generated password goes with the namespace`;
  return `${lies}: spec.databasePassword.secretKeyRef sets another one`;
}

function keptByRef(ref: string): KeptRemote {
  return { remote: nameOf({ kind: "project", ref }), adopt: `spec.ref: ${ref}` };
}

/**
 * What an intent made, of whose doubt the end was waited for: by its ref, where a look finds it, else by the name that was asked for. Beside what is
 * recorded nothing is told of what a look does not find.
 */
async function keptIntended(
  run: ProjectRun,
  object: ProjectObject | undefined,
  { recorded, intent, observes }: Pick<Own, "recorded"> & { readonly intent: Intent; readonly observes: boolean },
): Promise<readonly KeptRemote[]> {
  const byName = { remote: nameOf(intended(intent)), adopt: "adoptionPolicy: IfNameMatches" };
  if (observes) return [byName];
  const look = async (session: Session) => ({
    made: await projectMadeBy(run, session, { intent, besides: recorded?.ref }),
    isOther: isOtherAccount(run.status.current.connection, session),
  });
  const { seen } = (await glance(run, object?.spec ?? {}, look)) ?? {};
  if (seen === undefined || seen.made === "perhaps") return [byName];
  if (seen.made === undefined) return recorded === undefined || seen.isOther ? [byName] : [];
  return seen.made.ref === recorded?.ref ? [] : [keptByRef(seen.made.ref)];
}

/** What this very object has remotely: a record, an intent whose answer never came, or both while a missing project is made anew. */
interface Own {
  readonly recorded: RecordedAsOurs | undefined;
  readonly intent: Intent | undefined;
}

function ownProject(run: ProjectRun): Own | undefined {
  const { environment, status, raw } = run;
  const record = recordedFirst(raw.metadata, status.current, { account: undefined, cluster: environment.cluster });
  const recorded = record.kind === "ours" ? record : undefined;
  const intent = ownIntent(run);
  return recorded === undefined && intent === undefined ? undefined : { recorded, intent };
}

function doubtTimes(run: ProjectRun, object: ProjectObject | undefined): Parameters<typeof endDoubt>[1] {
  return { requestDeadlineMs: CREATE_DEADLINE_MS, nowMs: platformNowOf(run, object?.spec ?? {}) };
}

function intended(intent: Intent | undefined): Sought {
  return { kind: "intended", what: "project", name: intent?.name ?? "" };
}

/** How a deletion ended; `released` and `leftAlone` as `deleteRemotely`, `left`: it is somewhere where it is not this object's to delete. */
type End = "gone" | "left" | "released" | "leftAlone";

interface Deletion {
  readonly object: ProjectObject;
  readonly target: DeletionTarget;
  readonly session: Session;
  /** the account that it was recorded under; undefined where that is not known */
  readonly account: string | undefined;
}

/** Deletes what is recorded, and then what an intent beside it made: a missing project is made anew, or another one was taken over meanwhile. */
async function deleteOwn(run: ProjectRun, object: ProjectObject, { recorded }: Own): Promise<End> {
  const end = recorded === undefined ? "gone" : await deleteRecorded(run, object, recorded);
  const intent = ownIntent(run);
  if (intent === undefined || end === "released") return end;
  const target = targetOf(object, { sought: intended(intent), ref: intent.name });
  const next = await deleteRemotely(run, target, (session) => deleteIntended(run, { object, target, session }, intent));
  return next === "gone" ? end : next;
}

async function deleteRecorded(run: ProjectRun, object: ProjectObject, recorded: RecordedAsOurs): Promise<End> {
  const { ref, confirmed, account } = recorded;
  // Of two objects for one project, deleting the one that does not own it touches nothing remote (engine.md §4).
  if (!isOwner(object, claimants(run, object, { ref }))) {
    endDoubt(run, doubtTimes(run, object));
    return "gone";
  }
  const intent = ownIntent(run);
  const target = targetOf(object, {
    sought: { kind: "project", ref },
    ref,
    beside: intent === undefined ? undefined : intended(intent),
    unconfirmed: confirmed ? undefined : ref,
  });
  return deleteRemotely(run, target, async (session) => {
    // Its connection may reach another platform by now, on which the ref is another one's; what it has itself stays on the platform before.
    if (!isOwner(object, claimants(run, object, { ref, here: session.server }))) {
      endDoubt(run, doubtTimes(run, object));
      run.wrote(
        "Retained",
        `${nameOf(target.sought)} is left alone: it was on another platform, and here it is another object's`,
      );
      return "left";
    }
    return deleteProject(run, { object, target, session, account }, ref);
  });
}

function targetOf(
  { spec: { connectionRef, deletionTimeout: timeout } }: ProjectObject,
  of: Omit<DeletionTarget, "timeout" | "connectionRef">,
): DeletionTarget {
  return { ...of, timeout, connectionRef };
}

async function deleteIntended(run: ProjectRun, deletion: Omit<Deletion, "account">, intent: Intent): Promise<End> {
  const { object, target, session } = deletion;
  if (isElsewhere(run.status.current.connection, session)) return otherPlatform(run, target);
  const looked = await attempt(() => intendedProject(run, session, { intent, sought: target.sought }));
  if (!looked.ok) {
    if (!isHidden(looked.failure)) throw looked.failure;
    return unseen(run, target, "the token does not read the projects of its organization any more");
  }
  const made = looked.value;
  if (made === "released") return made;
  if (made === undefined) {
    return isOtherAccount(run.status.current.connection, session) ? otherAccount(run, target) : "gone";
  }
  const { ref } = made;
  // No doubt is left of what came of the intent: once this one is gone, nothing is waited for any more.
  await recordIdentity(run, session, { ref, noting: { intent: undefined } });
  const found = targetOf(object, { sought: { kind: "project", ref }, ref });
  return deleteProject(run, { object, target: found, session, account: session.account }, ref);
}

async function deleteProject(run: ProjectRun, deletion: Deletion, ref: string): Promise<End> {
  const { session } = deletion;
  const sought = { kind: "project", ref } as const;
  const remote = await readProject(run, session, ref);
  if (remote === undefined) return confirmMissing(run, deletion, ref);
  noteFound(run, sought);
  if (remote.status === "REMOVED") return "gone";
  // From its going on, the intent that was in doubt then is followed, however long that takes.
  if (remote.status !== "GOING_DOWN") endDoubt(run, doubtTimes(run, deletion.object));
  if (!mayTouch(run, deletion, remote)) {
    run.wrote("Retained", `${nameOf(sought)} is left alone: it is in the organization ${remote.organization_slug}`);
    return "left";
  }
  const isTaken = remote.status === "GOING_DOWN" || (await requestDeletion(run, session, ref));
  if (isTaken) run.environment.absences.taken(run.raw.metadata.uid, sought);
  throw new UnderWayError("the project is going down", pollDelayMs(deletingForMs(run)));
}

/**
 * What was moved to another organization is not this object's to delete any more. A record that only the annotation has asks for what an adoption
 * asks for, so also for the organization that the connection allows.
 */
function mayTouch(
  run: ProjectRun,
  { object, target, session }: Deletion,
  { organization_slug: slug }: ProjectDetail,
): boolean {
  if (slug !== object.spec.organization && !isOnTransfer(run, object, slug)) return false;
  return target.unconfirmed === undefined || allowsOrganization(session, slug);
}

/** A transfer that was declared and is not done, or whose answer was lost: the project is this object's where it is. */
function isOnTransfer(run: ProjectRun, { spec }: ProjectObject, slug: string): boolean {
  return spec.transferPolicy === "Allow" && isOwnOrganization(run, slug);
}

/** @returns whether the platform has agreed to it */
async function requestDeletion(run: ProjectRun, session: Session, ref: string): Promise<boolean> {
  try {
    await session.client.projects.delete({ ref }, run.call);
    run.wrote("Deleting", `asked for the project ${ref} to be deleted`);
    return true;
  } catch (error) {
    // While it is provisioned the platform refuses with 400 (facts.md §5): it is asked again.
    if (isApiError(error, "BAD_REQUEST")) {
      const message = `the platform cannot delete the project yet: ${error.message}`;
      throw waiting("Deleting", message, pollDelayMs(deletingForMs(run)));
    }
    if (!isApiError(error, "GONE")) throw explain(error, "delete the project");
    return false;
  }
}

/** Gone, or only hidden from another account: believed while the account that it was recorded under still reads the organization. */
async function confirmMissing(
  run: ProjectRun,
  { object, account, target, session }: Deletion,
  ref: string,
): Promise<"gone" | "released"> {
  const slug = run.status.current.organization ?? object.spec.organization;
  if (isElsewhere(run.status.current.connection, session)) return otherPlatform(run, target);
  if ((account ?? session.account) !== session.account) return otherAccount(run, target);
  const why = await whyUnreadable(run, session, slug);
  if (why !== undefined) return unseen(run, target, why);
  requireAbsence(run, { kind: "project", ref }, "letGo");
  return "gone";
}

/** Another account may not be shown what is there, whatever else it reads. */
function otherAccount(run: ProjectRun, target: DeletionTarget): Promise<"released"> {
  return unseen(run, target, "the token belongs to another account");
}

function unseen(run: ProjectRun, target: DeletionTarget, why: string): Promise<"released"> {
  return blocked(run, target, { lacksCredential: true, why: `${why}, so that the project is not taken for missing` });
}

/** What is asked for elsewhere says nothing of what is there. */
function otherPlatform(run: ProjectRun, target: DeletionTarget): Promise<"released"> {
  const server = run.status.current.connection?.server ?? "";
  const why = `it is on ${server}, and the connection names another platform now`;
  return blocked(run, target, { lacksCredential: true, why });
}
