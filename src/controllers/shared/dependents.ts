import { BaseUrlError, parseBaseUrl } from "../../api/base-url.ts";
import { finalizers } from "../../resources/annotations.ts";
import type { KubeObject } from "../../resources/meta.ts";
import type { ParentSpec } from "../../resources/references.ts";
import { type ConnectionKind, DEFAULT_DELETION_TIMEOUT } from "../../resources/policies.ts";
import type { Environment } from "../environment.ts";
import type { isTrue } from "./conditions.ts";
import { ancestors } from "./ancestors.ts";
import { connectionId } from "./connection-id.ts";
import { connectionObject, DEFAULT_CONNECTION, usedConnection } from "./connection-lookup.ts";
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

/** One that cannot be read has no spec, and asks for no connection. */
interface Reached extends Pick<Dependent, "metadata" | "status"> {
  readonly spec?: Pick<Dependent["spec"], "connectionRef"> | undefined;
}

/** The kinds that use connections, Projects first. */
function dependentStores(environment: Environment): readonly Pick<ObjectStore<unknown, unknown>, "reader" | "parse">[] {
  const { projects, branches, functions, secrets } = environment.objects;
  return [projects, branches, functions, secrets];
}

/** The connection that an object reached the remote side through last, else the one that it asks for; undefined while there is none. */
function connectionOf(environment: Environment, object: Reached): string | undefined {
  return usedConnection(environment, requestOf(object), object.status.connection);
}

/** The connection that an object's spec asks for, if it is there. */
function askedConnection(environment: Environment, object: Reached): string | undefined {
  return usedConnection(environment, requestOf(object), undefined);
}

function requestOf({ metadata, spec }: Reached): Parameters<typeof usedConnection>[1] {
  return { namespace: metadata.namespace ?? "", connectionRef: spec?.connectionRef };
}

/**
 * The servers that an object's remote thing may be on: one name or ref may exist on two platforms. What is recorded lies where it was reached last,
 * wherever its connection points now, or where the platform moved to; what is only asked for, where the spec says.
 */
function serversOf(environment: Environment, object: Reached): readonly string[] {
  const recorded = isRecorded(object);
  const id = recorded ? connectionOf(environment, object) : askedConnection(environment, object);
  const named = id === undefined ? undefined : connectionObject(environment, id)?.spec.baseUrl;
  const reached = recorded ? object.status.connection?.server : undefined;
  return [reached, named === undefined ? undefined : writtenOneWay(named)].filter((server) => server !== undefined);
}

function isRecorded({ metadata, status }: Reached): boolean {
  return status.recordedFor === metadata.uid;
}

/** A base URL in the form in which sessions have it; undefined of one that nothing is reached by. */
function writtenOneWay(baseUrl: string): string | undefined {
  try {
    return parseBaseUrl(baseUrl).href;
  } catch (error) {
    if (error instanceof BaseUrlError) return undefined;
    throw error;
  }
}

/**
 * Whether what two objects have, or ask for, may be on one server. Where a record lies that does not tell is not known to be elsewhere; who has nothing,
 * and no connection, is nowhere.
 */
export function mayShareServer(
  environment: Environment,
  { object, here }: { readonly object: Reached; readonly here: string | undefined },
  other: Reached,
): boolean {
  const [known, theirs] = [serversOf(environment, object), serversOf(environment, other)];
  const ours = here === undefined ? known : [...known, here];
  if (theirs.length === 0) return isRecorded(other);
  return ours.length === 0 || ours.some((server) => theirs.includes(server));
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
      // What cannot be read whole needs it for its deletion all the same.
      const read = parsed.ok ? parsed : store.kind.parseDeleted(raw);
      if (!read.ok) yield* unreadDependent(store, raw, id);
      else if (dependsOn(environment, read.object, id)) yield read.object;
    }
  }
}

/**
 * An object of whose spec nothing counts, by what it was reached through last, and where it may have something remotely without telling that: it may need
 * any connection then.
 */
function* unreadDependent(
  { kind }: { readonly kind: { readonly parseStatus: (object: KubeObject) => Dependent["status"] } },
  raw: KubeObject,
  id: string,
): Generator<Dependent> {
  const { apiVersion, kind: name, metadata } = raw;
  if (metadata.finalizers?.includes(finalizers.remote) !== true) return;
  const spec = { deletionTimeout: DEFAULT_DELETION_TIMEOUT };
  const object: Dependent = { apiVersion, kind: name, metadata, spec, status: kind.parseStatus(raw) };
  if (object.status.connection === undefined || dependsOnByRecord(object, id)) yield object;
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

/**
 * Whether an object is reached through a connection, or is to be by what it says, or its Project for it. Of one that cannot be read nobody knows, nor
 * of one that was not reached yet and whose Project is not there.
 */
export function mayUse(environment: Environment, raw: KubeObject, id: string): boolean {
  const { projects, branches, functions, secrets } = environment.objects;
  const store = [projects, branches, functions, secrets].find(({ kind }) => kind.type.kind === raw.kind);
  const parsed = store?.parse(raw);
  if (parsed?.ok !== true) return true;
  const object: Dependent = parsed.object;
  if (dependsOnByRecord(object, id)) return true;
  const asking = raw.kind === "Project" ? object : askingFor(environment, object);
  if (asking === undefined) return object.status.connection === undefined;
  return dependsOnByRecord(asking, id) || mayMean(asking, id);
}

/** Whose connectionRef counts for what lives in a Project or a project that no object manages; undefined while that is not there. */
function askingFor(environment: Environment, child: Dependent): Dependent | undefined {
  const chain = ancestors(environment, child.metadata.namespace ?? "", child.spec);
  const last = chain.at(-1);
  if (last?.kind === "Project") return last.object;
  if (last?.kind !== "UnmanagedProject") return undefined;
  const above = chain.at(-2);
  return above?.kind === "Branch" ? above.object : child;
}

function dependsOnByRecord({ metadata, status: { connection } }: Dependent, id: string): boolean {
  if (connection?.kind !== "Connection" && connection?.kind !== "ClusterConnection") return false;
  return connectionId(connection.kind, metadata.namespace ?? "", connection.name) === id;
}

/** Who names none means one of two, whichever is there. */
function mayMean({ metadata: { namespace = "" }, spec: { connectionRef } }: Dependent, id: string): boolean {
  const { kind, name } = connectionRef ?? { kind: undefined, name: DEFAULT_CONNECTION };
  const kinds = kind === undefined ? (["Connection", "ClusterConnection"] as const) : [kind];
  return kinds.some((one) => connectionId(one, namespace, name) === id);
}

/** Every object that may use a connection of that reach, readable or not: who is woken when the connection changes. */
export function* possibleDependents(environment: Environment, namespace: string | undefined): Generator<KubeObject> {
  for (const store of dependentStores(environment)) yield* store.reader.list(namespace);
}
