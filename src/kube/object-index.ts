import { errorFields } from "../base/error-facts.ts";
import type { Logger } from "../base/log.ts";
import type { KubeObject } from "../resources/meta.ts";

/** The values under which an object is found in an index; none leaves it out. Pure; one that throws leaves the object out and is logged. */
export type Indexer = (object: KubeObject) => readonly string[];

/** Indexers by the name of their index. */
export type Indexers = Readonly<Record<string, Indexer>>;

interface IndexedObject {
  readonly object: KubeObject;
  /** Values in the order of the indexes, kept so that removing an object does not depend on its indexers giving the same answer twice. */
  readonly values: readonly (readonly string[])[];
}

interface Index {
  readonly name: string;
  readonly indexer: Indexer;
  readonly members: Members;
}

const NO_VALUES: readonly string[] = [];

/** Objects by name, and by whatever their indexers say. Knows nothing of versions: what is set stands. */
export class ObjectIndex {
  readonly #indexes: readonly Index[];
  readonly #log: Logger;
  readonly #byNamespace = new Map<string, Map<string, IndexedObject>>();
  #size = 0;

  constructor(indexers: Indexers, log: Logger) {
    this.#indexes = Object.entries(indexers).map(([name, indexer]) => ({ name, indexer, members: new Members() }));
    this.#log = log;
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
    const found = this.#indexes.find(({ name }) => name === index);
    if (found === undefined) throw new RangeError(`no index named ${index}`);
    return found.members.of(value).map((entry) => entry.object);
  }

  /** Takes the place of the object of that name, if any. */
  set(object: KubeObject): void {
    const { namespace = "", name } = object.metadata;
    this.delete(namespace, name);
    const entry: IndexedObject = { object, values: this.#valuesOf(object) };
    const entries = this.#byNamespace.get(namespace) ?? new Map<string, IndexedObject>();
    this.#byNamespace.set(namespace, entries.set(name, entry));
    this.#size++;
    for (const [index, { members }] of this.#indexes.entries()) {
      for (const value of entry.values[index] ?? NO_VALUES) members.add(value, entry);
    }
  }

  delete(namespace: string, name: string): void {
    const entries = this.#byNamespace.get(namespace);
    const entry = entries?.get(name);
    if (entries === undefined || entry === undefined) return;
    entries.delete(name);
    if (entries.size === 0) this.#byNamespace.delete(namespace);
    this.#size--;
    for (const [index, { members }] of this.#indexes.entries()) {
      for (const value of entry.values[index] ?? NO_VALUES) members.delete(value, entry);
    }
  }

  #valuesOf(object: KubeObject): IndexedObject["values"] {
    return this.#indexes.map(({ name: index, indexer }) => {
      try {
        const found = indexer(object);
        return found.length === 0 ? NO_VALUES : found;
      } catch (error) {
        const { namespace, name } = object.metadata;
        this.#log.error({ ...errorFields(error), index, namespace, name }, "an indexer failed on an object");
        return NO_VALUES;
      }
    });
  }
}

/** The objects that stand under each value of an index. Most values are of one object alone, which then takes no set of its own. */
class Members {
  readonly #byValue = new Map<string, IndexedObject | Set<IndexedObject>>();

  of(value: string): readonly IndexedObject[] {
    const found = this.#byValue.get(value);
    if (found === undefined) return [];
    return found instanceof Set ? [...found] : [found];
  }

  add(value: string, entry: IndexedObject): void {
    const found = this.#byValue.get(value);
    if (found === undefined) this.#byValue.set(value, entry);
    else if (found instanceof Set) found.add(entry);
    else if (found !== entry) this.#byValue.set(value, new Set([found, entry]));
  }

  delete(value: string, entry: IndexedObject): void {
    const found = this.#byValue.get(value);
    if (found === entry) this.#byValue.delete(value);
    if (!(found instanceof Set) || !found.delete(entry) || found.size > 1) return;
    for (const last of found) this.#byValue.set(value, last);
  }
}
