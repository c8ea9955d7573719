import type { ObjectMeta } from "../../resources/meta.ts";

/** How an output is told from other objects, and a write of the operator's to it from one of somebody else's. */

/** Label of every output: beside it, the ownerReference says whose it is, which others may write to objects of theirs as well. */
export const OUTPUT_LABEL = { name: "baas.dev/output", value: "connection" } as const;

/**
 * Annotation of an output that every write of the operator's changes, to the resourceVersion that it took the place of: a change that leaves it as it
 * was is somebody else's.
 */
export const REPLACED_VERSION = "baas.dev/replaced-version";

/** Annotation of an output: the ref of the project or branch that all of it is of. */
export const OUTPUT_OF = "baas.dev/output-of";

/** What an output tells of. */
export interface Described {
  /** of the project or branch */
  readonly ref: string;
  /** when the platform made that, as it says */
  readonly createdAt: string;
}

/** How far the clocks of platform and cluster may be apart, milliseconds. */
const CLOCKS_APART_MS = 60_000;

/**
 * Whether an output is of that very project or branch. One that does not say so, as older versions left them, is of the one that there is, unless it was
 * there before that.
 */
export function isOfRef(
  { annotations, creationTimestamp = "" }: Pick<ObjectMeta, "annotations" | "creationTimestamp">,
  { ref, createdAt }: Described,
): boolean {
  const marked = annotations?.[OUTPUT_OF];
  if (marked !== undefined) return marked === ref;
  // A time that cannot be read takes nothing away.
  return !(Date.parse(creationTimestamp) + CLOCKS_APART_MS < Date.parse(createdAt));
}

export function isOutput({ labels }: Pick<ObjectMeta, "labels">): boolean {
  return labels?.[OUTPUT_LABEL.name] === OUTPUT_LABEL.value;
}

/** Whether the operator ever wrote it as an output: where somebody took its label away, by the annotation that each version has left with each write. */
export function wasOutput({ labels, annotations }: Pick<ObjectMeta, "labels" | "annotations">): boolean {
  return isOutput({ labels }) || annotations?.[REPLACED_VERSION] !== undefined;
}

/** Whether an object with that uid owns it. */
export function isOwnedBy({ ownerReferences = [] }: Pick<ObjectMeta, "ownerReferences">, uid: string): boolean {
  return ownerReferences.some((owner) => owner.uid === uid);
}

/** Whether the newer of two versions was written by somebody else. */
export function isForeignWrite(before: ObjectMeta, now: ObjectMeta): boolean {
  const replaced = now.annotations?.[REPLACED_VERSION];
  return replaced === undefined || replaced === before.annotations?.[REPLACED_VERSION];
}
