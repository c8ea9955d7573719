import type { FunctionObject } from "../environment.ts";
import { type RecordedPlace, recordedPlace } from "../shared/child-identity.ts";
import { isOwner } from "../shared/claims.ts";
import { believeGone } from "../shared/believe-gone.ts";
import { deletingForMs } from "../shared/deletion.ts";
import { UnderWayError } from "../shared/deletion-failures.ts";
import { unlessGone } from "../shared/failures.ts";
import { type DoomedChild, finalizeChild } from "../shared/finalize-child.ts";
import { pollDelayMs } from "../shared/polling.ts";
import { noteFound, requireAbsence } from "../shared/require-absence.ts";
import { claimants, slugOf } from "./claimants.ts";
import type { FunctionRun } from "./context.ts";
import { writing } from "../shared/shared-write.ts";

/**
 * Deals with the function of an object under deletion: keeps it, or deletes it and looks that it is gone. Nothing remote is touched unless
 * it is recorded as this very object's.
 */
export async function finalizeFunction(
  run: FunctionRun,
  object: FunctionObject | undefined,
  unread: string,
): Promise<void> {
  const { environment, raw, status } = run;
  const recorded = recordedPlace(raw.metadata, status.current, environment.cluster);
  if (recorded === undefined) return;
  const slug = ownSlug(run, object, recorded);
  const known = slug === undefined ? undefined : object;
  const why = object?.unread === undefined ? unread : `nothing tells which function that is: ${object.unread}`;
  const sought = { kind: "function", ref: recorded.ref, slug: slug ?? "" } as const;
  const remote = { place: recorded, sought, kept: "is kept", unread: known === undefined ? why : unread };
  await finalizeChild(run, known, remote, async (doomed) => {
    // Of two objects for one function, deleting the one that does not own it touches nothing remote (engine.md §4).
    const { object: child, session, ref } = doomed;
    const { account, server } = session;
    if (!isOwner(child, claimants(environment, sought.slug, { ref, account, server }))) return;
    await deleteFunction(run, doomed, sought.slug);
  });
}

/**
 * The slug of what an object under deletion has; undefined where that is not known. Of a spec that cannot be read whole none is derived: the function of
 * that name may be somebody else's.
 */
function ownSlug(
  { status }: FunctionRun,
  object: FunctionObject | undefined,
  { confirmed }: RecordedPlace,
): string | undefined {
  if (object !== undefined && object.unread === undefined) return slugOf(object);
  return confirmed ? status.current.slug : undefined;
}

async function deleteFunction(
  run: FunctionRun,
  { object, target, session, ref }: DoomedChild<FunctionObject>,
  slug: string,
): Promise<void> {
  const { client } = session;
  const { functions } = client;
  const list = run.environment.snapshots.of(client, ref).functions;
  const address = { ref, function_slug: slug };
  const answered = await unlessGone(`delete the function ${slug}`, async () => {
    await writing(list, () => functions.delete(address, run.call));
    return true;
  });
  list.wrote((all) => all.filter((item) => item.slug !== slug));
  if (answered === undefined) return confirmMissing(run, { object, target, session, ref }, slug);
  run.environment.absences.taken(run.raw.metadata.uid, target.sought);
  run.wrote("Deleted", `deleted the function ${slug} of ${ref}`);
  const left = await unlessGone(`look whether the function ${slug} is gone`, () => functions.get(address, run.call));
  if (left === undefined || left.status === "REMOVED") return;
  throw new UnderWayError("the function is being deleted", pollDelayMs(deletingForMs(run)));
}

/** It is the function that is gone, where its place is there and does not list it. */
async function confirmMissing(
  run: FunctionRun,
  { object, target, session, ref }: DoomedChild<FunctionObject>,
  slug: string,
): Promise<void> {
  const list = run.environment.snapshots.of(session.client, ref).functions;
  const call = { ...run.call, after: list.mark() };
  const listed = await unlessGone("list the functions", () => list.get(0, call));
  if (listed === undefined) return believeGone(run, { session, target, spec: object.spec });
  if (!listed.some((one) => one.slug === slug)) {
    requireAbsence(run, target.sought, "letGo");
    return;
  }
  noteFound(run, target.sought);
  throw new UnderWayError(
    "the function is listed, though it was not there to be deleted",
    pollDelayMs(deletingForMs(run)),
  );
}
