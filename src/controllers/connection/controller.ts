import { finalizers } from "../../resources/annotations.ts";
import type { Reconciler } from "../../runtime/reconciler.ts";
import type { Environment } from "../environment.ts";
import { connectionId } from "../shared/connection-id.ts";
import { objectReconciler } from "../shared/pipeline.ts";
import { type ConnectionParts, finalizeConnection, reconcileConnection } from "./reconcile.ts";
import { viewOfClusterConnection, viewOfConnection } from "./view.ts";

/**
 * src/controllers/connection: opens the sessions by which all other kinds reach the platform, and guards the credential for as long as
 * they need it. Nothing here writes to the platform.
 */

/** Reconcilers of Connection and ClusterConnection: one behaviour, two scopes. */
export function connectionReconcilers(environment: Environment, shared: ConnectionParts): readonly Reconciler[] {
  const { connections, clusterConnections } = environment.objects;
  const parts = { ...shared, kube: environment.kube };
  const forget = (id: string): void => {
    environment.sessions.forget(id);
    parts.clients.forget(id);
  };
  return [
    objectReconciler(environment, {
      store: connections,
      finalizer: finalizers.connectionInUse,
      groupOf: ({ metadata: { namespace = "", name } }) => connectionId("Connection", namespace, name),
      reconcile: (run, object) => reconcileConnection(run, viewOfConnection(object), parts),
      finalize: (run, object) => finalizeConnection(run, object && viewOfConnection(object), parts),
      forget: ({ namespace, name }) => forget(connectionId("Connection", namespace, name)),
    }),
    objectReconciler(environment, {
      store: clusterConnections,
      finalizer: finalizers.connectionInUse,
      groupOf: ({ metadata: { name } }) => connectionId("ClusterConnection", "", name),
      reconcile: (run, object) => reconcileConnection(run, viewOfClusterConnection(object), parts),
      finalize: (run, object) => finalizeConnection(run, object && viewOfClusterConnection(object), parts),
      forget: ({ name }) => forget(connectionId("ClusterConnection", "", name)),
    }),
  ];
}
