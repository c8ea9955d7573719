import { describe, expect, it } from "vitest";
import { allOf, anyOf, NO_PERMISSIONS, type Permissions } from "../../api/contract/operation.ts";
import { missingPermissions } from "./permissions.ts";

const pairOrOne: Permissions = [["a", "b"], ["c"]];

describe("permissions of a fine-grained token", () => {
  it.each<{ needed: Permissions; held: readonly string[]; missing: string | undefined; because: string }>([
    { needed: NO_PERMISSIONS, held: [], missing: undefined, because: "none are listed" },
    { needed: allOf("a"), held: ["a"], missing: undefined, because: "it is held" },
    { needed: allOf("a", "b"), held: [], missing: "a and b", because: "all are needed" },
    { needed: allOf("a", "b"), held: ["a"], missing: "b", because: "what is held is not named" },
    { needed: anyOf("a", "b"), held: [], missing: "a or b", because: "any one is enough" },
    { needed: anyOf("a", "b"), held: ["b"], missing: undefined, because: "any one is enough" },
    { needed: pairOrOne, held: [], missing: "(a and b) or c", because: "a list counts as a whole" },
    { needed: pairOrOne, held: ["a"], missing: "b or c", because: "what is held of a list is not named" },
    { needed: pairOrOne, held: ["a", "b"], missing: undefined, because: "a whole list is held" },
    {
      needed: [
        ["a", "c"],
        ["b", "c"],
      ],
      held: ["a", "b"],
      missing: "c",
      because: "it is what either list lacks",
    },
    { needed: allOf("a"), held: ["A", "aa", ""], missing: "a", because: "names are compared whole" },
  ])("of $held for $needed lack $missing: $because", ({ needed, held, missing }) => {
    expect(missingPermissions(needed, held)).toBe(missing);
    expect(missingPermissions(needed, (name) => held.includes(name))).toBe(missing);
  });
});
