import type { Logger } from "../base/log.ts";
import { Store } from "../kube/store.ts";
import type { StoreSet } from "../kube/store-set.ts";
import type { Indexers } from "../kube/object-index.ts";
import { branchKind } from "../resources/branch/kind.ts";
import { clusterConnectionKind, connectionKind } from "../resources/connection/kind.ts";
import { edgeFunctionKind } from "../resources/edge-function/kind.ts";
import { projectKind } from "../resources/project/kind.ts";
import { secretKind } from "../resources/secret/kind.ts";
import type { ObjectStores } from "./environment.ts";
import {
  branchIndexers,
  clusterConnectionIndexers,
  connectionIndexers,
  functionIndexers,
  projectIndexers,
  secretIndexers,
} from "./indexers.ts";
import { cachingReader, type KindReader, ObjectStore } from "./shared/object-store.ts";

/** Our objects in memory, with the indexes that answer "who refers to this" without a search. */

interface ObjectStoreOptions {
  readonly set: StoreSet;
  readonly log: Logger;
}

interface MadeStore<Spec, Status> {
  readonly objects: ObjectStore<Spec, Status>;
  readonly store: Store;
}

function make<Spec, Status>(
  { set, log }: ObjectStoreOptions,
  definition: KindReader<Spec, Status>,
  indexers: (kind: KindReader<Spec, Status>) => Indexers,
): MadeStore<Spec, Status> {
  const kind = cachingReader(definition);
  const store = new Store({ type: kind.type, indexers: indexers(kind), log });
  set.add(store);
  return { objects: new ObjectStore(kind, store), store };
}

/** Stores of all our kinds. `writable` feeds them from watches; reconcilers see `objects` alone. */
export function createObjectStores(options: ObjectStoreOptions): {
  readonly objects: ObjectStores;
  readonly writable: readonly Store[];
} {
  const connections = make(options, connectionKind, connectionIndexers);
  const clusterConnections = make(options, clusterConnectionKind, clusterConnectionIndexers);
  const projects = make(options, projectKind, projectIndexers);
  const branches = make(options, branchKind, branchIndexers);
  const functions = make(options, edgeFunctionKind, functionIndexers);
  const secrets = make(options, secretKind, secretIndexers);
  return {
    objects: {
      connections: connections.objects,
      clusterConnections: clusterConnections.objects,
      projects: projects.objects,
      branches: branches.objects,
      functions: functions.objects,
      secrets: secrets.objects,
    },
    writable: [connections, clusterConnections, projects, branches, functions, secrets].map(({ store }) => store),
  };
}
