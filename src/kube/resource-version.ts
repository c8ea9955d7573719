/**
 * Which of two versions of one kind of object is newer.
 *
 * resourceVersions are decimal integers of any length that grow with every write of the kind; comparing them is documented API since
 * Kubernetes 1.35 (KEP-5504) and has been true of every apiserver on etcd before. Anything else that serves the API may hand
 * out opaque ones: those can only be equal or not.
 */

/** How a resourceVersion stands to another one; `incomparable` when they differ and either is not a plain integer. */
export type Order = "older" | "same" | "newer" | "incomparable";

const integer = /^[1-9]\d*$/;

/** How `a` stands to `b`. */
export function compareResourceVersions(a: string, b: string): Order {
  if (a === b) return "same";
  if (!integer.test(a) || !integer.test(b)) return "incomparable";
  if (a.length !== b.length) return a.length < b.length ? "older" : "newer";
  return a < b ? "older" : "newer";
}
