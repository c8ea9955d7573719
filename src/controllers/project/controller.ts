import { finalizers } from "../../resources/annotations.ts";
import type { Reconciler } from "../../runtime/reconciler.ts";
import type { Environment } from "../environment.ts";
import { objectNameOf } from "../shared/ownership.ts";
import { objectReconciler } from "../shared/pipeline.ts";
import { finalizeProject } from "./finalize.ts";
import { reconcileProject } from "./reconcile.ts";

/**
 * src/controllers/project: makes a remote project follow a Project. What lives inside of a project (branches, functions, secrets) has
 * controllers of its own; what all kinds share is in shared/.
 */

/** The reconciler of Project. */
export function projectReconciler(environment: Environment): Reconciler {
  return objectReconciler(environment, {
    store: environment.objects.projects,
    finalizer: finalizers.remote,
    groupOf: ({ metadata }) => objectNameOf(metadata),
    reconcile: reconcileProject,
    finalize: finalizeProject,
  });
}
