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

/** How our finalizer is put on an object. */
export interface Protection {
  readonly finalizer: string;
  /** the version that the object must still have: as read, or as our own last write to it left it */
  readonly version: string;
  /** an annotation that is due at the same moment */
  readonly annotation?: { readonly name: string; readonly value: string } | undefined;
  readonly signal: AbortSignal;
}

/**
 * Adds our finalizer; needed before the first remote write (engine.md §5). Idempotent: where it is there, nothing is written, the annotation
 * neither.
 *
 * @returns the object as it is now: what was given, with what was added and our own status; undefined when it had the finalizer already
 * @throws KubeError Conflict when the object changed meanwhile: read again
 */
export async function ensureFinalizer(
  kube: KubeClient,
  { type, object }: FinalizerTarget,
  { finalizer, version, annotation, signal }: Protection,
): Promise<KubeObject | undefined> {
  const patch = addFinalizerPatch(object, finalizer);
  if (patch === undefined) return undefined;
  const unchanged: JsonPatchOperation = { op: "test", path: pointer("metadata", "resourceVersion"), value: version };
  const noted = annotation === undefined ? [] : [addAnnotation(object, annotation)];
  return kube.patchJson(type, idOf(object), [unchanged, ...patch, ...noted], { fieldManager: FIELD_MANAGER, signal });
}

function addAnnotation(
  { metadata }: KubeObject,
  { name, value }: { readonly name: string; readonly value: string },
): JsonPatchOperation {
  return metadata.annotations === undefined
    ? { op: "add", path: pointer("metadata", "annotations"), value: { [name]: value } }
    : { op: "add", path: pointer("metadata", "annotations", name), value };
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
