import { sharing } from "../../base/sharing.ts";
import type { StoreReader } from "../../kube/store.ts";
import type { KubeObject, ObjectMeta, ResourceType } from "../../resources/meta.ts";
import type { RefusedSections } from "../../resources/read-spec.ts";

/** An object of a kind of ours, read and checked; shared with the store, so never to be changed. */
export interface ManagedObject<Spec, Status> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: Spec;
  readonly status: Status;
  /** what of the spec is wrong and left out of it, by section */
  readonly refused?: RefusedSections;
  /** of an object under deletion whose spec cannot be read whole: what is wrong of that */
  readonly unread?: string;
}

/** An object that cannot be read, by what its status says: that it has something remotely is as true as before. */
export interface UnreadObject<Status> {
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec?: undefined;
  readonly status: Status;
  /** what is wrong of it */
  readonly unread: string;
}

/** As far as it can be read. */
export type KnownObject<Spec, Status> = ManagedObject<Spec, Status> | UnreadObject<Status>;

export type Parsed<Spec, Status> =
  | { readonly ok: true; readonly object: ManagedObject<Spec, Status> }
  | { readonly ok: false; readonly message: string };

/** How objects of a kind are read; a KindDefinition of resources is one. */
export interface KindReader<Spec, Status> {
  readonly type: ResourceType;
  parse(object: KubeObject): Parsed<Spec, Status>;
  /** The status alone, where the spec cannot be read or does not matter. */
  parseStatus(object: KubeObject): Status;
  /** As `parse`, of an object under deletion: what says how that is to be is enough. */
  parseDeleted(object: KubeObject): Parsed<Spec, Status>;
}

/** The function, computed once for each object; objects are shared and never changed. */
export function remembering<Value>(read: (object: KubeObject) => Value): (object: KubeObject) => Value {
  const known = new WeakMap<KubeObject, { readonly value: Value }>();
  return (object) => {
    const entry = known.get(object) ?? { value: read(object) };
    known.set(object, entry);
    return entry.value;
  };
}

/** A reader that reads each version of an object once: indexes, handlers and reconcilers ask for the same ones. */
export function cachingReader<Spec, Status>(kind: KindReader<Spec, Status>): KindReader<Spec, Status> {
  return {
    type: kind.type,
    parse: remembering((object) => {
      const parsed = kind.parse(object);
      return parsed.ok ? { ok: true, object: sharing(parsed.object, object) } : parsed;
    }),
    parseStatus: remembering((object) => kind.parseStatus(object)),
    parseDeleted: (object) => kind.parseDeleted(object),
  };
}

/** The objects of one kind of ours as reconcilers see them: read and checked. */
export class ObjectStore<Spec, Status> {
  readonly kind: KindReader<Spec, Status>;
  readonly reader: StoreReader;

  constructor(kind: KindReader<Spec, Status>, reader: StoreReader) {
    this.kind = kind;
    this.reader = reader;
  }

  /** The object as stored, checked or not. */
  raw(namespace: string, name: string): KubeObject | undefined {
    return this.reader.get(namespace, name);
  }

  /** The object of that name, if it is there and can be read. */
  get(namespace: string, name: string): ManagedObject<Spec, Status> | undefined {
    const object = this.reader.get(namespace, name);
    return object === undefined ? undefined : this.#read(object);
  }

  /** The readable objects, of one namespace or of all. */
  list(namespace?: string): readonly ManagedObject<Spec, Status>[] {
    return this.reader
      .list(namespace)
      .map((object) => this.#read(object))
      .filter((object) => object !== undefined);
  }

  /** The readable objects that the index names. */
  byIndex(index: string, value: string): readonly ManagedObject<Spec, Status>[] {
    return this.reader
      .byIndex(index, value)
      .map((object) => this.#read(object))
      .filter((object) => object !== undefined);
  }

  /** What the index names: the readable objects, and by their status those that cannot be read. */
  recordsByIndex(index: string, value: string): readonly KnownObject<Spec, Status>[] {
    return this.reader.byIndex(index, value).map((object) => this.known(object));
  }

  /** The object as far as it can be read. */
  known(object: KubeObject): KnownObject<Spec, Status> {
    const parsed = this.kind.parse(object);
    if (parsed.ok) return parsed.object;
    const { kind, metadata } = object;
    return { kind, metadata, status: this.kind.parseStatus(object), unread: parsed.message };
  }

  parse(object: KubeObject): Parsed<Spec, Status> {
    return this.kind.parse(object);
  }

  #read(object: KubeObject): ManagedObject<Spec, Status> | undefined {
    const parsed = this.kind.parse(object);
    return parsed.ok ? parsed.object : undefined;
  }
}
