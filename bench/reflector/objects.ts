import type { KubeObject } from "../../src/resources/meta.ts";
import { functionDraft } from "../operator/landscape.ts";

/** EdgeFunctions as an apiserver lists them, Ready, and with what it keeps for others: managedFields and kubectl's copy of the manifest. */

const APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
const NAMESPACES = 100;
const MOMENT = "2026-01-01T00:00:00Z";

export function servedFunction(n: number, version: number): KubeObject {
  const namespace = `team-${n % NAMESPACES}`;
  const project = `project-${Math.floor(n / 7)}`;
  const name = `function-${n}`;
  const draft = functionDraft(namespace, project, name);
  const ref = "abcdefghijklmnopqrst";
  const metadata = {
    name,
    namespace,
    uid: `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`,
    resourceVersion: String(version),
    generation: 1,
    creationTimestamp: MOMENT,
    finalizers: ["baas.dev/edge-function"],
    annotations: {
      "baas.dev/ref": JSON.stringify({ ref, id: name, namespace, name }),
      [APPLIED]: JSON.stringify(draft),
    },
    managedFields: ["kubectl-client-side-apply", "baas-operator", "baas-operator-status"].map(managedBy),
  };
  return { ...draft, metadata, status: statusOf(ref, name, version) };
}

function managedBy(manager: string): object {
  const names = ["a", "b", "c", "d", "e", "f"].map((field) => `f:${manager}-${field}`);
  const fields = Object.fromEntries(names.map((name) => [name, { "f:value": {}, ".": {} }] as const));
  const fieldsV1 = { "f:spec": fields, "f:status": fields };
  return {
    manager,
    operation: "Update",
    apiVersion: "baas.dev/v1alpha1",
    time: MOMENT,
    fieldsType: "FieldsV1",
    fieldsV1,
  };
}

function statusOf(ref: string, slug: string, version: number): object {
  const condition = { status: "True", reason: "Available", message: "the function is as declared" };
  return {
    observedGeneration: 1,
    conditions: [{ type: "Ready", observedGeneration: 1, lastTransitionTime: MOMENT, ...condition }],
    ref,
    slug,
    version,
    state: "ACTIVE",
    sourceHash: "a".repeat(64),
    bundleHash: "b".repeat(64),
    deployedAt: MOMENT,
  };
}
