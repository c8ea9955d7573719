import { credentialOf, type DeclaredCredential, secretKeysOf } from "../../resources/connection/credential.ts";
import type { ClusterConnectionObject, ConnectionObject, Environment } from "../environment.ts";
import { connectionId } from "../shared/connection-id.ts";
import type { InheritablePolicies } from "../shared/policies.ts";

/** A core Secret. */
export interface SecretPlace {
  readonly namespace: string;
  readonly name: string;
}

export function samePlace(a: SecretPlace, b: SecretPlace): boolean {
  return a.namespace === b.namespace && a.name === b.name;
}

/** A Connection or a ClusterConnection, told apart no further: what both say. */
export interface ConnectionView {
  readonly id: string;
  readonly kind: "Connection" | "ClusterConnection";
  readonly name: string;
  /** the namespace that it serves; undefined: several */
  readonly namespace: string | undefined;
  readonly baseUrl: string;
  readonly credential: DeclaredCredential;
  readonly reservedSecretPrefix: string;
  readonly defaults: InheritablePolicies | undefined;
  readonly allowedOrganizations: readonly string[] | undefined;
  readonly allowedRefs: readonly string[] | undefined;
}

export function viewOfConnection({ metadata, spec }: ConnectionObject): ConnectionView {
  const { name, namespace = "" } = metadata;
  const { baseUrl, reservedSecretPrefix, defaults } = spec;
  return {
    id: connectionId("Connection", namespace, name),
    kind: "Connection",
    name,
    namespace,
    baseUrl,
    credential: credentialOf(spec, namespace),
    reservedSecretPrefix,
    defaults,
    allowedOrganizations: undefined,
    allowedRefs: undefined,
  };
}

export function viewOfClusterConnection({ metadata, spec }: ClusterConnectionObject): ConnectionView {
  const { name } = metadata;
  const { baseUrl, reservedSecretPrefix, defaults, allowedOrganizations, allowedRefs } = spec;
  return {
    id: connectionId("ClusterConnection", "", name),
    kind: "ClusterConnection",
    name,
    namespace: undefined,
    baseUrl,
    credential: credentialOf(spec, ""),
    reservedSecretPrefix,
    defaults,
    allowedOrganizations,
    allowedRefs,
  };
}

/** The Secrets that a connection names, each once. */
export function namedSecrets({ credential }: ConnectionView): readonly SecretPlace[] {
  const places = secretKeysOf(credential).map(({ namespace, name }) => ({ namespace, name }));
  return places.filter((place, at) => places.findIndex((other) => samePlace(place, other)) === at);
}

/** The connections that name a Secret. */
export function connectionsOfSecret(environment: Environment, secret: string): readonly ConnectionView[] {
  const { connections, clusterConnections } = environment.objects;
  return [
    ...connections.byIndex("secret", secret).map(viewOfConnection),
    ...clusterConnections.byIndex("secret", secret).map(viewOfClusterConnection),
  ];
}
