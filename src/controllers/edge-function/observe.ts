import type { EdgeFunction } from "../../api/contract/functions.ts";
import { unlessGone } from "../shared/failures.ts";
import { isTrue } from "../shared/conditions.ts";
import { readInPlace } from "../shared/place-gone.ts";
import { driftIntervalMs } from "../shared/policies.ts";
import { acceptableAgeMs } from "../shared/snapshot.ts";
import type { FunctionContext, FunctionRun } from "./context.ts";

/** A function that is called removed is as good as none: a deployment brings it back. */
function unlessRemoved(found: EdgeFunction | undefined): EdgeFunction | undefined {
  return found?.status === "REMOVED" ? undefined : found;
}

/**
 * The function as the shared list shows it; undefined where there is none. What this process deployed and has not seen since is looked for in a list
 * that began to be read after that.
 *
 * @param after as `SharedRead.mark`: only a list of later than that will do, too
 * @throws as `readInPlace`
 */
export async function listedFunction(
  run: FunctionRun,
  { object, place, list, policies, slug, memory: { unseen } }: FunctionContext,
  after = 0,
): Promise<EdgeFunction | undefined> {
  const maxAgeMs = acceptableMs(run, policies);
  const options = { ...run.call, after: Math.max(after, unseen.get(object.metadata.uid) ?? 0) };
  const read = (): Promise<readonly EdgeFunction[]> => list.get(maxAgeMs, options);
  const { spec } = object;
  const doing = "list the functions";
  const all = await readInPlace(run, { spec, place, ref: place.ref, list: "functions", doing, read });
  unseen.delete(object.metadata.uid);
  return unlessRemoved(all.find((item) => item.slug === slug));
}

function acceptableMs({ lane, status }: FunctionRun, policies: FunctionContext["policies"]): number {
  const ready = isTrue(status.current.conditions, "Ready");
  return acceptableAgeMs({ lane, driftIntervalMs: driftIntervalMs(policies), ready });
}

/** All functions of the place, as the list showed them that this run has looked at: it is no other one, but for a run that has taken long. */
export function listedFunctions(
  run: FunctionRun,
  { list, policies }: FunctionContext,
): Promise<readonly EdgeFunction[]> {
  return list.get(acceptableMs(run, policies), run.call);
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

/** Puts what a write answered into the shared list (engine.md §3). */
export function noteWritten({ list }: FunctionContext, written: EdgeFunction): void {
  list.wrote((all) => [...all.filter(({ slug }) => slug !== written.slug), written]);
}
