import { describe, expect, test } from "vitest";
import type { ParentSpec } from "./references.ts";
import { connectionOnlyForUnmanaged, exactlyOneParent, parentOf } from "./references.ts";

const ref = "abcdefghijklmnopqrst";

describe("parentOf", () => {
  test.each([
    { spec: { projectRef: { name: "shop" } }, parent: { kind: "Project", name: "shop" } },
    { spec: { projectRef: { ref } }, parent: { kind: "UnmanagedProject", ref } },
    { spec: { branchRef: { name: "preview" } }, parent: { kind: "Branch", name: "preview" } },
  ])("tells $parent.kind", ({ spec, parent }) => {
    expect(parentOf(spec)).toEqual(parent);
  });

  const wrong: readonly { readonly spec: ParentSpec; readonly why: string }[] = [
    { spec: {}, why: "none" },
    { spec: { projectRef: {} }, why: "an empty reference" },
    { spec: { projectRef: { name: "shop", ref } }, why: "two ways to name one" },
    { spec: { projectRef: { name: "shop" }, branchRef: { name: "preview" } }, why: "two of them" },
  ];
  test.each(wrong)("refuses $why", ({ spec }) => {
    expect(() => parentOf(spec)).toThrow(TypeError);
  });
});

describe("the rules of references", () => {
  test.each([
    { spec: { projectRef: { name: "a" } }, holds: true },
    { spec: { branchRef: { name: "a" } }, holds: true },
    { spec: {}, holds: false },
    { spec: { projectRef: { name: "a" }, branchRef: { name: "a" } }, holds: false },
  ])("exactly one parent: $spec is $holds", ({ spec, holds }) => {
    expect(exactlyOneParent.holds?.(spec)).toBe(holds);
  });

  test.each([
    { spec: { projectRef: { ref }, connectionRef: { name: "c" } }, holds: true, why: "an unmanaged project" },
    { spec: { projectRef: { name: "a" } }, holds: true, why: "no connection given" },
    { spec: { projectRef: { name: "a" }, connectionRef: { name: "c" } }, holds: false, why: "a managed project" },
    { spec: { branchRef: { name: "a" }, connectionRef: { name: "c" } }, holds: false, why: "a branch" },
  ])("a connection of its own, for $why: $holds", ({ spec, holds }) => {
    expect(connectionOnlyForUnmanaged.holds?.(spec)).toBe(holds);
  });
});
