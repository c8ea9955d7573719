import type { Reconciler } from "../runtime/reconciler.ts";
import { branchReconciler } from "./branch/controller.ts";
import { connectionReconcilers } from "./connection/controller.ts";
import type { ConnectionParts } from "./connection/reconcile.ts";
import { edgeFunctionReconciler } from "./edge-function/controller.ts";
import type { Environment } from "./environment.ts";
import { projectReconciler } from "./project/controller.ts";
import { secretReconciler } from "./secret/controller.ts";
import { touchedReconcilers } from "./touched.ts";

/** The reconcilers of every kind. */
export function createReconcilers(environment: Environment, connections: ConnectionParts): readonly Reconciler[] {
  return [
    ...connectionReconcilers(environment, connections),
    projectReconciler(environment),
    branchReconciler(environment),
    edgeFunctionReconciler(environment),
    secretReconciler(environment),
    ...touchedReconcilers(environment),
  ];
}
