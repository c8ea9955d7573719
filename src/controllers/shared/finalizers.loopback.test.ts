import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Keeping, startKeeping } from "../../../test/support/kube-server/keeping-client.ts";
import { annotations, finalizers } from "../../resources/annotations.ts";
import type { KubeObject } from "../../resources/meta.ts";
import { projectKind } from "../../resources/project/kind.ts";
import { ensureFinalizer } from "./finalizers.ts";

let keeping: Keeping;

beforeEach(async () => {
  keeping = await startKeeping();
});

afterEach(() => keeping[Symbol.asyncDispose]());

const { type } = projectKind;
const { signal } = new AbortController();
const finalizer = finalizers.remote;
const annotation = { name: annotations.ref, value: "a record" };
const stored = (): KubeObject | undefined => keeping.server.get("projects", "ns", "shop");

function put(metadata: object = {}, spec: object = {}): KubeObject {
  const named = { name: "shop", namespace: "ns", ...metadata };
  return keeping.server.put("projects", { apiVersion: "baas.dev/v1alpha1", kind: "Project", metadata: named, spec });
}

describe("our finalizer and an annotation that is due with it", () => {
  it.each([
    { why: "an object without annotations", before: {}, after: { [annotations.ref]: "a record" } },
    {
      why: "an object with others, which stay",
      before: { annotations: { other: "theirs" } },
      after: { other: "theirs", [annotations.ref]: "a record" },
    },
  ])("are one write: $why", async ({ before, after }) => {
    const object = put(before);
    const protection = { finalizer, version: object.metadata.resourceVersion, annotation, signal };
    await ensureFinalizer(keeping.kube, { type, object }, protection);
    expect(stored()?.metadata).toMatchObject({ finalizers: [finalizer], annotations: after });
    expect(keeping.server.writes).toBe(1);
  });

  it("are not written to an object that somebody changed since it was read", async () => {
    const object = put();
    put({}, { organization: "acme" });
    const protection = { finalizer, version: object.metadata.resourceVersion, annotation, signal };
    await expect(ensureFinalizer(keeping.kube, { type, object }, protection)).rejects.toMatchObject({
      code: "Conflict",
    });
    expect(stored()?.metadata.finalizers ?? []).toEqual([]);
  });

  it("are written on top of the status that was written before them, and of nothing else", async () => {
    const object = put();
    const options = { subresource: "status", signal } as const;
    const patched = await keeping.kube.patchMerge(
      type,
      { namespace: "ns", name: "shop" },
      { status: { ref: "r" } },
      options,
    );
    const protection = { finalizer, version: patched.metadata.resourceVersion, annotation, signal };
    await ensureFinalizer(keeping.kube, { type, object }, protection);
    expect(stored()).toMatchObject({ metadata: { finalizers: [finalizer] }, status: { ref: "r" } });
  });
});
