import { finalizers } from "../../resources/annotations.ts";
import type { Reconciler } from "../../runtime/reconciler.ts";
import type { Environment } from "../environment.ts";
import { KeyedMutex } from "../shared/keyed-mutex.ts";
import { childGroups } from "../shared/parents.ts";
import { objectReconciler } from "../shared/pipeline.ts";
import { finalizeBranch } from "./finalize.ts";
import { reconcileBranch } from "./reconcile.ts";

/**
 * src/controllers/branch: makes a preview branch follow a Branch, its end at the ttl included. The default branch of a project is made here
 * where there is none, and belongs to no object.
 */

/** The reconciler of Branch. */
export function branchReconciler(environment: Environment): Reconciler {
  const store = environment.objects.branches;
  const defaultBranch = new KeyedMutex();
  return objectReconciler(environment, {
    store,
    finalizer: finalizers.remote,
    groupOf: childGroups(environment, store),
    reconcile: (run, object) => reconcileBranch(run, object, defaultBranch),
    finalize: finalizeBranch,
  });
}
