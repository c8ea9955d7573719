import type { RemoteSecret } from "../../api/contract/secrets.ts";
import { isTrue } from "../shared/conditions.ts";
import { readInPlace } from "../shared/place-gone.ts";
import { driftIntervalMs } from "../shared/policies.ts";
import { acceptableAgeMs, CHANGE_MAX_AGE_MS } from "../shared/snapshot.ts";
import type { SecretContext, SecretRun } from "./context.ts";
import { type Declared, unknownNames } from "./plan.ts";

/** The secrets of the place as the shared list shows them: names and digests. @throws as `readInPlace` */
export async function listedSecrets(run: SecretRun, context: SecretContext): Promise<readonly RemoteSecret[]> {
  const { lane, status } = run;
  const ready = isTrue(status.current.conditions, "Ready");
  const maxAgeMs = acceptableAgeMs({ lane, driftIntervalMs: driftIntervalMs(context.policies), ready });
  return readList(run, context, { maxAgeMs });
}

/**
 * The same, to be written to. What the object sets for the first time is looked up in a list that began when it had come with that: of one that another
 * object looked at before, what somebody set meanwhile would be missing, and written over. All that came together share it.
 *
 * @param declared with the names that are the object's
 */
export async function secretsToWrite(
  run: SecretRun,
  context: SecretContext,
  declared: Omit<Declared, "remote">,
): Promise<readonly RemoteSecret[]> {
  const remote = await listedSecrets(run, context);
  if (unknownNames({ ...declared, remote }).length === 0) return remote;
  return readList(run, context, { maxAgeMs: CHANGE_MAX_AGE_MS, sinceMs: run.askedAtMs });
}

/**
 * The same as they are after this run's own writes, which dropped what was read before: in a read that others share whose writes had ended when it
 * began.
 */
export function writtenSecrets(run: SecretRun, context: SecretContext): Promise<readonly RemoteSecret[]> {
  return readList(run, context, { maxAgeMs: CHANGE_MAX_AGE_MS });
}

function readList(
  run: SecretRun,
  { list, object: { spec }, place }: SecretContext,
  { maxAgeMs, sinceMs = 0 }: { readonly maxAgeMs: number; readonly sinceMs?: number },
): Promise<readonly RemoteSecret[]> {
  const options = { ...run.call, afterWrites: true, sinceMs };
  const read = (): Promise<readonly RemoteSecret[]> => list.get(maxAgeMs, options);
  return readInPlace(run, { spec, place, ref: place.ref, list: "secrets", doing: "list the secrets", read });
}
