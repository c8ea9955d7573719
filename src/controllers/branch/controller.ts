import { finalizers } from "../../resources/annotations.ts";
import type { Reconciler } from "../../runtime/reconciler.ts";
import type { Environment } from "../environment.ts";
import { objectNameOf } from "../shared/ownership.ts";
import { groupOfChild } from "../shared/parents.ts";
import { objectReconciler } from "../shared/pipeline.ts";
import { Turns } from "../shared/turns.ts";
import { finalizeBranch } from "./finalize.ts";
import { reconcileBranch } from "./reconcile.ts";

/** The reconciler of Branch. */
export function branchReconciler(environment: Environment): Reconciler {
  const store = environment.objects.branches;
  const turns = new Turns();
  return objectReconciler(environment, {
    store,
    finalizer: finalizers.remote,
    groupOf: (object) => {
      const parsed = store.parse(object);
      const { namespace = "" } = object.metadata;
      return parsed.ok ? groupOfChild(environment, namespace, parsed.object.spec) : objectNameOf(object.metadata);
    },
    reconcile: (run, object) => reconcileBranch(run, object, turns),
    finalize: finalizeBranch,
  });
}
