import type { KubeObject } from "../../resources/meta.ts";
import type { ParentSpec } from "../../resources/references.ts";
import type { ConnectionKind } from "../../resources/policies.ts";
import type { Environment } from "../environment.ts";
import { connectionObject, usedConnection } from "./connection-lookup.ts";
import type { ManagedObject, ObjectStore } from "./object-store.ts";

/** What of an object tells which connection it uses. */
type Dependent = ManagedObject<
  ParentSpec & { readonly connectionRef?: { readonly kind: ConnectionKind; readonly name: string } | undefined },
  { readonly connection?: { readonly kind: string; readonly name: string } | undefined }
>;

/** The kinds that use connections, Projects first. */
function dependentStores(environment: Environment): readonly Pick<ObjectStore<unknown, unknown>, "reader" | "parse">[] {
  const { projects, branches, functions, secrets } = environment.objects;
  return [projects, branches, functions, secrets];
}

/** The connection that an object uses now, or used last; undefined while there is none. */
function connectionOf(environment: Environment, object: Dependent): string | undefined {
  const { metadata, spec, status } = object;
  const request = { namespace: metadata.namespace ?? "", connectionRef: spec.connectionRef };
  return usedConnection(environment, request, status.connection);
}

/** The server that an object's connection names: one name or ref may exist on two platforms. Undefined while it has no connection. */
export function serverOf(environment: Environment, object: Dependent): string | undefined {
  const id = connectionOf(environment, object);
  return id === undefined ? undefined : connectionObject(environment, id)?.spec.baseUrl;
}

function* dependents(environment: Environment, id: string, namespace: string | undefined): Generator<Dependent> {
  const { projects, branches, functions, secrets } = environment.objects;
  for (const store of [projects, branches, functions, secrets]) {
    for (const raw of store.reader.list(namespace)) {
      const parsed = store.parse(raw);
      if (parsed.ok && connectionOf(environment, parsed.object) === id) yield parsed.object;
    }
  }
}

/** Whether any object depends on a connection (engine.md §5: its finalizer stays while one does). */
export function hasDependents(environment: Environment, id: string, namespace: string | undefined): boolean {
  return !dependents(environment, id, namespace).next().done;
}

/** The namespaces of the objects that depend on a connection, and whether one of those objects is being deleted itself. */
export function dependentsOf(
  environment: Environment,
  id: string,
  namespace: string | undefined,
): { readonly namespaces: ReadonlySet<string>; readonly deleting: boolean } {
  const all = [...dependents(environment, id, namespace)];
  return {
    namespaces: new Set(all.map(({ metadata }) => metadata.namespace ?? "")),
    deleting: all.some(({ metadata }) => metadata.deletionTimestamp !== undefined),
  };
}

/** Every object that may use a connection of that reach, readable or not: who is woken when the connection changes. */
export function* possibleDependents(environment: Environment, namespace: string | undefined): Generator<KubeObject> {
  for (const store of dependentStores(environment)) yield* store.reader.list(namespace);
}
