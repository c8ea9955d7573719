import { finalizers } from "../../resources/annotations.ts";
import type { Reconciler } from "../../runtime/reconciler.ts";
import type { Environment } from "../environment.ts";
import { KeyedMutex } from "../shared/keyed-mutex.ts";
import { childGroups } from "../shared/parents.ts";
import { objectReconciler } from "../shared/pipeline.ts";
import { finalizeSecret } from "./finalize.ts";
import { reconcileSecret } from "./reconcile.ts";

/**
 * src/controllers/secret: sets environment secrets of functions from core Secrets. Values are read when they are needed, sent, and kept nowhere;
 * what was sent is told by the platform's digests.
 */

/** The reconciler of Secret (secrets.baas.dev). */
export function secretReconciler(environment: Environment): Reconciler {
  const store = environment.objects.secrets;
  const claiming = new KeyedMutex();
  return objectReconciler(environment, {
    store,
    finalizer: finalizers.remote,
    groupOf: childGroups(environment, store),
    reconcile: (run, object) => reconcileSecret(run, object, claiming),
    finalize: finalizeSecret,
  });
}
