import type { z } from "zod";
import { type bulkFunctionSchema, type EdgeFunction } from "../../api/contract/functions.ts";
import { FUNCTION_STATUSES } from "../../api/contract/fields.ts";
import { isApiError } from "../../api/errors.ts";
import { explain } from "../shared/failures.ts";
import { TerminalError } from "../../runtime/outcome.ts";
import { writing } from "../shared/shared-write.ts";
import type { FunctionContext, FunctionRun } from "./context.ts";
import type { Departure } from "./gathering.ts";
import { noteWritten } from "./observe.ts";
import { type FunctionChange, type FunctionSettings, joined, settingsLeft, type WantedFunction } from "./plan.ts";
import type { SettingsWish, UpdateOutcome } from "./wish.ts";

/**
 * Settings of several functions of one place, in one request. It replaces functions whole, creates those that are not there, and takes the version
 * that it is told: so it is made from a list that was read for it alone, right before, and names no function that is not in that.
 */

type BulkUpdateItem = z.input<typeof bulkFunctionSchema>;
type SettingsChange = Extract<FunctionChange, { kind: "set" }>;

interface DueFunction {
  readonly slug: string;
  readonly wanted: WantedFunction;
  readonly changes: readonly FunctionChange[];
}

interface BulkPart {
  readonly item: BulkUpdateItem;
  readonly left: readonly SettingsChange[];
}

/** What one request is to do for one function; undefined where nothing is left to be done, or that request is not the way to do it. */
function partOf({ slug, wanted, changes }: DueFunction, all: readonly EdgeFunction[]): BulkPart | undefined {
  const remote = all.find((one) => one.slug === slug);
  if (remote === undefined || remote.status === "REMOVED") return undefined;
  const left = settingsLeft(changes, wanted, remote);
  const item = bulkItem(remote, joined(left));
  return left.length === 0 || item === undefined ? undefined : { item, left };
}

/** The function as it is, with other settings and the next version; undefined where its status is none that can be said. */
function bulkItem(remote: EdgeFunction, settings: FunctionSettings): BulkUpdateItem | undefined {
  const { id, slug, name, version } = remote;
  const status = FUNCTION_STATUSES.find((known) => known === remote.status);
  if (status === undefined) return undefined;
  const kept = {
    created_at: remote.created_at,
    verify_jwt: remote.verify_jwt,
    import_map: remote.import_map,
    entrypoint_path: remote.entrypoint_path ?? undefined,
    import_map_path: remote.import_map_path ?? undefined,
    ezbr_sha256: remote.ezbr_sha256 ?? undefined,
  };
  const defined = Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined));
  return { id, slug, name, status, ...defined, ...settings, version: version + 1 };
}

/**
 * Makes the update of this function together with those of others whose wishes are on their way.
 *
 * @returns the fields that were set of this function; undefined where it is to be updated by itself: nobody else is left, or the platform refuses
 *   the request as a whole, which one of them may be the reason of
 * @throws as any call
 */
export async function updateTogether(
  run: FunctionRun,
  context: FunctionContext,
  { own, departure }: { readonly own: DueFunction; readonly departure: Departure<SettingsWish, UpdateOutcome> },
): Promise<readonly SettingsChange[] | undefined> {
  const { place, list } = context;
  const all = await list.get(0, run.call);
  const mine = partOf(own, all);
  const theirs = departure.wishes.flatMap((wish) => {
    const part = partOf(wish, all);
    return part === undefined ? [] : [{ wish, part }];
  });
  if (mine === undefined || theirs.length === 0) return undefined;
  const items = [mine, ...theirs.map(({ part }) => part)].map(({ item }) => item);
  const answered = await refusable(() =>
    writing(list, () => place.session.client.functions.bulkUpdate({ ref: place.ref, body: items }, run.call)),
  );
  if (answered === undefined) {
    for (const { wish } of theirs) departure.made(wish, { kind: "alone" });
    return undefined;
  }
  const named = new Set(items.map(({ slug }) => slug));
  for (const one of answered.functions) if (named.has(one.slug)) noteWritten(context, one);
  for (const { wish, part } of theirs) {
    for (const change of part.left) run.environment.convergence.wrote(wish.object, change);
    departure.made(wish, { kind: "updated", changes: part.left, mark: list.mark() });
  }
  return mine.left;
}

/** Makes the request; undefined where the platform refused it for good. */
async function refusable<T>(request: () => Promise<T>): Promise<T | undefined> {
  try {
    return await request();
  } catch (error) {
    const explained = explain(error, "change the settings of several functions");
    const refused = explained instanceof TerminalError && isApiError(error) && error.effect === "none";
    if (refused) return undefined;
    throw explained;
  }
}
