import { isApiError } from "../../api/errors.ts";
import type { RemoteSecret } from "../../api/contract/secrets.ts";
import { isTrue } from "../shared/conditions.ts";
import { unlessGone, waiting } from "../shared/failures.ts";
import { driftIntervalMs } from "../shared/policies.ts";
import { acceptableAgeMs } from "../shared/snapshot.ts";
import type { SecretContext, SecretRun } from "./context.ts";

/** How often a project that the platform does not know is looked for, milliseconds. */
const NO_PROJECT_LOOK_MS = 60_000;

/** The secrets of the place as the shared list shows them: names and digests. */
export async function listedSecrets(run: SecretRun, context: SecretContext): Promise<readonly RemoteSecret[]> {
  const { lane, status } = run;
  const ready = isTrue(status.current.conditions, "Ready");
  return readList(run, context, acceptableAgeMs({ lane, driftIntervalMs: driftIntervalMs(context.policies), ready }));
}

/** The same, as they are after everything that was written. */
export function liveSecrets(
  run: SecretRun,
  context: Pick<SecretContext, "list" | "place">,
): Promise<readonly RemoteSecret[]> {
  return readList(run, context, 0);
}

async function readList(
  { lane, signal }: SecretRun,
  { list, place }: Pick<SecretContext, "list" | "place">,
  maxAgeMs: number,
): Promise<readonly RemoteSecret[]> {
  const all = await unlessGone("list the secrets", () => list.get(maxAgeMs, { lane, signal }));
  if (all !== undefined) return all;
  const message = `the platform has no project or branch ${place.ref} that this token reads`;
  throw waiting("ReferenceNotReady", message, NO_PROJECT_LOOK_MS);
}

/** Makes a write, after which the list is read anew: its answer tells nothing, and a lost one less. */
export async function writing(list: SecretContext["list"], write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
    list.wrote();
  } catch (error) {
    if (!isApiError(error) || error.effect === "unknown") list.wrote();
    throw error;
  }
}
