import { isApiError } from "../../api/errors.ts";
import type { DeepReadonly } from "../../resources/kind.ts";
import type { SecretStatus } from "../../resources/secret/status.ts";
import type { SecretObject } from "../environment.ts";
import type { SecretRun } from "./context.ts";

/**
 * What a Secret object records of its changes of the environment, for the functions that `redeployOnSecretChange` has deployed again (ADR 19): `pending`
 * before the first request, the same name as `revision` once the change was seen to be in force.
 */

type EnvironmentStatus = DeepReadonly<SecretStatus>["environment"];

/** What the status says of this very object's changes; nothing where they are not asked for, so that to ask is no change. */
export function ownEnvironment({ metadata, spec, status }: SecretObject): EnvironmentStatus {
  return spec.redeployOnSecretChange && status.recordedFor === metadata.uid ? status.environment : undefined;
}

/** The same once all that is declared was seen. What was pending may have taken effect, and counts. */
export function environmentInForce(environment: EnvironmentStatus): EnvironmentStatus {
  return environment?.pending === undefined ? environment : { revision: environment.pending };
}

/**
 * Makes the requests of a change, in order.
 *
 * Before the first it is recorded, under an optimistic lock, that one is coming: whoever ends in between leaves it to the next run to tell the functions.
 * With it goes the mark of the values that were set last: where an edit is taken back meanwhile, what was set of it is to be set back, and no drift.
 * The version of the object names the change: no two changes of an object begin at the same one. A change that was recorded before and is not known to be
 * in force goes on under its name, and one that certainly came to nothing is forgotten.
 */
export async function changingEnvironment(
  run: SecretRun,
  { metadata, spec }: SecretObject,
  { requests, edited }: { readonly requests: readonly (() => Promise<void>)[]; readonly edited: boolean },
): Promise<void> {
  const { environment: before, valuesMark } = run.status.current;
  const isNews = spec.redeployOnSecretChange && before?.pending === undefined;
  const record = {
    ...(isNews ? { environment: { ...before, pending: metadata.resourceVersion } } : {}),
    ...(edited && valuesMark !== undefined ? { valuesMark: undefined } : {}),
  };
  if (Object.keys(record).length > 0) await run.lockStatus(() => run.status.update(record));
  for (const [nth, request] of requests.entries()) {
    try {
      await request();
    } catch (error) {
      if (nth === 0 && provesNoEffect(error)) run.status.update({ environment: before });
      throw error;
    }
  }
}

function provesNoEffect(error: unknown): boolean {
  const failure = isApiError(error) || !(error instanceof Error) ? error : error.cause;
  // What waits for its turn goes on under the same name: to take it back would be two writes for each wait.
  return isApiError(failure) && failure.effect === "none" && failure.code !== "BUDGET";
}
