import type { KubeObject } from "../../resources/meta.ts";
import type { ParentSpec } from "../../resources/references.ts";
import type { ConnectionKind } from "../../resources/policies.ts";
import type { Environment } from "../environment.ts";
import type { isTrue } from "./conditions.ts";
import { connectionObject, usedConnection } from "./connection-lookup.ts";
import type { ManagedObject, ObjectStore } from "./object-store.ts";
import type { InheritablePolicies, policiesChanged } from "./policies.ts";
import type { ConnectionInUse } from "./sessions.ts";

/** The fields of an object from which the connection that it uses is known. */
type Dependent = ManagedObject<
  ParentSpec &
    InheritablePolicies & {
      readonly connectionRef?: { readonly kind: ConnectionKind; readonly name: string } | undefined;
      readonly deletionTimeout: string;
    },
  {
    readonly conditions: Parameters<typeof isTrue>[0];
    readonly recordedFor?: string | undefined;
    readonly connection?: ConnectionInUse | undefined;
    readonly effective?: Parameters<typeof policiesChanged>[2]["status"]["effective"];
  }
>;

/** The kinds that use connections, Projects first. */
function dependentStores(environment: Environment): readonly Pick<ObjectStore<unknown, unknown>, "reader" | "parse">[] {
  const { projects, branches, functions, secrets } = environment.objects;
  return [projects, branches, functions, secrets];
}

/** The connection that an object reached the remote side through last, else the one that it asks for; undefined while there is none. */
function connectionOf(environment: Environment, object: Dependent): string | undefined {
  return usedConnection(environment, requestOf(object), object.status.connection);
}

/** The connection that an object's spec asks for, if it is there. */
function askedConnection(environment: Environment, object: Dependent): string | undefined {
  return usedConnection(environment, requestOf(object), undefined);
}

function requestOf({ metadata, spec }: Dependent): Parameters<typeof usedConnection>[1] {
  return { namespace: metadata.namespace ?? "", connectionRef: spec.connectionRef };
}

/**
 * The server that an object's connection names: one name or ref may exist on two platforms. What is recorded lies where it was reached last;
 * what is only asked for, where the spec says. Undefined while there is no connection.
 */
export function serverOf(environment: Environment, object: Dependent): string | undefined {
  const recorded = object.status.recordedFor === object.metadata.uid;
  const id = recorded ? connectionOf(environment, object) : askedConnection(environment, object);
  return id === undefined ? undefined : connectionObject(environment, id)?.spec.baseUrl;
}

/** Depends on both: on the one that what is recorded, or was asked for, is reached through, and on the one that it goes over to. */
function dependsOn(environment: Environment, object: Dependent, id: string): boolean {
  return connectionOf(environment, object) === id || askedConnection(environment, object) === id;
}

function* dependents(environment: Environment, id: string, namespace: string | undefined): Generator<Dependent> {
  const { projects, branches, functions, secrets } = environment.objects;
  for (const store of [projects, branches, functions, secrets]) {
    for (const raw of store.reader.list(namespace)) {
      const parsed = store.parse(raw);
      if (parsed.ok && dependsOn(environment, parsed.object, id)) yield parsed.object;
    }
  }
}

/** Whether any object depends on a connection (engine.md §5: its finalizer stays while one does). */
export function hasDependents(environment: Environment, id: string, namespace: string | undefined): boolean {
  return !dependents(environment, id, namespace).next().done;
}

/** The objects that depend on a connection. */
export function dependentsOf(
  environment: Environment,
  id: string,
  namespace: string | undefined,
): readonly Dependent[] {
  return [...dependents(environment, id, namespace)];
}

/** Every object that may use a connection of that reach, readable or not: who is woken when the connection changes. */
export function* possibleDependents(environment: Environment, namespace: string | undefined): Generator<KubeObject> {
  for (const store of dependentStores(environment)) yield* store.reader.list(namespace);
}
