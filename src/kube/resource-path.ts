import type { ResourceType } from "../resources/meta.ts";

/** Names an object of a known type. */
export interface ObjectId {
  /** "" for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
}

/** Query parameters; undefined ones are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** Path of a group in the version of a type: what the apiserver offers of it. */
export function groupPath({ group, version }: ResourceType): string {
  return group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
}

/** Path of all objects of a type: in one namespace, or everywhere when `namespace` is "" or absent. */
export function collectionPath(type: ResourceType, namespace = ""): string {
  const scope = type.namespaced && namespace !== "" ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  return `${groupPath(type)}${scope}/${type.plural}`;
}

/**
 * Path of one object or of a subresource of it. Throws a TypeError for a namespaced kind without a namespace and for an empty name:
 * those would name a collection, and a DELETE of a collection deletes everything in it.
 */
export function objectPath(type: ResourceType, id: ObjectId, subresource?: string): string {
  if (id.name === "") throw new TypeError(`${type.kind} without a name`);
  if (type.namespaced && id.namespace === "") throw new TypeError(`${type.kind} ${id.name} without a namespace`);
  const path = `${collectionPath(type, id.namespace)}/${encodeURIComponent(id.name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

/** The path with its query string. */
export function withQuery(path: string, query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  return parameters.size === 0 ? path : `${path}?${parameters.toString()}`;
}
