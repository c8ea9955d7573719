import { isApiError } from "../../api/errors.ts";
import type { ProjectObject } from "../environment.ts";
import { isOwner } from "../shared/claims.ts";
import { blocked, deletingForMs, type DeletionTarget, observesOnly, sessionForDeletion } from "../shared/deletion.ts";
import { explain, unlessGone, waiting } from "../shared/failures.ts";
import { recordedOwnership } from "../shared/ownership.ts";
import { pollDelayMs } from "../shared/polling.ts";
import type { Session } from "../shared/sessions.ts";
import { findIntended } from "./create.ts";
import { readProject } from "./observe.ts";
import { claimants } from "./claimants.ts";
import type { ProjectRun } from "./context.ts";

/**
 * Deals with the project of an object under deletion: keeps it, or deletes it and waits until it is gone. Nothing remote is touched
 * unless it is recorded as this very object's.
 */
export async function finalizeProject(run: ProjectRun, object: ProjectObject | undefined): Promise<void> {
  const remote = recordedRemote(run);
  if (remote === undefined) return;
  const name = `project ${remote.ref ?? remote.intended}`;
  if (object === undefined || object.spec.deletionPolicy === "Retain" || observesOnly(run, object.spec)) {
    run.wrote("Retained", `the object was deleted and ${name} is kept`);
    return;
  }
  const { ref } = remote;
  // Of two objects for one project, deleting the one that does not own it touches nothing remote (engine.md §4).
  if (ref !== undefined && !isOwner(object, claimants(run, object, "ref", ref))) return;
  const { connectionRef, deletionTimeout: timeout } = object.spec;
  const target: DeletionTarget = { remote: name, ref, timeout, connectionRef };
  const session = await sessionForDeletion(run, target);
  if (session === "released") return;
  const doomed = ref ?? (await findIntended(run, object, session));
  if (doomed !== undefined) await deleteProject(run, session, { ...target, ref: doomed });
}

/** What this very object has remotely: a ref, or an intent whose answer never came; undefined for nothing. */
function recordedRemote({
  environment,
  status,
  raw,
}: ProjectRun): { readonly ref: string | undefined; readonly intended: string } | undefined {
  const holder = { account: undefined, cluster: environment.cluster };
  const recorded = recordedOwnership(raw.metadata, status.current, holder);
  if (recorded.kind === "ours") return { ref: recorded.ref, intended: "" };
  const { intent } = status.current;
  return intent?.uid === raw.metadata.uid ? { ref: undefined, intended: intent.name } : undefined;
}

async function deleteProject(
  run: ProjectRun,
  session: Session,
  target: DeletionTarget & { readonly ref: string },
): Promise<void> {
  const { ref } = target;
  const remote = await readProject(run, session, ref);
  if (remote === undefined) return confirmMissing(run, session, target);
  if (remote.status === "REMOVED") return;
  if (remote.status !== "GOING_DOWN") await requestDeletion(run, session, ref);
  throw waiting("Deleting", "the project is going down", pollDelayMs(deletingForMs(run)));
}

async function requestDeletion(run: ProjectRun, session: Session, ref: string): Promise<void> {
  try {
    await session.client.projects.delete({ ref }, run.call);
    run.wrote("Deleting", `asked for the project ${ref} to be deleted`);
  } catch (error) {
    // While it is provisioned the platform refuses with 400 (facts.md §5): it is asked again.
    if (isApiError(error, "BAD_REQUEST")) {
      const message = `the platform cannot delete the project yet: ${error.message}`;
      throw waiting("Deleting", message, pollDelayMs(deletingForMs(run)));
    }
    if (!isApiError(error, "GONE")) throw explain(error, "delete the project");
  }
}

/** Gone, or only hidden from another account: believed while the account that it was recorded under still reads the organization. */
async function confirmMissing(run: ProjectRun, session: Session, target: DeletionTarget): Promise<void> {
  const { organization, connection } = run.status.current;
  const sameAccount = connection === undefined || connection.identity === session.account;
  const readable =
    organization === undefined ||
    (await unlessGone("read the organization", () =>
      session.client.organizations.get({ slug: organization }, run.call),
    )) !== undefined;
  if (sameAccount && readable) return;
  const why =
    "the token belongs to another account or has lost access to the organization, so that the project is not taken for missing";
  await blocked(run, target, { lacksCredential: true, why });
}
