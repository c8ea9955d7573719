import type { RemoteSecret } from "../../api/contract/secrets.ts";
import { isTrue } from "../shared/conditions.ts";
import { unlessGone } from "../shared/failures.ts";
import { placeGone } from "../shared/parents.ts";
import { driftIntervalMs } from "../shared/policies.ts";
import { acceptableAgeMs } from "../shared/snapshot.ts";
import type { SecretContext, SecretRun } from "./context.ts";

/** The secrets of the place as the shared list shows them: names and digests. @throws as `placeGone` */
export async function listedSecrets(run: SecretRun, context: SecretContext): Promise<readonly RemoteSecret[]> {
  const { lane, status } = run;
  const ready = isTrue(status.current.conditions, "Ready");
  return readList(run, context, acceptableAgeMs({ lane, driftIntervalMs: driftIntervalMs(context.policies), ready }));
}

/** The same, as they are after everything that was written. */
export function liveSecrets(
  run: SecretRun,
  context: Pick<SecretContext, "list" | "object">,
): Promise<readonly RemoteSecret[]> {
  return readList(run, context, 0);
}

async function readList(
  { call }: SecretRun,
  { list, object }: Pick<SecretContext, "list" | "object">,
  maxAgeMs: number,
): Promise<readonly RemoteSecret[]> {
  const all = await unlessGone("list the secrets", () => list.get(maxAgeMs, call));
  if (all !== undefined) return all;
  throw placeGone(object.spec);
}
