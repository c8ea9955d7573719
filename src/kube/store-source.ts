import type { KubeObject } from "../resources/meta.ts";

/** The write side of a store for one reflector: one list and watch of all namespaces or of one. */
export interface StoreSource {
  readonly synced: boolean;
  /**
   * A complete list as of `resourceVersion`: what is missing in it is deleted, except what we wrote after it was taken.
   *
   * @param options.rewound the server's history went backwards (etcd was restored): the list is the truth, whatever is stored
   */
  replace(objects: readonly KubeObject[], resourceVersion: string, options?: { readonly rewound?: boolean }): void;
  /** An ADDED or MODIFIED event. */
  upsert(object: KubeObject): void;
  /** A DELETED event, with the last state. */
  remove(object: KubeObject): void;
  /** All events up to `resourceVersion` were delivered (a bookmark, or an event that could not be read). */
  advance(resourceVersion: string): void;
  /** The kind does not exist on this server: nothing is stored, and that is in sync. */
  absent(): void;
}

export type StoreChange =
  | { readonly kind: "added"; readonly object: KubeObject }
  | { readonly kind: "updated"; readonly previous: KubeObject; readonly object: KubeObject }
  | { readonly kind: "deleted"; readonly object: KubeObject };

/** A full list, or the absence of the kind (no version). */
export interface Replacement {
  readonly namespace: string | undefined;
  readonly objects: readonly KubeObject[];
  readonly version: string | undefined;
  readonly rewound: boolean;
}

/** What a source needs of its store: the changes that a piece of news makes, and their execution. */
export interface SourceTarget {
  changesTo(object: KubeObject): readonly StoreChange[];
  changesByRemoval(object: KubeObject): readonly StoreChange[];
  changesByReplacement(replacement: Replacement): readonly StoreChange[];
  /** Makes the changes and tells the handlers. */
  apply(changes: readonly StoreChange[]): void;
  /** A source has delivered its first full list, of whose changes the handlers were told. */
  synced(): void;
}

/** Follows how far one list and watch has come. Position and sync stand before handlers are told. */
export class Source implements StoreSource {
  readonly #namespace: string | undefined;
  readonly #target: SourceTarget;
  #position: string | undefined;
  #synced = false;

  constructor(namespace: string | undefined, target: SourceTarget) {
    this.#namespace = namespace;
    this.#target = target;
  }

  get synced(): boolean {
    return this.#synced;
  }

  /** Everything up to this version was delivered; undefined before the first list. */
  get position(): string | undefined {
    return this.#position;
  }

  covers(namespace: string): boolean {
    return this.#namespace === undefined || this.#namespace === namespace;
  }

  replace(objects: readonly KubeObject[], version: string, options?: { readonly rewound?: boolean }): void {
    this.#replaceAll(objects, version, options?.rewound ?? false);
  }

  absent(): void {
    this.#replaceAll([], undefined, false);
  }

  upsert(object: KubeObject): void {
    const changes = this.#target.changesTo(object);
    this.#position = object.metadata.resourceVersion;
    this.#target.apply(changes);
  }

  remove(object: KubeObject): void {
    const changes = this.#target.changesByRemoval(object);
    this.#position = object.metadata.resourceVersion;
    this.#target.apply(changes);
  }

  advance(resourceVersion: string): void {
    this.#position = resourceVersion;
  }

  #replaceAll(objects: readonly KubeObject[], version: string | undefined, rewound: boolean): void {
    const changes = this.#target.changesByReplacement({ namespace: this.#namespace, objects, version, rewound });
    this.#position = version;
    const isFirst = !this.#synced;
    this.#synced = true;
    this.#target.apply(changes);
    if (isFirst) this.#target.synced();
  }
}
