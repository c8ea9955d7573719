import type { KubeObject } from "../../../src/resources/meta.ts";

export const conflict = {
  type: "Ready",
  status: "False",
  reason: "Conflict",
  message: "",
  observedGeneration: 1,
  lastTransitionTime: "2026-01-01T00:00:00Z",
};

/** An object of namespace `ns` that lost what it wants to another one, and says so; its uid is its name. */
export function rival(kind: string, name: string, spec: object, status: object = {}): KubeObject {
  return {
    apiVersion: "baas.dev/v1alpha1",
    kind,
    metadata: { name, namespace: "ns", uid: name, resourceVersion: "1", generation: 1 },
    spec,
    status: { observedGeneration: 1, conditions: [conflict], ...status },
  };
}
