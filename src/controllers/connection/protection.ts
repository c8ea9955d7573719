import { finalizers } from "../../resources/annotations.ts";
import type { KubeObject } from "../../resources/meta.ts";
import type { Environment } from "../environment.ts";
import { connectionId } from "../shared/connection-id.ts";
import { secretType } from "../shared/core-types.ts";
import { ensureFinalizer, removeFinalizer } from "../shared/finalizers.ts";
import { connectionsOfSecret, samePlace, type SecretPlace } from "./view.ts";

/** The finalizer that keeps the Secret of a connection from going before the objects that need its token for their deletion (engine.md §5). */

/** Keeps the Secret of a connection with dependents. */
export async function protectSecret(environment: Environment, secret: KubeObject, signal: AbortSignal): Promise<void> {
  const { resourceVersion: version } = secret.metadata;
  const protection = { finalizer: finalizers.credential, version, signal };
  await ensureFinalizer(environment.kube, { type: secretType, object: secret }, protection);
}

/** Lets a Secret go, whoever may need it. */
export async function releaseSecret(environment: Environment, secret: KubeObject, signal: AbortSignal): Promise<void> {
  await removeFinalizer(environment.kube, { type: secretType, object: secret }, finalizers.credential, signal);
}

/**
 * Lets a Secret go that a connection needs no more, unless another connection does.
 *
 * @param id of the connection
 */
export async function unprotectSecret(
  environment: Environment,
  id: string,
  { namespace, name }: SecretPlace,
  signal: AbortSignal,
): Promise<void> {
  const secret = environment.coreSecrets.get(namespace, name);
  if (secret === undefined) return;
  const others = connectionsOfSecret(environment, `${namespace}/${name}`).filter((other) => other.id !== id);
  if (others.length === 0 && !isUsedUnread(environment, id, { namespace, name })) {
    await releaseSecret(environment, secret, signal);
  }
}

/**
 * Whether another connection, which cannot be read any more and which objects depend on, used a Secret last. Without its finalizer nothing would
 * tell of its end.
 */
function isUsedUnread({ objects }: Environment, id: string, place: SecretPlace): boolean {
  const { connections, clusterConnections } = objects;
  return [connections, clusterConnections].some(({ reader, kind }) =>
    reader.list().some((object) => {
      const { namespace = "", name, finalizers: kept = [] } = object.metadata;
      if (!kept.includes(finalizers.connectionInUse)) return false;
      const of = kind.type.kind === "Connection" ? "Connection" : "ClusterConnection";
      if (connectionId(of, namespace, name) === id || kind.parse(object).ok) return false;
      return kind.parseStatus(object).credentialSecrets?.some((other) => samePlace(other, place)) === true;
    }),
  );
}
