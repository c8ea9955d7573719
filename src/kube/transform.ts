import type { KubeObject } from "../resources/meta.ts";

/** Makes of an object what a store keeps of it. Never changes its argument. */
export type Transform = (object: KubeObject) => KubeObject;

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/**
 * Leaves out what no reconciler reads and what is often most of an object: `managedFields`, and kubectl's copy of the manifest. Whoever
 * builds a patch on a stored object must therefore patch single annotations, never replace the whole map.
 */
export const withoutNoise: Transform = (object) => {
  const { managedFields: _, ...metadata } = object.metadata;
  const { annotations } = metadata;
  if (annotations?.[lastApplied] === undefined) return { ...object, metadata };
  const { [lastApplied]: __, ...rest } = annotations;
  return { ...object, metadata: { ...metadata, annotations: rest } };
};

/**
 * Leaves only what names the object and its metadata, whatever answered: the full response of a write to a Secret must not bring
 * its values into a store that is fed by a metadata-only watch.
 */
export const metadataAlone: Transform = (object) => {
  const { apiVersion, kind, metadata } = withoutNoise(object);
  return { apiVersion, kind, metadata };
};
