import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Json, type JsonObject, mergePatch, sameJson } from "./merge-patch.ts";

/** RFC 7386, §2, as it is written there. */
function apply(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const result = new Map<string, Json | undefined>(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null || value === undefined) result.delete(name);
    else result.set(name, apply(result.get(name), value));
  }
  return Object.fromEntries(result);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What a status is made of: no null anywhere in an object, since a merge patch cannot say that. */
const status = fc.letrec<{ value: Json; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.boolean(),
    fc.integer(),
    fc.string(),
    fc.array(tie("value"), { maxLength: 3 }),
    tie("object"),
  ),
  object: fc.dictionary(fc.constantFrom("a", "b", "c", "__proto__", "constructor"), tie("value"), { maxKeys: 3 }),
})).object;

describe("the laws of a merge patch", () => {
  it("applied to what was before, it gives what is after", () => {
    fc.assert(
      fc.property(status, status, (before, after) => {
        const patch = mergePatch(before, after);
        expect(sameJson(patch === undefined ? before : apply(before, patch), after)).toBe(true);
      }),
    );
  });

  it("there is none exactly when nothing changed", () => {
    fc.assert(
      fc.property(status, status, (before, after) => {
        expect(mergePatch(before, after) === undefined).toBe(sameJson(before, after));
        expect(mergePatch(before, before)).toBeUndefined();
      }),
    );
  });

  it("names nothing that stays as it is", () => {
    fc.assert(
      fc.property(status, status, (before, after) => {
        const [old, next] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
        const named = Object.keys(mergePatch(before, after) ?? {});
        expect(named.filter((name) => sameJson(old.get(name), next.get(name)))).toEqual([]);
      }),
    );
  });
});

describe("mergePatch", () => {
  it.each<{
    readonly why: string;
    readonly before: JsonObject;
    readonly after: JsonObject;
    readonly patch: JsonObject | undefined;
  }>([
    { why: "nothing changed", before: { a: 1 }, after: { a: 1 }, patch: undefined },
    {
      why: "the order of keys is no change",
      before: { a: { b: 1, c: 2 } },
      after: { a: { c: 2, b: 1 } },
      patch: undefined,
    },
    { why: "undefined is absence", before: { a: 1 }, after: { a: 1, b: undefined }, patch: undefined },
    { why: "a key that goes becomes null", before: { a: 1, b: 2 }, after: { a: 1 }, patch: { b: null } },
    { why: "objects are merged", before: { a: { b: 1, c: 2 } }, after: { a: { b: 1, c: 3 } }, patch: { a: { c: 3 } } },
    {
      why: "an inner key that goes becomes null there",
      before: { a: { b: 1, c: 2 } },
      after: { a: { b: 1 } },
      patch: { a: { c: null } },
    },
    { why: "lists are replaced whole", before: { a: [1, 2] }, after: { a: [1, 3] }, patch: { a: [1, 3] } },
    { why: "what was no object is replaced", before: { a: 1 }, after: { a: { b: 1 } }, patch: { a: { b: 1 } } },
  ])("is as small as it can be: $why", ({ before, after, patch }) => {
    expect(mergePatch(before, after)).toEqual(patch);
  });
});

describe("sameJson", () => {
  it.each([
    { a: [1, 2], b: [2, 1], same: false, why: "the order of a list counts" },
    { a: { a: undefined }, b: {}, same: true, why: "undefined is absence" },
    { a: [], b: {}, same: false, why: "an empty list is no empty object" },
    { a: null, b: undefined, same: false, why: "null is a value" },
    { a: { a: null }, b: {}, same: false, why: "so is it in an object" },
  ])("of $a and $b is $same: $why", ({ a, b, same }) => {
    expect(sameJson(a, b)).toBe(same);
    expect(sameJson(b, a)).toBe(same);
  });
});
