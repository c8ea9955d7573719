import { finalizers } from "../../resources/annotations.ts";
import { isKubeError } from "../../kube/errors.ts";
import { readSecret } from "../shared/core-objects.ts";
import { type CoreSecret, secretType } from "../shared/core-types.ts";
import { keepsFor, keptPlace } from "./kept-secret.ts";
import type { KeptToken } from "./kept-token.ts";
import type { ConnectionRun } from "./open.ts";
import { releaseSecret } from "./protection.ts";
import { keptToken, type OperatorIdentity } from "./secrets.ts";
import type { Clients } from "./credential.ts";
import { type ConnectionView, samePlace, type SecretPlace } from "./view.ts";

interface Moving {
  readonly operator: OperatorIdentity;
  readonly clients: Clients;
}

/**
 * Brings the newest refresh token of a ClusterConnection to where it belongs: the Secret that names the user's one may lie in another namespace by now,
 * and older versions kept it in the namespace of the release, where the next one did not find it.
 *
 * @throws KubeError; TerminalError SecretNotOwned
 */
export async function takeOverKept(
  run: ConnectionRun,
  view: ConnectionView,
  { operator, clients }: Moving,
): Promise<void> {
  const { environment, raw } = run;
  const place = keptPlace(view);
  if (place === undefined || view.namespace !== undefined) return;
  clients.memoryOf(view.id, raw.metadata.uid).moveTo(place);
  const own = keptToken(run, view, { operator, clients, kube: environment.kube, seed: "" });
  for (const former of formerPlaces(run, place, operator)) await takeOver(run, former, own);
}

/** Only where the operator put one: whoever may make Secrets elsewhere could plant a token of their own. */
function formerPlaces(
  { environment, status }: ConnectionRun,
  place: SecretPlace,
  operator: OperatorIdentity,
): readonly SecretPlace[] {
  const named = (status.current.credentialSecrets ?? []).map(({ namespace }) => namespace);
  return [...new Set([...named, operator.namespace])]
    .map((namespace) => ({ namespace, name: place.name }))
    .filter((former) => !samePlace(former, place))
    .filter(({ namespace, name }) => environment.coreSecrets.get(namespace, name) !== undefined);
}

/**
 * Copies before it deletes: ended in between, it begins anew. What was written there after it was copied, by a client that did not know of the move, is
 * newer than the copy, unless that went on by itself.
 */
async function takeOver(run: ConnectionRun, from: SecretPlace, own: KeptToken): Promise<void> {
  const { environment, raw, signal } = run;
  for (let copied: CoreSecret | undefined; ;) {
    const former = await readSecret(environment.kube, from, signal);
    if (former === undefined || !keepsFor(former, raw.metadata.uid)) return;
    await own.takeOver(former, copied, signal);
    copied = former;
    if (former.metadata.finalizers?.includes(finalizers.credential) === true) {
      await releaseSecret(environment, former, signal);
      continue;
    }
    const { uid, resourceVersion } = former.metadata;
    try {
      await environment.kube.delete(secretType, from, { preconditions: { uid, resourceVersion }, signal });
      return;
    } catch (error) {
      if (isKubeError(error, "NotFound")) return;
      if (!isKubeError(error, "Conflict")) throw error;
    }
  }
}
