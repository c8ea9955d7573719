import { finalizers, isPaused } from "../../resources/annotations.ts";
import type { ClusterConnectionSpec } from "../../resources/connection/spec.ts";
import type { DeepReadonly } from "../../resources/kind.ts";
import type { Condition, KubeObject } from "../../resources/meta.ts";
import type { ConnectionKind } from "../../resources/policies.ts";
import type { ClusterConnectionObject, ConnectionObject, Environment } from "../environment.ts";
import { findCondition, isTrue } from "./conditions.ts";
import { connectionId, connectionName } from "./connection-id.ts";
import { readIfExists } from "./core-objects.ts";
import { namespaceType } from "./core-types.ts";
import { NotStartedError, terminal, waitingForObject } from "./failures.ts";
import { matchesSelector } from "./label-selector.ts";
import type { Session } from "./sessions.ts";

/** Which connection an object asks for, and from where. */
export interface ConnectionRequest {
  readonly namespace: string;
  readonly connectionRef?: { readonly kind: ConnectionKind; readonly name: string } | undefined;
}

/** The connection named when none is named. */
export const DEFAULT_CONNECTION = "default";

/** Whether a ClusterConnection may be used from a namespace. */
function admitsNamespace(
  allowed: DeepReadonly<ClusterConnectionSpec["allowedNamespaces"]>,
  namespace: { readonly name: string; readonly labels: Readonly<Record<string, string>> },
): boolean {
  if (allowed.from === "All") return true;
  if (allowed.names?.includes(namespace.name) === true) return true;
  return allowed.selector !== undefined && matchesSelector(allowed.selector, namespace.labels);
}

function labelsOf(namespace: KubeObject | undefined): Readonly<Record<string, string>> {
  return namespace?.metadata.labels ?? {};
}

function admitted(environment: Environment, name: string, namespace: string): boolean {
  const connection = environment.objects.clusterConnections.get("", name);
  if (connection === undefined) return false;
  const labels = labelsOf(environment.namespaces.get("", namespace));
  return admitsNamespace(connection.spec.allowedNamespaces, { name: namespace, labels });
}

/** Ids of the ClusterConnections that admit a namespace by these labels and not by others that it had, or the other way round. */
export function admittingOtherwise(
  { objects: { clusterConnections } }: Environment,
  before: KubeObject | undefined,
  now: KubeObject,
): readonly string[] {
  const { name } = now.metadata;
  return clusterConnections
    .list()
    .filter(({ spec: { allowedNamespaces } }) => {
      const [was, is] = [before, now].map((one) => admitsNamespace(allowedNamespaces, { name, labels: labelsOf(one) }));
      return was !== is;
    })
    .map(({ metadata }) => connectionId("ClusterConnection", "", metadata.name));
}

/**
 * The id of the connection that an object uses: the one it names, else the Connection `default` of its namespace, else the
 * ClusterConnection `default` where that admits the namespace (resources.md).
 *
 * @throws WaitingError ConnectionNotFound, TerminalError NotAllowed
 */
function findConnection(environment: Environment, { namespace, connectionRef }: ConnectionRequest): string {
  const { connections, clusterConnections } = environment.objects;
  if (connectionRef === undefined) {
    if (connections.raw(namespace, DEFAULT_CONNECTION) !== undefined) {
      return connectionId("Connection", namespace, DEFAULT_CONNECTION);
    }
    if (admitted(environment, DEFAULT_CONNECTION, namespace)) {
      return connectionId("ClusterConnection", "", DEFAULT_CONNECTION);
    }
    throw waitingForObject(
      "ConnectionNotFound",
      `there is no Connection named ${DEFAULT_CONNECTION} in namespace ${namespace}, and no ClusterConnection of that name admits it: ` +
        "create one, or set connectionRef",
    );
  }
  const { kind, name } = connectionRef;
  const found = kind === "Connection" ? connections.raw(namespace, name) : clusterConnections.raw("", name);
  if (found === undefined) throw waitingForObject("ConnectionNotFound", `there is no ${kind} named ${name}`);
  if (kind === "ClusterConnection" && !admitted(environment, name, namespace)) {
    throw terminal(
      "NotAllowed",
      `the ClusterConnection ${name} does not admit namespace ${namespace}: its allowedNamespaces must name or select it`,
    );
  }
  return connectionId(kind, namespace, name);
}

/** The object of a connection, where it is there and can be read. */
export function connectionObject(
  { objects: { connections, clusterConnections } }: Environment,
  id: string,
): ConnectionObject | ClusterConnectionObject | undefined {
  const { kind, namespace, name } = connectionName(id);
  return kind === "Connection" ? connections.get(namespace, name) : clusterConnections.get("", name);
}

/**
 * The id of the connection by which an object was reached last, whatever became of it; of one that was not reached yet, the one that it uses.
 * Undefined where there is none: `findConnection` says why where that matters.
 *
 * @param used what the object's status says
 */
export function usedConnection(
  environment: Environment,
  request: ConnectionRequest,
  used: { readonly kind: string; readonly name: string } | undefined,
): string | undefined {
  if (used?.kind === "Connection" || used?.kind === "ClusterConnection") {
    return connectionId(used.kind, request.namespace, used.name);
  }
  try {
    return findConnection(environment, request);
  } catch {
    return undefined;
  }
}

/** Whether a process tries a connection by itself: one that is paused, cannot be read, or goes and is not held by us, it leaves alone. */
function isTriedAtStart(environment: Environment, id: string): boolean {
  const object = rawConnection(environment, id);
  if (object === undefined || isPaused(object.metadata)) return false;
  const { deletionTimestamp, finalizers: held = [] } = object.metadata;
  const isLeaving = deletionTimestamp !== undefined && !held.includes(finalizers.connectionInUse);
  return !isLeaving && connectionObject(environment, id) !== undefined;
}

function rawConnection(
  { objects: { connections, clusterConnections } }: Environment,
  id: string,
): KubeObject | undefined {
  const { kind, namespace, name } = connectionName(id);
  return kind === "Connection" ? connections.raw(namespace, name) : clusterConnections.raw("", name);
}

/**
 * Whether a connection was edited since it was opened: what its owner allows now may be less, and its server another. One that is paused goes on as
 * it was.
 */
function isOutdated(environment: Environment, { id, generation }: Session): boolean {
  const object = rawConnection(environment, id);
  if (object === undefined || isPaused(object.metadata)) return false;
  return (object.metadata.generation ?? generation) !== generation;
}

/** What a connection says of itself by which its dependents tell why they wait. */
interface Complaint {
  /** the Secret of its credential is being deleted */
  readonly terminating: boolean;
  /** why it does not work, as far as it has said so */
  readonly reason: string | undefined;
}

/** What a connection complains of, by its conditions. A Ready that a failure left as it was seen says nothing of it (ready.ts). Pure. */
export function complaintOf(conditions: readonly Condition[] | undefined): Complaint {
  const ready = findCondition(conditions, "Ready");
  const underWay = findCondition(conditions, "Reconciling");
  const told = ready?.status === "True" ? underWay : ready;
  return { terminating: isTrue(conditions, "CredentialTerminating"), reason: told?.reason };
}

/** Why a connection is of no use to its dependents now. */
function notReady({ kind, name }: Pick<Session, "kind" | "name">, { reason }: Complaint): Error {
  const why = reason === undefined ? "" : ` (${reason})`;
  return waitingForObject("ConnectionNotReady", `the ${kind} ${name} is not ready${why}: see its conditions`);
}

/**
 * The working connection of an object.
 *
 * @throws as `findConnection`; WaitingError ConnectionNotReady or CredentialTerminating while it does not work
 */
export function sessionFor(environment: Environment, request: ConnectionRequest): Session {
  const id = findConnection(environment, request);
  const session = environment.sessions.get(id);
  const { kind, name } = connectionName(id);
  // Just after a start: what was Ready must not look otherwise for the moment in which its connection is opened.
  if (session === undefined && !environment.sessions.wasTried(id) && isTriedAtStart(environment, id)) {
    throw new NotStartedError(`${kind} ${name} is being opened`);
  }
  const complaint = complaintOf(connectionObject(environment, id)?.status.conditions);
  if (session === undefined) throw notReady({ kind, name }, complaint);
  if (isOutdated(environment, session)) {
    throw waitingForObject("ConnectionNotReady", `the ${kind} ${name} was edited and is being looked at`);
  }
  if (session.deletionOnly) {
    // Once the Secret is there again it is what that one is not let in for; the former token goes on for deletions.
    if (!complaint.terminating && complaint.reason !== undefined) throw notReady(session, complaint);
    throw waitingForObject(
      "CredentialTerminating",
      `the token's Secret of the ${kind} ${name} is being deleted: create it again with a token`,
    );
  }
  return session;
}

/** Whether the connection's owner allows an organization. */
export function allowsOrganization({ allowedOrganizations }: Session, organization: string): boolean {
  return allowedOrganizations === undefined || ["*", organization].some((slug) => allowedOrganizations.includes(slug));
}

/** The organization must be one that the connection's owner allows. @throws TerminalError NotAllowed */
export function requireAllowedOrganization(session: Session, organization: string): void {
  if (allowsOrganization(session, organization)) return;
  throw terminal(
    "NotAllowed",
    `the ${session.kind} ${session.name} does not allow the organization ${organization}: its allowedOrganizations must list it`,
  );
}

/** Whether the connection's owner lets a ref be taken over. */
export function allowsRef({ allowedRefs }: Session, ref: string): boolean {
  return allowedRefs === undefined || ["*", ref].some((entry) => allowedRefs.includes(entry));
}

/** A ref that no object of ours created must be one that the connection's owner allows. @throws TerminalError NotAllowed */
export function requireAllowedRef(session: Session, ref: string): void {
  if (allowsRef(session, ref)) return;
  throw terminal(
    "NotAllowed",
    `the ${session.kind} ${session.name} does not allow taking over ${ref}: its allowedRefs must list it`,
  );
}

/** Whether a namespace is on its way out. Read live: a watch may lag behind, and a namespaced install has none. */
export async function isTerminating({ kube }: Environment, name: string, signal: AbortSignal): Promise<boolean> {
  const namespace = await readIfExists(kube, namespaceType, { namespace: "", name }, signal);
  return namespace === undefined || namespace.metadata.deletionTimestamp !== undefined;
}
