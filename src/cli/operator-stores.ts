import { systemClock } from "../base/clock.ts";
import type { Logger } from "../base/log.ts";
import type { Meter } from "../base/meter.ts";
import { systemRandom } from "../base/random.ts";
import type { ObjectStores } from "../controllers/environment.ts";
import { configMapType, namespaceType, secretType } from "../controllers/shared/core-types.ts";
import { fluxSourceAlone, fluxSourceTypes } from "../controllers/shared/flux-types.ts";
import { coreIndexers } from "../controllers/indexers.ts";
import { createObjectStores } from "../controllers/stores.ts";
import type { WatchedStores } from "../controllers/watched-stores.ts";
import type { KubeClient } from "../kube/client.ts";
import { Reflector } from "../kube/reflector.ts";
import { StoreSet } from "../kube/store-set.ts";
import { Store } from "../kube/store.ts";
import type { Manager } from "../runtime/manager.ts";

interface StoresWatchOptions {
  readonly manager: Manager;
  readonly kube: KubeClient;
  /** none: all */
  readonly namespaces: readonly string[];
  readonly log: Logger;
  readonly meter: Meter;
}

/** Every store of the operator, and how they are fed. */
export interface OpenStores extends WatchedStores {
  readonly set: StoreSet;
  readonly objects: ObjectStores;
  /** Adds the watches to the manager. */
  watch(options: StoresWatchOptions): void;
}

export function openStores(log: Logger): OpenStores {
  const set = new StoreSet();
  const { objects, writable } = createObjectStores({ set, log });
  const metadata = (type: typeof secretType): Store => {
    const store = new Store({ type, indexers: coreIndexers, metadataOnly: true, log });
    set.add(store);
    return store;
  };
  const coreSecrets = metadata(secretType);
  const configMaps = metadata(configMapType);
  const namespaces = metadata(namespaceType);
  const fluxSources = fluxSourceTypes.map((type) => {
    const store = new Store({ type, transform: fluxSourceAlone, log });
    set.add(store);
    return store;
  });
  const stores: WatchedStores = { ours: writable, coreSecrets, configMaps, namespaces, fluxSources };
  return { ...stores, set, objects, watch: (options) => watchAll(stores, options) };
}

function watchAll(stores: WatchedStores, options: StoresWatchOptions): void {
  const { ours, coreSecrets, configMaps, namespaces, fluxSources } = stores;
  for (const store of [...ours, coreSecrets, configMaps, namespaces, ...fluxSources]) {
    if (options.namespaces.length === 0) watch(store, undefined, options);
    // A Role reaches into namespaces alone: what lies outside of them is not watched then (deploy/helm, watchNamespaces).
    else if (store.type.namespaced) for (const namespace of options.namespaces) watch(store, namespace, options);
  }
}

function watch(store: Store, namespace: string | undefined, { manager, kube, log, meter }: StoresWatchOptions): void {
  const { plural, group } = store.type;
  const optional = fluxSourceTypes.includes(store.type); // whether Flux is there, or comes later, is not ours to say
  const reflector = new Reflector({
    client: kube,
    store,
    ...(namespace === undefined ? {} : { namespace }),
    optional,
    maybeForbidden: optional, // rights that somebody else gave may be those of an earlier version
    clock: systemClock,
    random: systemRandom,
    log,
    meter,
  });
  const kind = group === "" ? plural : `${plural}.${group}`;
  manager.addSource(namespace === undefined ? kind : `${kind} in ${namespace}`, reflector);
}
