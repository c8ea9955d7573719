import { describe, expect, it } from "vitest";
import { widget } from "../../test/support/kube-server/widgets.ts";
import { metadataAlone, withoutNoise } from "./transform.ts";

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

describe("what a store keeps", () => {
  const object = widget("w", 1, {
    metadata: { managedFields: [{ manager: "kubectl" }], annotations: { [lastApplied]: "{…}", own: "kept" } },
  });

  it("leaves managedFields and kubectl's copy out, and nothing else", () => {
    expect(withoutNoise(object)).toEqual(widget("w", 1, { metadata: { annotations: { own: "kept" } } }));
  });

  it("does not change the object that it is given", () => {
    const before = structuredClone(object);
    withoutNoise(object);
    metadataAlone(object);
    expect(object).toEqual(before);
  });

  it("keeps nothing of a Secret but its metadata, even from a full answer", () => {
    const secret = { ...widget("s", 1), data: { password: "aHVudGVyMg==" }, stringData: { more: "x" }, type: "Opaque" };
    expect(metadataAlone(secret)).toEqual({
      apiVersion: "example.dev/v1",
      kind: "Widget",
      metadata: { name: "s", namespace: "ns", uid: "uid-s", resourceVersion: "1" },
    });
  });
});
