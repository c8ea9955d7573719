/** What a reconciler gets: the name of an object, never the event or the object. `namespace` is "" for cluster-scoped kinds. */
export interface Key {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** A key as one string, usable in maps: `Project/shop-ns/shop`. */
export function keyToString(key: Key): string {
  return `${key.kind}/${key.namespace}/${key.name}`;
}
