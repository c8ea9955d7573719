import type { EdgeFunction } from "../../api/contract/functions.ts";
import { calling } from "../shared/failures.ts";
import { writing } from "../shared/shared-write.ts";
import { updateTogether } from "./bulk-update.ts";
import type { FunctionContext, FunctionRun } from "./context.ts";
import { noteWritten } from "./observe.ts";
import { type FunctionChange, joined, settingsLeft, type WantedFunction } from "./plan.ts";

/** What is to be set. */
export interface ConfigureStep {
  readonly wanted: WantedFunction;
  readonly due: readonly FunctionChange[];
  readonly remote: EdgeFunction;
}

/**
 * Sets what differs still, in one update without an upload (K-28): by itself with a PATCH, which touches nothing else and makes nothing again that
 * was deleted meanwhile; and with those of others that wait for theirs, in one request for all of them.
 *
 * @returns whether others were updated too, who look for it in one list
 */
export async function configure(
  run: FunctionRun,
  context: FunctionContext,
  { wanted, due, remote }: ConfigureStep,
): Promise<boolean> {
  const { object, slug, list, memory, visit } = context;
  const left = settingsLeft(due, wanted, remote);
  if (left.length === 0) return false;
  const { uid } = object.metadata;
  const { redeployment } = run.status.current;
  // A deployment in doubt is told by the version, which the common request raises (redeploy.ts).
  const joins =
    visit.outcome?.kind !== "alone" && redeployment === undefined && due.every(({ kind }) => kind === "set");
  if (joins && memory.gathering.isAwaited(list)) {
    using departure = memory.gathering.depart(list);
    const own = { slug, wanted, changes: left };
    const changed = departure.wishes.length === 0 ? undefined : await updateTogether(run, context, { own, departure });
    if (changed !== undefined) {
      memory.unseen.set(uid, list.mark());
      memory.gathering.settle(uid);
      tell(run, context, { changed, together: true });
      return true;
    }
  }
  await updateAlone(run, context, { wanted, left });
  memory.gathering.settle(uid);
  tell(run, context, { changed: left, together: false });
  return false;
}

async function updateAlone(
  run: FunctionRun,
  context: FunctionContext,
  { wanted, left }: { readonly wanted: WantedFunction; readonly left: ReturnType<typeof settingsLeft> },
): Promise<void> {
  const { place, slug, list } = context;
  const settings = joined(left);
  const { name, verify_jwt: _compared, ...query } = settings;
  const body = { verify_jwt: wanted.verifyJwt, ...(name === undefined ? {} : { name }) };
  const input = { ref: place.ref, function_slug: slug, ...query, body };
  const update = (): Promise<EdgeFunction> => place.session.client.functions.update(input, run.call);
  const fields = left.map(({ field }) => field);
  const doing = `change the settings of the function ${slug}`;
  const changed = await calling(doing, () => writing(list, update), fields);
  noteWritten(context, changed);
}

interface ConfiguredChanges {
  readonly changed: readonly FunctionChange[];
  readonly together: boolean;
}

function tell(run: FunctionRun, { object, slug }: FunctionContext, { changed, together }: ConfiguredChanges): void {
  for (const change of changed) run.environment.convergence.wrote(object, change);
  const fields = changed.map(({ field }) => field);
  const note = `changed the settings of ${slug}`;
  run.wrote("Updated", together ? `${note}, in one request with those of others` : note, fields);
}
