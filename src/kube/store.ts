import { errorFields } from "../base/error-facts.ts";
import type { Logger } from "../base/log.ts";
import { silentLogger } from "../base/log.ts";
import type { KubeObject, ResourceType } from "../resources/meta.ts";
import { Deletions } from "./deletions.ts";
import type { Indexers } from "./object-index.ts";
import { ObjectIndex } from "./object-index.ts";
import type { Order } from "./resource-version.ts";
import { compareResourceVersions } from "./resource-version.ts";
import type { StoreChange, Replacement, StoreSource } from "./store-source.ts";
import { Source } from "./store-source.ts";
import type { Transform } from "./transform.ts";
import { metadataAlone, withoutNoise } from "./transform.ts";

/** What reconcilers see of a store. Objects are shared: never change them. */
export interface StoreReader {
  readonly type: ResourceType;
  /** True once every source has delivered its first full list. */
  readonly hasSynced: boolean;
  readonly size: number;
  /** @param namespace "" for cluster-scoped kinds */
  get(namespace: string, name: string): KubeObject | undefined;
  list(namespace?: string): readonly KubeObject[];
  /** The objects for which the indexer `index` names `value`; throws a RangeError when there is no such index. */
  byIndex(index: string, value: string): readonly KubeObject[];
}

/** Told synchronously of every change, after the store shows it. What a handler throws is logged and goes no further. */
export interface StoreHandler {
  added(object: KubeObject): void;
  updated(previous: KubeObject, object: KubeObject): void;
  /** @param object the last state that is known */
  deleted(object: KubeObject): void;
  /** Every source has delivered its first full list: what is not in the store now is not there. Not for who comes later: see `hasSynced`. */
  synced?(): void;
}

const HANDLER_FAILED = "a store handler failed";

interface StoreOptions {
  readonly type: ResourceType;
  readonly indexers?: Indexers;
  /** Only metadata is stored, and watched by the reflectors of this store; for Secrets and ConfigMaps. */
  readonly metadataOnly?: boolean;
  /** What to keep of an object; default: everything but managedFields and kubectl's copy of the manifest. */
  readonly transform?: Transform;
  readonly log?: Logger;
}

/**
 * The objects of one kind, as of the last list, watch event or own write, whichever is newest.
 *
 * Guarantees, where resourceVersions are comparable (resource-version.ts; else equality is all there is): an object never goes back to an
 * older version; the response of an own write is there at once (`put`, `noteDeleted`) and older events and lists do not undo it; a
 * late answer does not bring back what has been deleted meanwhile (engine.md §8 "Read your own writes"). Handlers see each
 * version at most once, and an object made again under its name as deleted, then added. Versions of one generation share their spec.
 */
export class Store implements StoreReader {
  readonly type: ResourceType;
  readonly metadataOnly: boolean;
  readonly #objects: ObjectIndex;
  readonly #transform: Transform;
  readonly #log: Logger;
  readonly #sources: Source[] = [];
  readonly #handlers = new Set<StoreHandler>();
  readonly #deletions = new Deletions();

  constructor(options: StoreOptions) {
    this.type = options.type;
    this.#log = (options.log ?? silentLogger).child({ store: options.type.plural });
    this.#objects = new ObjectIndex(options.indexers ?? {}, this.#log);
    this.metadataOnly = options.metadataOnly ?? false;
    this.#transform = this.metadataOnly ? metadataAlone : (options.transform ?? withoutNoise);
  }

  get hasSynced(): boolean {
    return this.#sources.length > 0 && this.#sources.every((source) => source.synced);
  }

  get size(): number {
    return this.#objects.size;
  }

  get(namespace: string, name: string): KubeObject | undefined {
    return this.#objects.get(namespace, name);
  }

  list(namespace?: string): readonly KubeObject[] {
    return Array.from(this.#objects.objects(namespace));
  }

  byIndex(index: string, value: string): readonly KubeObject[] {
    return this.#objects.byIndex(index, value);
  }

  /** Tells `handler` of every object there is, then of every change. The returned function ends that. */
  addHandler(handler: StoreHandler): () => void {
    this.#handlers.add(handler);
    for (const object of this.#objects.objects()) this.#tell(handler, { kind: "added", object });
    return () => void this.#handlers.delete(handler);
  }

  /**
   * Registers a list and watch; the store is in sync when all are. Own writes outside of every source's namespace are not kept, since no
   * event would ever correct them.
   *
   * @param namespace absent: all namespaces, or a cluster-scoped kind
   */
  source(namespace?: string): StoreSource {
    const source = new Source(namespace, {
      changesTo: (object) => this.#changesTo(object),
      changesByRemoval: (object) => this.#changesByRemoval(object),
      changesByReplacement: (replacement) => this.#changesByReplacement(replacement),
      apply: (changes) => this.#apply(changes),
      synced: () => this.#tellSynced(),
    });
    this.#sources.push(source);
    return source;
  }

  /** Takes the response of an own write, unless something newer is known. */
  put(object: KubeObject): void {
    const { namespace = "", name, resourceVersion } = object.metadata;
    const source = this.#sourceOf(namespace);
    if (source === undefined) return;
    // Everything up to the source's position was delivered: what is not stored, and is not newer, has been deleted since.
    if (this.get(namespace, name) === undefined && source.position !== undefined) {
      const order = compareResourceVersions(resourceVersion, source.position);
      if (order === "older" || order === "same") return;
    }
    this.#apply(this.#changesTo(object));
  }

  /** Takes the response of an own deletion that left nothing behind. Without `uid`, the object of that name as it is stored. */
  noteDeleted(namespace: string, name: string, uid?: string): void {
    const current = this.get(namespace, name);
    const deletedUid = uid ?? current?.metadata.uid;
    if (deletedUid === undefined) return;
    this.#deletions.noteUid(deletedUid);
    if (current?.metadata.uid !== deletedUid) return;
    this.#deletions.noteVersion(nameOf(current), current.metadata.resourceVersion);
    this.#apply([{ kind: "deleted", object: current }]);
  }

  #sourceOf(namespace: string): Source | undefined {
    return this.#sources.find((source) => source.covers(namespace));
  }

  #changesTo(raw: KubeObject): readonly StoreChange[] {
    const previous = this.get(raw.metadata.namespace ?? "", raw.metadata.name);
    const order = previous === undefined ? "newer" : orderOf(raw, previous);
    if (order === "older" || order === "same" || this.#deletions.isPast(nameOf(raw), raw)) return [];
    if (!this.#deletions.hasUid(raw.metadata.uid)) {
      return this.#step(previous, withSpecOf(previous, this.#transform(raw)));
    }
    // It is gone, and so is what had its name before.
    this.#deletions.noteVersion(nameOf(raw), raw.metadata.resourceVersion);
    return previous !== undefined && order === "newer" ? [{ kind: "deleted", object: previous }] : [];
  }

  /** From one version to the next; an object made again under its name is another object. */
  #step(previous: KubeObject | undefined, object: KubeObject): readonly StoreChange[] {
    if (previous === undefined) return [{ kind: "added", object }];
    if (previous.metadata.uid === object.metadata.uid) return [{ kind: "updated", previous, object }];
    return [
      { kind: "deleted", object: previous },
      { kind: "added", object },
    ];
  }

  #changesByRemoval(raw: KubeObject): readonly StoreChange[] {
    const { namespace = "", name, uid } = raw.metadata;
    const current = this.get(namespace, name);
    if (current === undefined) return [];
    if (current.metadata.uid === uid) return [{ kind: "deleted", object: this.#transform(raw) }];
    // Another object of that name: gone too if it is older than the deletion, since a name stands for one object at a time.
    return orderOf(current, raw) === "older" ? [{ kind: "deleted", object: current }] : [];
  }

  #changesByReplacement({ namespace: scope, objects, version, rewound }: Replacement): readonly StoreChange[] {
    if (rewound) this.#deletions.clear(); // a restored etcd brings deleted objects back with their uids
    const listed = new Set(objects.map((object) => nameOf(object)));
    const changes: StoreChange[] = [];
    for (const object of this.#objects.objects(scope)) {
      if (listed.has(nameOf(object))) continue;
      const { resourceVersion } = object.metadata;
      const writtenSince = version !== undefined && compareResourceVersions(resourceVersion, version) === "newer";
      if (writtenSince && !rewound) continue;
      changes.push({ kind: "deleted", object });
    }
    for (const object of objects) changes.push(...(rewound ? this.#restorationOf(object) : this.#changesTo(object)));
    return changes;
  }

  /** As #changesTo, but whatever is stored gives way. */
  #restorationOf(raw: KubeObject): readonly StoreChange[] {
    const previous = this.get(raw.metadata.namespace ?? "", raw.metadata.name);
    if (previous !== undefined && orderOf(raw, previous) === "same") return [];
    return this.#step(previous, this.#transform(raw));
  }

  /** All changes first, then the handlers: each sees the store as it stands after the whole list. */
  #apply(changes: readonly StoreChange[]): void {
    for (const { kind, object } of changes) {
      if (kind === "deleted") this.#objects.delete(object.metadata.namespace ?? "", object.metadata.name);
      else this.#objects.set(object);
    }
    for (const change of changes) {
      for (const handler of this.#handlers) this.#tell(handler, change);
    }
  }

  #tellSynced(): void {
    if (!this.hasSynced) return;
    for (const handler of this.#handlers) {
      try {
        handler.synced?.();
      } catch (error) {
        this.#log.error({ ...errorFields(error), change: "synced" }, HANDLER_FAILED);
      }
    }
  }

  #tell(handler: StoreHandler, change: StoreChange): void {
    try {
      switch (change.kind) {
        case "added":
          return handler.added(change.object);
        case "updated":
          return handler.updated(change.previous, change.object);
        case "deleted":
          return handler.deleted(change.object);
        default: {
          const never: never = change;
          return never;
        }
      }
    } catch (error) {
      const { namespace, name } = change.object.metadata;
      this.#log.error({ ...errorFields(error), change: change.kind, namespace, name }, HANDLER_FAILED);
    }
  }
}

/** With the very spec of the version before it where that is the same one by its generation: what is made of a spec is made once for each. */
function withSpecOf(previous: KubeObject | undefined, object: KubeObject): KubeObject {
  const { uid, generation } = object.metadata;
  if (generation === undefined || previous?.metadata.uid !== uid || !("spec" in object)) return object;
  return generation === previous.metadata.generation ? { ...object, spec: previous["spec"] } : object;
}

function orderOf(a: KubeObject, b: KubeObject): Order {
  return compareResourceVersions(a.metadata.resourceVersion, b.metadata.resourceVersion);
}

function nameOf(object: KubeObject): string {
  return `${object.metadata.namespace ?? ""}/${object.metadata.name}`;
}
