import { finalizers } from "../../resources/annotations.ts";
import type { KubeObject } from "../../resources/meta.ts";
import type { Environment } from "../environment.ts";
import { isTerminating } from "../shared/connection-lookup.ts";
import { secretType } from "../shared/core-types.ts";
import { dependentsOf } from "../shared/dependents.ts";
import { ensureFinalizer, removeFinalizer } from "../shared/finalizers.ts";
import { type ConnectionView, connectionsOfSecret } from "./view.ts";

/** How long a Secret under deletion is kept where somebody may be replacing it, milliseconds (engine.md §5). */
const REPLACING_MS = 30_000;
/** The bound for objects that cannot be deleted (engine.md §5, `deletionTimeout`), milliseconds. */
const BOUND_MS = 900_000;
/** How often a Secret that is held is looked at, milliseconds. */
export const HELD_LOOK_MS = 5000;

/** Keeps the Secret of a connection with dependents from going before the objects that need it for their deletion. */
export async function protectSecret(environment: Environment, secret: KubeObject, signal: AbortSignal): Promise<void> {
  await ensureFinalizer(environment.kube, { type: secretType, object: secret }, finalizers.credential, signal);
}

/** Lets the Secret go, unless another connection still needs it. */
export async function unprotectSecret(
  environment: Environment,
  view: ConnectionView,
  signal: AbortSignal,
): Promise<void> {
  const { namespace, name } = view.secret;
  const secret = environment.coreSecrets.get(namespace, name);
  if (secret === undefined) return;
  const others = connectionsOfSecret(environment, `${namespace}/${name}`).filter(({ id }) => id !== view.id);
  if (others.length > 0) return;
  await removeFinalizer(environment.kube, { type: secretType, object: secret }, finalizers.credential, signal);
}

/** Whether a Secret under deletion must still be held for objects that are being deleted, or are about to be with their namespace (engine.md §5). */
export async function mustHold(
  environment: Environment,
  view: ConnectionView,
  secret: KubeObject,
  signal: AbortSignal,
): Promise<boolean> {
  const heldMs = environment.clock.now() - Date.parse(secret.metadata.deletionTimestamp ?? "");
  const replacing = !(await isTerminating(environment, view.secret.namespace, signal));
  if (heldMs >= (replacing ? REPLACING_MS : BOUND_MS)) return false;
  const { namespaces, deleting } = dependentsOf(environment, view.id, view.namespace);
  if (deleting) return true;
  for (const namespace of namespaces) {
    if (await isTerminating(environment, namespace, signal)) return true;
  }
  return false;
}
