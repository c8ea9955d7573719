import type { ClusterConnectionObject, ConnectionObject, Environment } from "../environment.ts";
import { connectionId } from "../shared/connection-id.ts";
import type { InheritablePolicies } from "../shared/policies.ts";

/** A Connection or a ClusterConnection, told apart no further: what both say. */
export interface ConnectionView {
  readonly id: string;
  readonly kind: "Connection" | "ClusterConnection";
  readonly name: string;
  /** the namespace that it serves; undefined: several */
  readonly namespace: string | undefined;
  readonly baseUrl: string;
  readonly secret: { readonly namespace: string; readonly name: string; readonly key: string };
  readonly reservedSecretPrefix: string;
  readonly defaults: InheritablePolicies | undefined;
  readonly allowedOrganizations: readonly string[] | undefined;
  readonly allowedRefs: readonly string[] | undefined;
}

export function viewOfConnection({ metadata, spec }: ConnectionObject): ConnectionView {
  const { name, namespace = "" } = metadata;
  const { baseUrl, token, reservedSecretPrefix, defaults } = spec;
  return {
    id: connectionId("Connection", namespace, name),
    kind: "Connection",
    name,
    namespace,
    baseUrl,
    secret: { namespace, ...token.secretRef },
    reservedSecretPrefix,
    defaults,
    allowedOrganizations: undefined,
    allowedRefs: undefined,
  };
}

export function viewOfClusterConnection({ metadata, spec }: ClusterConnectionObject): ConnectionView {
  const { name } = metadata;
  const { baseUrl, token, reservedSecretPrefix, defaults, allowedOrganizations, allowedRefs } = spec;
  return {
    id: connectionId("ClusterConnection", "", name),
    kind: "ClusterConnection",
    name,
    namespace: undefined,
    baseUrl,
    secret: token.secretRef,
    reservedSecretPrefix,
    defaults,
    allowedOrganizations,
    allowedRefs,
  };
}

/** The connections whose token lies in a Secret. */
export function connectionsOfSecret(environment: Environment, secret: string): readonly ConnectionView[] {
  const { connections, clusterConnections } = environment.objects;
  return [
    ...connections.byIndex("secret", secret).map(viewOfConnection),
    ...clusterConnections.byIndex("secret", secret).map(viewOfClusterConnection),
  ];
}
