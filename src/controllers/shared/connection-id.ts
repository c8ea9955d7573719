import type { ConnectionKind } from "../../resources/policies.ts";

/** Names a connection. */
export interface ConnectionName {
  readonly kind: ConnectionKind;
  /** "" for a ClusterConnection */
  readonly namespace: string;
  readonly name: string;
}

/** A connection as one string, for maps: `Connection/ns/name`, `ClusterConnection//name`. Names of Kubernetes hold no slash. */
export function connectionId(kind: ConnectionKind, namespace: string, name: string): string {
  return `${kind}/${kind === "Connection" ? namespace : ""}/${name}`;
}

/** What `connectionId` made the string from. */
export function connectionName(id: string): ConnectionName {
  const [kind, namespace = "", name = ""] = id.split("/");
  return { kind: kind === "Connection" ? kind : "ClusterConnection", namespace, name };
}
