import { expect, it } from "vitest";
import { leaseName } from "./kubernetes.ts";

it("a cluster-wide install has the one lease that all of them share", () => {
  expect(leaseName([])).toBe("baas-operator");
});

it.each([
  { one: ["a", "b"], other: ["b", "a"], same: true, why: "the order in which namespaces are named says nothing" },
  { one: ["a", "b", "a"], other: ["a", "b"], same: true, why: "nor does naming one twice" },
  { one: ["a"], other: ["b"], same: false, why: "each scope has its own" },
  { one: ["a"], other: ["a", "b"], same: false, why: "a wider scope is another one" },
  { one: ["a"], other: [], same: false, why: "as is the whole cluster" },
])("$one and $other share a lease: $same, since $why", ({ one, other, same }) => {
  expect(leaseName(one) === leaseName(other)).toBe(same);
  expect(leaseName(one)).toMatch(/^baas-operator-[0-9a-f]{8}$/u);
});
