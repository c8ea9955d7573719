import { errorFields } from "../base/error-facts.ts";
import type { Logger } from "../base/log.ts";
import type { KubeObject } from "../resources/meta.ts";

/** The values under which an object is found in an index; none leaves it out. Pure; one that throws leaves the object out and is logged. */
export type Indexer = (object: KubeObject) => readonly string[];

/** Indexers by the name of their index. */
export type Indexers = Readonly<Record<string, Indexer>>;

interface IndexedObject {
  readonly object: KubeObject;
  /** Values by index, kept so that removing an object does not depend on its indexers giving the same answer twice. */
  readonly values: ReadonlyMap<string, readonly string[]>;
}

/** Objects by name, and by whatever their indexers say. Knows nothing of versions: what is set stands. */
export class ObjectIndex {
  readonly #indexers: Indexers;
  readonly #log: Logger;
  readonly #byNamespace = new Map<string, Map<string, IndexedObject>>();
  readonly #indexes = new Map<string, Map<string, Set<IndexedObject>>>();
  #size = 0;

  constructor(indexers: Indexers, log: Logger) {
    this.#indexers = indexers;
    this.#log = log;
    for (const name of Object.keys(indexers)) this.#indexes.set(name, new Map());
  }

  get size(): number {
    return this.#size;
  }

  /** @param namespace "" for cluster-scoped kinds */
  get(namespace: string, name: string): KubeObject | undefined {
    return this.#byNamespace.get(namespace)?.get(name)?.object;
  }

  /** All objects, or those of one namespace. */
  *objects(namespace?: string): Generator<KubeObject, void, undefined> {
    const maps = namespace === undefined ? this.#byNamespace.values() : [this.#byNamespace.get(namespace)];
    for (const entries of maps) {
      if (entries === undefined) continue;
      for (const entry of entries.values()) yield entry.object;
    }
  }

  /** The objects for which the indexer `index` names `value`; throws a RangeError when there is no such index. */
  byIndex(index: string, value: string): readonly KubeObject[] {
    const values = this.#indexes.get(index);
    if (values === undefined) throw new RangeError(`no index named ${index}`);
    return Array.from(values.get(value) ?? [], (entry) => entry.object);
  }

  /** Takes the place of the object of that name, if any. */
  set(object: KubeObject): void {
    const { namespace = "", name } = object.metadata;
    this.delete(namespace, name);
    const entry: IndexedObject = { object, values: this.#valuesOf(object) };
    const entries = this.#byNamespace.get(namespace) ?? new Map<string, IndexedObject>();
    this.#byNamespace.set(namespace, entries.set(name, entry));
    this.#size++;
    for (const [index, values] of entry.values) {
      for (const value of values) {
        const members = this.#indexes.get(index)?.get(value);
        if (members === undefined) this.#indexes.get(index)?.set(value, new Set([entry]));
        else members.add(entry);
      }
    }
  }

  delete(namespace: string, name: string): void {
    const entries = this.#byNamespace.get(namespace);
    const entry = entries?.get(name);
    if (entries === undefined || entry === undefined) return;
    entries.delete(name);
    if (entries.size === 0) this.#byNamespace.delete(namespace);
    this.#size--;
    for (const [index, values] of entry.values) {
      for (const value of values) {
        const members = this.#indexes.get(index)?.get(value);
        members?.delete(entry);
        if (members?.size === 0) this.#indexes.get(index)?.delete(value);
      }
    }
  }

  #valuesOf(object: KubeObject): ReadonlyMap<string, readonly string[]> {
    const values = new Map<string, readonly string[]>();
    for (const [name, indexer] of Object.entries(this.#indexers)) {
      try {
        const found = indexer(object);
        if (found.length > 0) values.set(name, found);
      } catch (error) {
        const { namespace, name: objectName } = object.metadata;
        this.#log.error(
          { ...errorFields(error), index: name, namespace, name: objectName },
          "an indexer failed on an object",
        );
      }
    }
    return values;
  }
}
