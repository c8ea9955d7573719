import type { Asked } from "./relay.ts";

/** Whose request it was, and what it is called. */
export interface Named {
  /** namespace of the family that it was made for; undefined for what belongs to none */
  readonly family: string | undefined;
  /** method and path without what differs from family to family: "PATCH baas.dev/projects/shop/status" */
  readonly label: string;
}

/** Token of a family, so that its requests to the platform are known by it. */
export function tokenOf(family: string): string {
  return `token-of-${family}`;
}

/** Token of somebody who may do all that the family may. */
export function humanOf(family: string): string {
  return `human-of-${family}`;
}

const BEARER = /^Bearer token-of-(.+)$/u;
const NAMESPACED = /^\/(?:api\/v1|apis\/([^/]+)\/[^/]+)\/namespaces\/([^/]+)(?:\/(.*))?$/u;
/** A ref, the id of a branch, and the name of an event: made up anew in each family. */
const MADE_UP = /(?<=\/)(?:[a-z]{20}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?=\/|$)/gu;

/** Names a request. Leases are nobody's: they are kept alive whatever happens (engine.md §8). */
export function nameRequest({ server, method, path, headers }: Asked): Named {
  const [bare = ""] = path.split("?");
  if (server === "platform") {
    const family = BEARER.exec(headers.authorization ?? "")?.[1];
    const label = `${method} ${bare.replaceAll(MADE_UP, "*")}`;
    return { family, label: family === undefined ? label : label.replace(`/${family}`, "/ORGANIZATION") };
  }
  const [, group, namespace, rest = "itself"] = NAMESPACED.exec(bare) ?? [];
  const nobodys = namespace === undefined || group === "coordination.k8s.io";
  if (nobodys) return { family: undefined, label: `${method} ${bare}` };
  const name = rest.startsWith("events/") ? "events/*" : rest;
  return { family: namespace, label: `${method} ${group === undefined ? "" : `${group}/`}${name}` };
}

/** Of no namespace, and called as the family is. */
const CLUSTER_CONNECTION = /^\/apis\/([^/]+)\/[^/]+\/clusterconnections\/([^/]+)(\/.*)?$/u;

const ARTIFACT = /^\/([^/]+)\/[^/]+\.tar\.gz$/u;

/** The same where each family has a ClusterConnection of its own, which is called as its namespace, and a folder of artifacts. */
export function nameOfFamily(asked: Asked): Named {
  const { server, method, path } = asked;
  const [bare = ""] = path.split("?");
  if (server === "artifacts") return { family: ARTIFACT.exec(bare)?.[1], label: `${method} /ARTIFACT` };
  const [match, group, family, part = ""] = CLUSTER_CONNECTION.exec(bare) ?? [];
  if (match === undefined) return nameRequest(asked);
  return { family, label: `${method} ${group}/clusterconnections/ITS${part}` };
}
