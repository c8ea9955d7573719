import { isApiError } from "../../api/errors.ts";
import type { ProjectDetail } from "../../api/contract/projects.ts";
import { causeChain } from "../../base/error-facts.ts";
import type { Intent } from "../../resources/status.ts";
import type { ProjectObject } from "../environment.ts";
import { attempt } from "../shared/attempt.ts";
import { isOwner } from "../shared/claims.ts";
import { allowsOrganization } from "../shared/connection-lookup.ts";
import { blocked, deletingForMs, type DeletionTarget, observesOnly, deleteRemotely } from "../shared/deletion.ts";
import { UnderWayError } from "../shared/deletion-failures.ts";
import { explain, waiting } from "../shared/failures.ts";
import { whyUnreadable } from "../shared/readable.ts";
import { noteFound, requireAbsence } from "../shared/require-absence.ts";
import { nameOf, type Sought } from "../shared/sought.ts";
import type { RecordedAsOurs } from "../shared/ownership.ts";
import { recordIdentity } from "../shared/record-identity.ts";
import { pollDelayMs } from "../shared/polling.ts";
import { isElsewhere, type Session } from "../shared/sessions.ts";
import { findIntended } from "./create.ts";
import { readProject } from "./observe.ts";
import { claimants } from "./claimants.ts";
import { recordedProject } from "./identity.ts";
import type { ProjectRun } from "./context.ts";
import { isOwnOrganization } from "./transfer.ts";
import { keepPassword } from "./password.ts";

/**
 * Deals with the project of an object under deletion: keeps it, or deletes it and waits until it is gone. Nothing remote is touched
 * unless it is recorded as this very object's.
 */
export async function finalizeProject(run: ProjectRun, object: ProjectObject | undefined): Promise<void> {
  const own = ownProject(run);
  if (own === undefined) return;
  const { recorded } = own;
  const ref = recorded?.ref;
  const sought = soughtOf(own);
  const observes = object !== undefined && observesOnly(run, object.spec);
  if (object === undefined || observes || object.spec.deletionPolicy === "Retain") {
    return keepProject(run, object, { sought, ref, observes });
  }
  // Of two objects for one project, deleting the one that does not own it touches nothing remote (engine.md §4).
  if (ref !== undefined && !isOwner(object, claimants(run, object, "ref", ref))) return;
  const { connectionRef, deletionTimeout: timeout } = object.spec;
  const unconfirmed = recorded?.confirmed === false ? ref : undefined;
  const target: DeletionTarget = { sought, ref: ref ?? own.intent?.name, unconfirmed, timeout, connectionRef };
  const end = await deleteRemotely(run, target, (session) => deleteOwn(run, { object, own, target, session }));
  if (end !== "gone") await keepPassword(run, object);
}

/** The project stays, in a list that outlives the object and its namespace; but what the object only observed was never its to keep. */
async function keepProject(
  run: ProjectRun,
  object: ProjectObject | undefined,
  { sought, ref, observes }: Pick<DeletionTarget, "sought" | "ref"> & { readonly observes: boolean },
): Promise<void> {
  await keepPassword(run, object);
  const remote = nameOf(sought);
  const adopt = ref === undefined ? "adoptionPolicy: IfNameMatches" : `spec.ref: ${ref}`;
  if (!observes) await run.environment.releases.retain({ object: run.raw, remote, adopt }, run.signal);
  run.wrote("Retained", `the object was deleted and ${remote} is kept`);
}

/** What this very object has remotely: a record, an intent whose answer never came, or both while a missing project is made anew. */
interface Own {
  readonly recorded: RecordedAsOurs | undefined;
  readonly intent: Intent | undefined;
}

function soughtOf({ recorded, intent }: Own): Sought {
  if (recorded !== undefined) return { kind: "project", ref: recorded.ref };
  return { kind: "intended", what: "project", name: intent?.name ?? "" };
}

function ownProject({ environment, status, raw }: ProjectRun): Own | undefined {
  const holder = { account: undefined, cluster: environment.cluster };
  const record = recordedProject(raw.metadata, status.current, holder);
  const recorded = record.kind === "ours" ? record : undefined;
  const intent = status.current.intent?.uid === raw.metadata.uid ? status.current.intent : undefined;
  return recorded === undefined && intent === undefined ? undefined : { recorded, intent };
}

interface Deletion {
  readonly object: ProjectObject;
  readonly own: Own;
  readonly target: DeletionTarget;
  readonly session: Session;
}

/** @returns `left` where something of it may stay */
async function deleteOwn(run: ProjectRun, deletion: Deletion): Promise<"gone" | "left"> {
  const { recorded, intent } = deletion.own;
  if (recorded !== undefined && (await deleteProject(run, deletion, recorded.ref)) === "left") return "left";
  if (intent === undefined) return "gone";
  if (isElsewhere(run.status.current.connection, deletion.session)) return otherPlatform(run, deletion);
  const looked = await attempt(() => findIntended(run, intent, deletion.session));
  if (!looked.ok) {
    if (!isHidden(looked.failure)) throw looked.failure;
    return unseen(run, deletion, "the token does not read the projects of its organization any more");
  }
  const intended = looked.value;
  if (intended === undefined) return isOtherAccount(run, deletion.session) ? otherAccount(run, deletion) : "gone";
  // No doubt is left of what came of the intent: once this one is gone, nothing is waited for any more.
  await recordIdentity(run, deletion.session, { ref: intended });
  run.status.update({ intent: undefined });
  return deleteProject(run, deletion, intended);
}

/** Whether a look failed as nothing of where it looked is shown to the token. */
function isHidden(failure: Error): boolean {
  return causeChain(failure).some((link) => isApiError(link, "GONE", "FORBIDDEN"));
}

async function deleteProject(run: ProjectRun, deletion: Deletion, ref: string): Promise<"gone" | "left"> {
  const { session } = deletion;
  const sought = { kind: "project", ref } as const;
  const remote = await readProject(run, session, ref);
  if (remote === undefined) return confirmMissing(run, deletion, ref);
  noteFound(run, sought);
  if (remote.status === "REMOVED") return "gone";
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
  { object, own, target, session }: Deletion,
  ref: string,
): Promise<"gone" | "left"> {
  const slug = run.status.current.organization ?? object.spec.organization;
  const { account = session.account } = own.recorded ?? {};
  if (isElsewhere(run.status.current.connection, session)) return otherPlatform(run, { target: { ...target, ref } });
  if (account !== session.account) return otherAccount(run, { target: { ...target, ref } });
  const why = await whyUnreadable(run, session, slug);
  if (why !== undefined) return unseen(run, { target: { ...target, ref } }, why);
  requireAbsence(run, { kind: "project", ref }, "letGo");
  return "gone";
}

/** Whether what the status tells of was asked for by another account than the token's. */
function isOtherAccount({ status }: ProjectRun, { account }: Session): boolean {
  return (status.current.connection?.identity ?? account) !== account;
}

/** Another account may not be shown what is there, whatever else it reads. */
function otherAccount(run: ProjectRun, deletion: Pick<Deletion, "target">): Promise<"left"> {
  return unseen(run, deletion, "the token belongs to another account");
}

async function unseen(run: ProjectRun, { target }: Pick<Deletion, "target">, why: string): Promise<"left"> {
  await blocked(run, target, { lacksCredential: true, why: `${why}, so that the project is not taken for missing` });
  return "left";
}

/** What is asked for elsewhere says nothing of what is there. */
async function otherPlatform(run: ProjectRun, { target }: Pick<Deletion, "target">): Promise<"left"> {
  const server = run.status.current.connection?.server ?? "";
  await blocked(run, target, {
    lacksCredential: true,
    why: `it is on ${server}, and the connection names another platform now`,
  });
  return "left";
}
