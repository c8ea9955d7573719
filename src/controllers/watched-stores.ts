import type { Store } from "../kube/store.ts";

/** Stores that handlers are attached to. */
export interface WatchedStores {
  readonly ours: readonly Store[];
  readonly coreSecrets: Store;
  readonly configMaps: Store;
  readonly namespaces: Store;
  /** of Flux, one for each kind */
  readonly fluxSources: readonly Store[];
}

/** The store of a kind of ours. @throws RangeError where there is none */
export function storeOf(stores: readonly Store[], kind: string): Store {
  const store = stores.find(({ type }) => type.kind === kind);
  if (store === undefined) throw new RangeError(`no store of ${kind}`);
  return store;
}
