import { finalizers } from "../../resources/annotations.ts";
import type { Reconciler } from "../../runtime/reconciler.ts";
import type { Environment } from "../environment.ts";
import { objectNameOf } from "../shared/ownership.ts";
import { groupOfChild } from "../shared/parents.ts";
import { objectReconciler } from "../shared/pipeline.ts";
import { finalizeSecret } from "./finalize.ts";
import { reconcileSecret } from "./reconcile.ts";

/** The reconciler of Secret (secrets.baas.dev). */
export function secretReconciler(environment: Environment): Reconciler {
  const store = environment.objects.secrets;
  return objectReconciler(environment, {
    store,
    finalizer: finalizers.remote,
    groupOf: (object) => {
      const parsed = store.parse(object);
      const { namespace = "" } = object.metadata;
      return parsed.ok ? groupOfChild(environment, namespace, parsed.object.spec) : objectNameOf(object.metadata);
    },
    reconcile: reconcileSecret,
    finalize: finalizeSecret,
  });
}
