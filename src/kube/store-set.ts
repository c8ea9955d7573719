import type { KubeObject, ResourceType } from "../resources/meta.ts";
import type { WriteObserver } from "./client.ts";
import type { ObjectId } from "./resource-path.ts";
import type { Store, StoreReader } from "./store.ts";

/**
 * The stores of a process by kind, and the one place that brings the results of own writes into them: give it to the client as its
 * observer, and every write shows at once.
 */
export class StoreSet implements WriteObserver {
  readonly #stores = new Map<string, Store>();

  /** Throws a RangeError for a second store of a kind: two would disagree. */
  add(store: Store): void {
    const key = keyOf(store.type);
    if (this.#stores.has(key)) throw new RangeError(`there is a store of ${store.type.plural} already`);
    this.#stores.set(key, store);
  }

  /** The store of a kind; throws a RangeError when there is none. */
  of(type: Pick<ResourceType, "group" | "plural">): StoreReader {
    const store = this.#stores.get(keyOf(type));
    if (store === undefined) throw new RangeError(`no store of ${type.plural}`);
    return store;
  }

  /** True once every store is. */
  get hasSynced(): boolean {
    return this.#stores.values().every((store) => store.hasSynced);
  }

  written(type: ResourceType, object: KubeObject, partial: boolean): void {
    const store = this.#stores.get(keyOf(type));
    // Metadata alone would take spec and status away from a store that has them; the watch will bring the whole.
    if (store !== undefined && (!partial || store.metadataOnly)) store.put(object);
  }

  deleted(type: ResourceType, id: ObjectId, uid: string | undefined): void {
    this.#stores.get(keyOf(type))?.noteDeleted(id.namespace, id.name, uid);
  }
}

/** Versions of a kind are views of the same objects. */
function keyOf({ group, plural }: Pick<ResourceType, "group" | "plural">): string {
  return `${group}/${plural}`;
}
