/**
 * src/runtime: controller machinery, generic over keys: work queue, worker pool, outcomes, leader election, start and stop order, probes
 * and metrics. It never knows a kind of ours, the Management API, or what a reconciler does; of Kubernetes it knows leases alone.
 *
 * This file: the name of a thing to reconcile.
 */

/** What a reconciler gets: the name of an object, never the event or the object. `namespace` is "" for cluster-scoped kinds. */
export interface Key {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** A key as one string, usable in maps: `Project/shop-ns/shop`. Kubernetes names hold no slash, so two keys never share one. */
export function keyToString(key: Key): string {
  return `${key.kind}/${key.namespace}/${key.name}`;
}
