import { z } from "zod";

/** Annotations and finalizers of ours, and what the recorded ones hold. */

/** API group of our kinds; prefix of annotations and finalizers. */
export const apiGroup = "baas.dev";
export const apiVersion = "v1alpha1";

export const annotations = {
  /** "true" stops reconciling, not deletion. */
  paused: "baas.dev/paused",
  /** Any new value asks for one reconcile now; echoed in status.lastHandledReconcileAt. */
  reconcileAt: "baas.dev/reconcile-at",
  /** The identity of the remote thing, as an `Ownership` in JSON. Written by the operator. */
  ref: "baas.dev/ref",
  /** The old ref of a missing project or branch: a new one may be created in its place. */
  recreate: "baas.dev/recreate",
  /** The ref of something that cannot be deleted: the object may go and leave it. */
  release: "baas.dev/release",
} as const;

/** What the annotations do that people set. */
const help: readonly (readonly [name: string, effect: string])[] = [
  [annotations.paused, '"true" stops reconciling, not deletion'],
  [annotations.reconcileAt, "<anything new> asks for a look now"],
  [annotations.recreate, "<old ref> lets a missing project or branch be created again"],
  [annotations.release, "<ref> lets go of what cannot be deleted"],
];

/** Those that a kind takes, for `kubectl explain`. @param taken names of its annotations */
export function annotationHelp(taken: readonly string[]): string {
  const own = help.filter(([name]) => taken.includes(name));
  return `Annotations: ${own.map(([name, effect]) => `${name}: ${effect}`).join("; ")}.`;
}

/** Whether an object's annotation stops reconciling: the text "true", and nothing else that may stand there. */
export function isPaused(metadata: { readonly annotations?: Readonly<Record<string, string>> | undefined }): boolean {
  return metadata.annotations?.[annotations.paused] === "true";
}

export const finalizers = {
  /** On every object that has, or may soon have, something remote. */
  remote: "baas.dev/finalizer",
  /** On a connection while objects depend on it. */
  connectionInUse: "baas.dev/connection-in-use",
  /** On the Secrets of a connection's credential (switch `credentialProtection`). */
  credential: "baas.dev/credential-protection",
} as const;

/**
 * What the annotation `baas.dev/ref` records (engine.md §4). It counts as the identity of the remote thing only if everything but `ref` and
 * `id` matches where it is read; anything else is a request for adoption.
 */
export const ownershipSchema = z.object({
  /** Ref of the project or branch; for what lives inside one, the ref of that. */
  ref: z.string().min(1),
  /** Id or name inside `ref`, for what has no ref of its own. */
  id: z.string().min(1).optional(),
  /** Whose credential created or adopted it. */
  identity: z.string().min(1),
  /** namespace/name of the object. */
  object: z.string().min(1),
  /** uid of the namespace kube-system, which tells clusters apart. */
  cluster: z.string().min(1),
});
export type Ownership = Readonly<z.infer<typeof ownershipSchema>>;

/** The annotation's value. Members stand in a fixed order, so that equal records are equal text. */
export function formatOwnership(ownership: Ownership): string {
  const { ref, id, identity, object, cluster } = ownership;
  return JSON.stringify({ ref, ...(id === undefined ? {} : { id }), identity, object, cluster });
}

/** Reads the annotation's value; undefined for text that is no record, such as a bare ref that a person typed. */
export function parseOwnership(text: string): Ownership | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const parsed = ownershipSchema.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

/** Whether two records name the same owner; what is owned may differ. */
export function sameOwner(one: Ownership, other: Ownership): boolean {
  return one.identity === other.identity && one.object === other.object && one.cluster === other.cluster;
}
