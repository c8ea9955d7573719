import type { KubeObject } from "../resources/meta.ts";
import type { JsonPatch } from "./json-patch.ts";
import { pointer } from "./json-patch.ts";

const path = pointer("metadata", "finalizers");

/**
 * The patch that adds `finalizer`, or undefined when it is there. It holds only for this very object (uid) with exactly these
 * finalizers, and never once the object is being deleted: the apiserver refuses that as Invalid.
 */
export function addFinalizerPatch(object: KubeObject, finalizer: string): JsonPatch | undefined {
  const { uid, finalizers = [] } = object.metadata;
  if (finalizers.includes(finalizer)) return undefined;
  return [
    { op: "test", path: pointer("metadata", "uid"), value: uid },
    // RFC 6902 has no test for absence; the apiserver takes null for it.
    { op: "test", path, value: finalizers.length === 0 ? null : finalizers },
    { op: "add", path, value: [...finalizers, finalizer] },
  ];
}

/** The patch that removes `finalizer` and no other entry, or undefined when it is not there (engine.md §5). */
export function removeFinalizerPatch(object: KubeObject, finalizer: string): JsonPatch | undefined {
  const { uid, finalizers = [] } = object.metadata;
  const index = finalizers.indexOf(finalizer);
  if (index === -1) return undefined;
  const entry = pointer("metadata", "finalizers", index);
  return [
    { op: "test", path: pointer("metadata", "uid"), value: uid },
    { op: "test", path: entry, value: finalizer },
    { op: "remove", path: entry },
  ];
}
