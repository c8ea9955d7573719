import type { Store, StoreHandler } from "../kube/store.ts";
import { apiGroup } from "../resources/annotations.ts";
import type { KubeObject } from "../resources/meta.ts";
import type { Environment } from "./environment.ts";
import { rivalsIn } from "./claims-wired.ts";
import { connectionsOfSecret } from "./connection/view.ts";
import { isHeldUp } from "./held-up.ts";
import { OUTPUT_INDEX } from "./indexes.ts";
import { connectionName } from "./shared/connection-id.ts";
import { admittingOtherwise } from "./shared/connection-lookup.ts";
import { mayUse, possibleDependents } from "./shared/dependents.ts";
import { objectNameOf } from "./shared/ownership.ts";
import { type ReferencedStores, sourceChanged } from "./references.ts";
import { noteUsers, touchedKey, usersOf } from "./touched.ts";
import { storeOf, type WatchedStores } from "./watched-stores.ts";
import { isReadyNow, isRefused, keyOf, wakeWaiting } from "./watching.ts";

/** Secrets, ConfigMaps and namespaces that objects refer to. */
export function wireReferences(environment: Environment, stores: WatchedStores): void {
  const { enqueue } = environment;
  const { coreSecrets, configMaps, namespaces } = stores;
  coreSecrets.addHandler(
    onReferenced(environment, stores, (object) => {
      for (const { id } of connectionsOfSecret(environment, objectNameOf(object.metadata))) {
        enqueue(connectionName(id), { lane: "change", wasReady: true });
      }
      return usersOf(environment, object);
    }),
  );
  configMaps.addHandler(onReferenced(environment, stores, (object) => usersOf(environment, object)));
  const withRivals = rivalsIn(environment);
  /** Who may use a connection that admits the namespace and did not, or the other way round. */
  const admitted = (before: KubeObject | undefined, now: KubeObject): readonly KubeObject[] => {
    const ids = admittingOtherwise(environment, before, now);
    if (ids.length === 0) return [];
    const all = [...possibleDependents(environment, now.metadata.name)];
    return all.filter((object) => ids.some((id) => mayUse(environment, object, id)));
  };
  const heldUp = (object: KubeObject): boolean => isHeldUp(environment, object);
  // Of a namespace it is looked at which connections admit it, and whether it goes.
  const nothing = (): void => undefined;
  for (const kind of ["Project", "Branch", "EdgeFunction", "Secret"]) {
    const updated = ({ metadata: was }: KubeObject, { metadata: is }: KubeObject): void => {
      // It runs, and reads what it refers to then.
      if (was.generation !== is.generation) environment.waitingUsers.forget(is.uid);
    };
    storeOf(stores.ours, kind).addHandler({ added: nothing, updated, deleted: nothing });
  }
  namespaces.addHandler({
    // Whom it lets in claims something from now on, if anything: nobody else has its turn by that.
    added: (namespace) => wakeWaiting(admitted(undefined, namespace), enqueue, heldUp),
    updated: (before, now) => {
      const goes = before.metadata.deletionTimestamp !== now.metadata.deletionTimestamp;
      if (goes) wakeWaiting(possibleDependents(environment, now.metadata.name), enqueue);
      wakeWaiting(withRivals(admitted(before, now)), enqueue, heldUp);
    },
    deleted: nothing,
  });
}

/**
 * Secrets that the operator makes. That of a connection is put back when somebody deletes it; what else is done with one is the operator's own
 * doing. When somebody else's goes that stood in the place of one, who found it there goes on.
 */
export function wireOwnSecrets({ enqueue, objects }: Environment, coreSecrets: Store): void {
  const { projects, connections, clusterConnections } = objects;
  const wakeOwner = ({ metadata }: KubeObject): void => {
    for (const { apiVersion, kind, name } of metadata.ownerReferences ?? []) {
      if (!apiVersion.startsWith(`${apiGroup}/`) || !(kind === "Connection" || kind === "ClusterConnection")) continue;
      const namespace = kind === "Connection" ? (metadata.namespace ?? "") : "";
      enqueue({ kind, namespace, name }, { lane: "change", wasReady: true });
    }
  };
  coreSecrets.addHandler({
    added: () => undefined,
    updated: (before, now) => {
      if (before.metadata.deletionTimestamp !== now.metadata.deletionTimestamp) wakeOwner(now);
    },
    deleted: (object) => {
      wakeOwner(object);
      const place = objectNameOf(object.metadata);
      wakeWaiting(projects.reader.byIndex(OUTPUT_INDEX, place), enqueue);
      wakeWaiting(connections.reader.byIndex(OUTPUT_INDEX, place), enqueue);
      wakeWaiting(clusterConnections.reader.byIndex(OUTPUT_INDEX, place), enqueue);
    },
  });
}

/**
 * Who refers to an object runs when it changes or goes; who was refused, when what it holds is another (touched.ts), and who is being deleted needs it no
 * more. When it appears, only who may have waited for it, or was made of another version: a start shows all of them, in any order with their users.
 */
function onReferenced(
  environment: Environment,
  referenced: ReferencedStores,
  users: (object: KubeObject) => readonly KubeObject[],
): StoreHandler {
  const { objects, enqueue } = environment;
  const run = (found: readonly KubeObject[]): void => {
    for (const user of found) enqueue(keyOf(user), { lane: "change", wasReady: isReadyNow(user) });
  };
  return {
    added: (object) => {
      const found = users(object);
      wakeWaiting(found, enqueue, (user) => isHeldUp(environment, user));
      for (const user of found) {
        if (sourceChanged(objects, referenced, user)) enqueue(keyOf(user), { lane: "change", wasReady: true });
      }
    },
    updated: (_before, now) => {
      const found = users(now);
      const living = found.filter((user) => user.metadata.deletionTimestamp === undefined);
      run(living.filter((user) => !isRefused(user)));
      noteUsers(
        environment,
        touchedKey(now),
        living.filter((user) => isRefused(user)),
      );
      if (found.length > 0) enqueue(touchedKey(now), { lane: "change", wasReady: true });
    },
    deleted: (object) => run(users(object)),
  };
}
