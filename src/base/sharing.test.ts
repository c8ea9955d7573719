import { describe, expect, it } from "vitest";
import { sharing } from "./sharing.ts";

describe("what is read of an object", () => {
  const source = { metadata: { name: "a", labels: { b: "c" } }, spec: { list: [{ x: 1 }, { x: 2 }] } };

  it("is the very object where it says the same", () => {
    expect(sharing(structuredClone(source), source)).toBe(source);
  });

  it("is made of its very parts where it says more, less or something else, and says what it said", () => {
    const made = { ...structuredClone(source), spec: { list: [{ x: 1 }, { x: 3 }], fresh: true } };
    const shared = sharing(made, source);
    expect(shared).toEqual({
      metadata: { name: "a", labels: { b: "c" } },
      spec: { list: [{ x: 1 }, { x: 3 }], fresh: true },
    });
    expect(shared.metadata).toBe(source.metadata);
    expect(shared.spec.list[0]).toBe(source.spec.list[0]);
    expect(source.spec.list[1]).toEqual({ x: 2 });
  });

  it.each([
    ["fewer items", [1], [1, 2]],
    ["more items", [1, 2], [1]],
    ["a list in the place of an object", { items: [] }, { items: {} }],
    ["an object in the place of a list", { items: {} }, { items: [] }],
    ["null in the place of an object", { x: null }, { x: {} }],
    ["an object in the place of null", { x: {} }, { x: null }],
    ["a field that is undefined in the place of another one", { x: undefined }, { y: 1 }],
    ["a name that every object has", { toString: undefined }, { x: 1 }],
    ["text in the place of a number", { x: "1" }, { x: 1 }],
    ["what no JSON has", { x: new Map([[1, 2]]), y: new Date(5) }, { x: {}, y: {} }],
  ])("stays as it is with %s", (_what, made, source) => {
    const copy = structuredClone(made);
    const shared = sharing(made, source);
    expect(shared).toStrictEqual(copy);
    expect(shared).not.toBe(source);
  });
});
