import type { ObjectMeta } from "../../resources/meta.ts";

/** How an output is told from other objects, and a write of the operator's to it from one of somebody else's. */

/** Label of every output: beside it, the ownerReference says whose it is. */
export const OUTPUT_LABEL = { name: "baas.dev/output", value: "connection" } as const;

/**
 * Annotation of an output that every write of the operator's changes, to the resourceVersion that it took the place of: a change that leaves it as it
 * was is somebody else's.
 */
export const REPLACED_VERSION = "baas.dev/replaced-version";

/** Annotation of an output: the ref of the project or branch that all of it is of. One that lacks it may be of any. */
export const OUTPUT_OF = "baas.dev/output-of";

/** Whether an output is of that very project or branch. */
export function isOfRef({ annotations }: Pick<ObjectMeta, "annotations">, ref: string): boolean {
  return annotations?.[OUTPUT_OF] === ref;
}

export function isOutput({ labels }: Pick<ObjectMeta, "labels">): boolean {
  return labels?.[OUTPUT_LABEL.name] === OUTPUT_LABEL.value;
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
