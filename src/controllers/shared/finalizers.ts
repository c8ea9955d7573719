import type { KubeClient } from "../../kube/client.ts";
import { addFinalizerPatch, removeFinalizerPatch } from "../../kube/finalizers.ts";
import { type JsonPatchOperation, pointer } from "../../kube/json-patch.ts";
import type { KubeObject, ResourceType } from "../../resources/meta.ts";

/** Who writes to Kubernetes, as managedFields and events name it. */
export const FIELD_MANAGER = "baas-operator";

/** An object and its kind. */
export interface FinalizerTarget {
  readonly type: ResourceType;
  readonly object: KubeObject;
}

function idOf({ metadata }: KubeObject): { readonly namespace: string; readonly name: string } {
  return { namespace: metadata.namespace ?? "", name: metadata.name };
}

/**
 * Adds our finalizer; needed before the first remote write (engine.md §5). Idempotent.
 *
 * @returns the object as it is now, the very one that was given but for the finalizer; undefined when it had that already
 * @throws KubeError Conflict when the object changed meanwhile: read again
 */
export async function ensureFinalizer(
  kube: KubeClient,
  { type, object }: FinalizerTarget,
  finalizer: string,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const patch = addFinalizerPatch(object, finalizer);
  if (patch === undefined) return undefined;
  const unchanged: JsonPatchOperation = {
    op: "test",
    path: pointer("metadata", "resourceVersion"),
    value: object.metadata.resourceVersion,
  };
  return kube.patchJson(type, idOf(object), [unchanged, ...patch], { fieldManager: FIELD_MANAGER, signal });
}

/**
 * Takes our finalizer away, and only ours. Idempotent.
 *
 * @throws KubeError Conflict when the list changed meanwhile: read again
 */
export async function removeFinalizer(
  kube: KubeClient,
  { type, object }: FinalizerTarget,
  finalizer: string,
  signal: AbortSignal,
): Promise<void> {
  const patch = removeFinalizerPatch(object, finalizer);
  if (patch !== undefined) await kube.patchJson(type, idOf(object), patch, { fieldManager: FIELD_MANAGER, signal });
}
