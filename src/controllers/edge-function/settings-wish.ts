import type { EdgeFunction } from "../../api/contract/functions.ts";
import { isPaused } from "../../resources/annotations.ts";
import type { Reason } from "../../resources/conditions.ts";
import { WaitingError } from "../../runtime/outcome.ts";
import { isOwner } from "../shared/claims.ts";
import { applyDrift, isInForce } from "../shared/drift.ts";
import { parentPlace } from "../shared/parents.ts";
import { policiesOf } from "../shared/policies.ts";
import { REF_INDEX } from "../indexes.ts";
import { claimants, slugOf } from "./claimants.ts";
import type { FunctionContext, FunctionRun } from "./context.ts";
import { listedFunctions } from "./observe.ts";
import { type FunctionChange, settingsDiffer, type WantedFunction } from "./plan.ts";
import type { SettingsWish } from "./wish.ts";

/** Which updates of settings wait for those of other functions, and what becomes of them. */

interface DueSettings {
  readonly wanted: WantedFunction;
  readonly changes: readonly FunctionChange[];
  readonly remote: EdgeFunction | undefined;
}

/**
 * Ends the run where all that it has to do is an update of settings, and other functions of the place are to have theirs changed as well.
 *
 * @throws WaitingError Updating, of which nobody is told
 */
export async function requireGathered(run: FunctionRun, context: FunctionContext, due: DueSettings): Promise<void> {
  const { list, memory, visit } = context;
  if (visit.due || visit.outcome?.kind === "alone" || !isUpdateAlone(run, context, due)) return;
  if (!memory.gathering.isAwaited(list) && !(await othersDiffer(run, context))) return;
  const waitMs = memory.gathering.leave(list, wishOf(run, context, due));
  const message = "gathers the changed settings of several functions for one request";
  throw new WaitingError("Updating" satisfies Reason, message, waitMs, { untold: true });
}

/** Whether an update is all that is to be done, and to be done now. A deployment in doubt is told by the version, which the common request raises. */
function isUpdateAlone(
  run: FunctionRun,
  { object, policies }: FunctionContext,
  { changes, remote }: DueSettings,
): boolean {
  if (remote === undefined || changes.length === 0 || run.status.current.redeployment !== undefined) return false;
  if (changes.some(({ kind }) => kind !== "set")) return false;
  if (isInForce(run, object) && policies.driftPolicy.value !== "Correct") return false;
  return run.environment.convergence.admit(object, changes).write.length > 0;
}

/** Whether the list that was just read shows settings of another of our functions to differ from what its spec says. */
async function othersDiffer(run: FunctionRun, context: FunctionContext): Promise<boolean> {
  const { object, place } = context;
  const all = await listedFunctions(run, context);
  const bySlug = new Map(all.map((one) => [one.slug, one]));
  return run.environment.objects.functions.byIndex(REF_INDEX, place.ref).some((other) => {
    const { metadata, spec, status } = other;
    const remote = bySlug.get(slugOf(other));
    const another = metadata.uid !== object.metadata.uid && status.recordedFor === metadata.uid;
    const rests = metadata.deletionTimestamp !== undefined || isPaused(metadata);
    return another && !rests && remote !== undefined && settingsDiffer(spec, remote);
  });
}

function wishOf(run: FunctionRun, context: FunctionContext, { wanted, changes }: DueSettings): SettingsWish {
  const { object, slug, wake } = context;
  const { uid } = object.metadata;
  return { uid, object, slug, wanted, changes, wake, stands: () => standsStill(run, context) };
}

/** Whether the object, and all that allows it to write, is as it was in the run. */
function standsStill({ environment, key }: FunctionRun, { object, place, policies, slug }: FunctionContext): boolean {
  const now = environment.objects.functions.get(key.namespace, key.name);
  const { uid, generation } = object.metadata;
  if (now?.metadata.uid !== uid || now.metadata.generation !== generation) return false;
  if (now.metadata.deletionTimestamp !== undefined || isPaused(now.metadata)) return false;
  try {
    const there = parentPlace(environment, key.namespace, now.spec);
    if (there.ref !== place.ref || there.session !== place.session) return false;
  } catch {
    return false; // its own run says why
  }
  if (JSON.stringify(policiesOf(environment, place.session, now.spec)) !== JSON.stringify(policies)) return false;
  const { account, server } = place.session;
  return isOwner(now, claimants(environment, slug, { ref: place.ref, account, server }));
}

/** Tells of an update that another run made for this function. */
export function tellUpdated(run: FunctionRun, { object, policies, slug, visit: { outcome } }: FunctionContext): void {
  if (outcome?.kind !== "updated") return;
  const { changes } = outcome;
  applyDrift(run, { object, policies, changes }); // tells of drift, where it was
  const note = `changed the settings of ${slug}, in one request with those of others`;
  run.wrote(
    "Updated",
    note,
    changes.map(({ field }) => field),
  );
}
