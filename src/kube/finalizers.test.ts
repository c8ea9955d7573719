import { describe, expect, it } from "vitest";
import { widget } from "../../test/support/kube-server/widgets.ts";
import { addFinalizerPatch, removeFinalizerPatch } from "./finalizers.ts";
import { pointer } from "./json-patch.ts";

function withFinalizers(...finalizers: readonly string[]) {
  return widget("w", 1, { metadata: { finalizers: [...finalizers] } });
}

const sameObject = { op: "test", path: "/metadata/uid", value: "uid-w" };

describe("finalizer patches", () => {
  it("add to none, and only while there are none", () => {
    expect(addFinalizerPatch(widget("w", 1), "baas.dev/x")).toEqual([
      sameObject,
      { op: "test", path: "/metadata/finalizers", value: null },
      { op: "add", path: "/metadata/finalizers", value: ["baas.dev/x"] },
    ]);
  });

  it("add to others, and only while these are the others", () => {
    expect(addFinalizerPatch(withFinalizers("a/b"), "baas.dev/x")).toEqual([
      sameObject,
      { op: "test", path: "/metadata/finalizers", value: ["a/b"] },
      { op: "add", path: "/metadata/finalizers", value: ["a/b", "baas.dev/x"] },
    ]);
  });

  it("remove our own entry alone, and only from where it was seen", () => {
    expect(removeFinalizerPatch(withFinalizers("a/b", "baas.dev/x", "c/d"), "baas.dev/x")).toEqual([
      sameObject,
      { op: "test", path: "/metadata/finalizers/1", value: "baas.dev/x" },
      { op: "remove", path: "/metadata/finalizers/1" },
    ]);
  });

  it("are not made when there is nothing to do", () => {
    expect(addFinalizerPatch(withFinalizers("baas.dev/x"), "baas.dev/x")).toBeUndefined();
    expect(removeFinalizerPatch(withFinalizers("a/b"), "baas.dev/x")).toBeUndefined();
    expect(removeFinalizerPatch(widget("w", 1), "baas.dev/x")).toBeUndefined();
  });
});

describe("pointer", () => {
  it("escapes what means something in a pointer", () => {
    expect(pointer("metadata", "annotations", "baas.dev/ref~1", 0)).toBe("/metadata/annotations/baas.dev~1ref~01/0");
  });
});
