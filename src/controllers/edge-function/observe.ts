import type { EdgeFunction } from "../../api/contract/functions.ts";
import { isApiError } from "../../api/errors.ts";
import { unlessGone, waiting } from "../shared/failures.ts";
import { isTrue } from "../shared/conditions.ts";
import { driftIntervalMs } from "../shared/policies.ts";
import { acceptableAgeMs } from "../shared/snapshot.ts";
import type { FunctionContext, FunctionRun } from "./context.ts";

/** How often a project that the platform does not know is looked for, milliseconds. */
const NO_PROJECT_LOOK_MS = 60_000;

/** A function that is called removed is as good as none: a deployment brings it back. */
function unlessRemoved(found: EdgeFunction | undefined): EdgeFunction | undefined {
  return found?.status === "REMOVED" ? undefined : found;
}

/** The function as the shared list shows it; undefined where there is none. */
export async function listedFunction(
  run: FunctionRun,
  { list, place, policies, slug }: FunctionContext,
): Promise<EdgeFunction | undefined> {
  const { lane, signal, status } = run;
  const ready = isTrue(status.current.conditions, "Ready");
  const maxAgeMs = acceptableAgeMs({ lane, driftIntervalMs: driftIntervalMs(policies), ready });
  const all = await unlessGone("list the functions", () => list.get(maxAgeMs, { lane, signal }));
  if (all === undefined) throw noProject(place.ref);
  return unlessRemoved(all.find((item) => item.slug === slug));
}

/** The function read live; undefined where there is none. */
export async function liveFunction(
  run: FunctionRun,
  { place: { session, ref }, slug }: FunctionContext,
): Promise<EdgeFunction | undefined> {
  const { functions } = session.client;
  return unlessRemoved(
    await unlessGone("read the function", () => functions.get({ ref, function_slug: slug }, run.call)),
  );
}

function noProject(ref: string): Error {
  const message = `the platform has no project or branch ${ref} that this token reads`;
  return waiting("ReferenceNotReady", message, NO_PROJECT_LOOK_MS);
}

/** Makes a write; where its answer does not tell whether it took effect, the list is read anew before anything is decided on it. */
export async function writing<T>(list: FunctionContext["list"], write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isApiError(error) || error.effect === "unknown") list.wrote();
    throw error;
  }
}

/** Puts what a write answered into the shared list (engine.md §3). */
export function noteWritten({ list }: FunctionContext, written: EdgeFunction): void {
  list.wrote((all) => [...all.filter(({ slug }) => slug !== written.slug), written]);
}
