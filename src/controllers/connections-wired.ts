import type { Store } from "../kube/store.ts";
import { finalizers } from "../resources/annotations.ts";
import type { KubeObject } from "../resources/meta.ts";
import type { Environment } from "./environment.ts";
import { rivalsIn } from "./claims-wired.ts";
import { isHeldUp } from "./held-up.ts";
import { commonStatusOf } from "./shared/common-status.ts";
import { findCondition, isTrue } from "./shared/conditions.ts";
import { connectionId, connectionName } from "./shared/connection-id.ts";
import { complaintOf } from "./shared/connection-lookup.ts";
import { dependentsOf, mayUse, possibleDependents } from "./shared/dependents.ts";
import { sameJson } from "./shared/merge-patch.ts";
import { policiesChanged } from "./shared/policies.ts";
import { type ConnectionInUse, endsClaims, isElsewhere, type Session } from "./shared/sessions.ts";
import { storeOf } from "./watched-stores.ts";
import { keyOf, wakeWaiting } from "./watching.ts";

/**
 * Objects wait for their connection, and a connection that is being deleted for its objects. Who has lost something to another object, or waits for the end
 * of its request, goes on when that claims it no more, as it may for another connection than its own:
 * - one that comes, goes or is edited: what its users ask for, they may ask for elsewhere now, or nowhere; and what was recorded nobody knew where, may
 *   be known to lie elsewhere;
 * - one that works no more, or otherwise, where that ends claims (`endsClaims`).
 * By one that begins to work claims begin, if anything. At a start all do, and whoever is not Ready runs anyway.
 */
export function wireConnections(environment: Environment, stores: readonly Store[]): void {
  const { enqueue, sessions } = environment;
  const withRivals = rivalsIn(environment);
  const heldUp = (object: KubeObject): boolean => isHeldUp(environment, object);
  /** Who uses it, or is to. */
  const wakeUsers = (id: string): void => {
    const all = possibleDependents(environment, reachOf(id));
    wakeWaiting(all, enqueue, (object) => !mayUse(environment, object, id) || heldUp(object));
  };
  /** These, and who wants what they hold, which they may hold elsewhere now, or not at all. */
  const wakeWithRivals = (id: string): void => {
    const users = [...possibleDependents(environment, reachOf(id))].filter((one) => mayUse(environment, one, id));
    wakeWaiting(withRivals(users), enqueue, heldUp);
  };
  sessions.onChange((id, before) => {
    if (endsClaims(before, sessions.get(id))) wakeWithRivals(id);
    else wakeUsers(id);
    wakeOutdated(environment, id, reachOf(id));
  });
  /** Whether it says otherwise why it does not work, to who waits for it. */
  const isTellingWhy = (before: KubeObject, now: KubeObject, id: string): boolean =>
    !isOpen(environment, id) && complainsOtherwise(before, now);
  const nothing = (): void => undefined;
  for (const kind of ["Connection", "ClusterConnection"] as const) {
    const idOf = ({ metadata: { namespace = "", name } }: KubeObject): string => connectionId(kind, namespace, name);
    storeOf(stores, kind).addHandler({
      added: (object) => wakeWithRivals(idOf(object)),
      updated: (before, now) => {
        const id = idOf(now);
        if (before.metadata.generation !== now.metadata.generation) wakeWithRivals(id);
        else if (isHeldOtherwise(before, now) || isTellingWhy(before, now, id)) wakeUsers(id);
      },
      deleted: (object) => {
        wakeWithRivals(idOf(object));
        wakeAtRest(environment, idOf(object), reachOf(idOf(object)));
      },
    });
  }
  for (const kind of ["Project", "Branch", "EdgeFunction", "Secret"]) {
    const deleted = ({ metadata: { namespace } }: KubeObject): void => wakeLeaving(environment, namespace);
    storeOf(stores, kind).addHandler({ added: nothing, updated: nothing, deleted });
  }
}

/** The namespace whose objects alone may use a connection; undefined: those of any. */
function reachOf(id: string): string | undefined {
  const { kind, namespace } = connectionName(id);
  return kind === "Connection" ? namespace : undefined;
}

/** In use or not. */
function isHeldOtherwise({ metadata: was }: KubeObject, { metadata: is }: KubeObject): boolean {
  const isHeld = [was, is].map((metadata) => metadata.finalizers?.includes(finalizers.connectionInUse) ?? false);
  return isHeld[0] !== isHeld[1];
}

/** Whether nobody waits for a connection, whatever it says of itself: what its users were refused then, the platform refused. */
function isOpen({ sessions }: Environment, id: string): boolean {
  return sessions.get(id)?.deletionOnly === false;
}

/** Whether a connection that does not work says otherwise why: who waits for it tells that. */
function complainsOtherwise(before: KubeObject, now: KubeObject): boolean {
  const [was, is] = [before, now].map((object) => complaintOf(commonStatusOf(object).conditions));
  return is?.reason !== undefined && !sameJson(was, is);
}

/**
 * Objects at rest under policies that their connection sets no more, or reached as another account or on another platform than it now names: they are
 * looked at anew, after whatever is more urgent. Whose drift is ignored would not be looked at otherwise.
 */
function wakeOutdated(environment: Environment, id: string, namespace: string | undefined): void {
  const session = environment.sessions.get(id);
  if (session === undefined || session.deletionOnly) return;
  for (const object of dependentsOf(environment, id, namespace)) {
    const outdated = policiesChanged(environment, session, object) || isReachedOtherwise(object.status, session);
    if (outdated) environment.enqueue(keyOf(object), { lane: "drift" });
  }
}

/** Objects at rest that used a connection which has gone, as one can whose finalizer somebody took away: they have none, or another one, now. */
function wakeAtRest(environment: Environment, id: string, namespace: string | undefined): void {
  for (const object of dependentsOf(environment, id, namespace)) {
    const wasReady = isTrue(object.status.conditions, "Ready");
    if (wasReady) environment.enqueue(keyOf(object), { lane: "change", wasReady });
  }
}

/** Whether the connection has another account or server now than when the object's remote thing was recorded. */
function isReachedOtherwise(
  { connection }: { readonly connection?: ConnectionInUse | undefined },
  session: Session,
): boolean {
  if (connection === undefined) return false;
  return connection.identity !== session.account || isElsewhere(connection, session);
}

/** Connections under deletion, or whose credential is, that an object of a namespace may have used: they go when their last dependent has gone. */
function wakeLeaving({ objects, enqueue }: Environment, namespace: string | undefined): void {
  const { connections, clusterConnections } = objects;
  for (const [store, reach] of [
    [connections, namespace],
    [clusterConnections, undefined],
  ] as const) {
    for (const object of store.reader.list(reach)) {
      const { conditions } = commonStatusOf(object);
      const held = findCondition(conditions, "CredentialTerminating")?.status === "True";
      if (held || object.metadata.deletionTimestamp !== undefined) {
        enqueue(keyOf(object), { lane: "change", wasReady: true });
      }
    }
  }
}
