import { expect, it } from "vitest";
import { edgeFunctionKind } from "../../resources/edge-function/kind.ts";
import type { KubeObject } from "../../resources/meta.ts";
import { cachingReader } from "./object-store.ts";

const READY = {
  type: "Ready",
  status: "True",
  reason: "Available",
  message: "",
  lastTransitionTime: "2026-01-01T00:00:00Z",
};

const object: KubeObject = {
  apiVersion: "baas.dev/v1alpha1",
  kind: "EdgeFunction",
  metadata: { name: "hello", namespace: "shop", uid: "u", resourceVersion: "1", generation: 1, labels: { team: "a" } },
  spec: { projectRef: { name: "shop" }, source: { inline: { files: { "index.ts": "export {}" } } }, unheardOf: true },
  status: { observedGeneration: 1, conditions: [READY], ref: "abcdefghijklmnopqrst" },
};

it("an object that is read and checked is made of the very parts of the stored one, which would else be held twice", () => {
  const parsed = cachingReader(edgeFunctionKind).parse(object);
  if (!parsed.ok) throw new Error(parsed.message);
  const { metadata, spec, status } = parsed.object;
  expect(metadata).toBe(object.metadata);
  expect(status.conditions[0]).toBe(READY);
  expect(spec.source).toBe(Reflect.get(Object(object["spec"]), "source"));
  // and still read: with defaults, and without what nobody declares
  expect(spec).toMatchObject({ entrypoint: "index.ts", deletionPolicy: "Delete" });
  expect(Object.keys(spec)).not.toContain("unheardOf");
});
