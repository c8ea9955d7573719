import type { Store, StoreHandler } from "../kube/store.ts";
import { apiGroup } from "../resources/annotations.ts";
import type { KubeObject } from "../resources/meta.ts";
import type { Environment } from "./environment.ts";
import { connectionsOfSecret } from "./connection/view.ts";
import { isHeldUp } from "./held-up.ts";
import { CONFIG_MAP_INDEX, OUTPUT_INDEX, SECRET_INDEX } from "./indexes.ts";
import { connectionName } from "./shared/connection-id.ts";
import { possibleDependents } from "./shared/dependents.ts";
import { objectNameOf } from "./shared/ownership.ts";
import { type ReferencedStores, sourceChanged } from "./references.ts";
import type { WatchedStores } from "./watched-stores.ts";
import { isReadyNow, keyOf, wakeWaiting } from "./watching.ts";

/** Secrets, ConfigMaps and namespaces that objects refer to. */
export function wireReferences(environment: Environment, stores: WatchedStores): void {
  const { objects, enqueue } = environment;
  const { coreSecrets, configMaps, namespaces } = stores;
  const { projects, branches, functions, secrets } = objects;
  coreSecrets.addHandler(
    onReferenced(environment, stores, ({ metadata }) => {
      const name = objectNameOf(metadata);
      for (const { id } of connectionsOfSecret(environment, name)) {
        enqueue(connectionName(id), { lane: "change", wasReady: true });
      }
      return [projects, branches, secrets].flatMap(({ reader }) => [...reader.byIndex(SECRET_INDEX, name)]);
    }),
  );
  configMaps.addHandler(
    onReferenced(environment, stores, ({ metadata }) =>
      [projects, branches, functions].flatMap(({ reader }) => [
        ...reader.byIndex(CONFIG_MAP_INDEX, objectNameOf(metadata)),
      ]),
    ),
  );
  namespaces.addHandler({
    added: () => undefined,
    updated: (_before, { metadata }) => wakeWaiting(possibleDependents(environment, metadata.name), enqueue),
    deleted: () => undefined,
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
 * Who refers to an object runs when it changes or goes; when it appears, only who may have waited for it, or was made of another version: a
 * start shows all of them, in any order with their users.
 */
function onReferenced(
  environment: Environment,
  referenced: ReferencedStores,
  users: (object: KubeObject) => readonly KubeObject[],
): StoreHandler {
  const { objects, enqueue } = environment;
  const run = (object: KubeObject): void => {
    for (const user of users(object)) {
      enqueue(keyOf(user), { lane: "change", wasReady: isReadyNow(user) });
    }
  };
  return {
    added: (object) => {
      const found = users(object);
      wakeWaiting(found, enqueue, (user) => isHeldUp(environment, user));
      for (const user of found) {
        if (sourceChanged(objects, referenced, user)) enqueue(keyOf(user), { lane: "change", wasReady: true });
      }
    },
    updated: (_before, now) => run(now),
    deleted: run,
  };
}
