import { describe, expect, it } from "vitest";
import { operations } from "./contract.ts";
import { type Place, placeOf, placesWithin, placeWithin } from "./declared-places.ts";

const LEVELS = 400;

const nested = (wrap: (value: unknown) => unknown): unknown =>
  Array.from({ length: LEVELS }).reduce<unknown>((value) => wrap(value), 1);

/** How much a place holds beside its value. */
const heldBy = ({ value: _value, ...place }: Place): number =>
  Object.values(place).reduce((sum, held) => sum + Object.keys(held).length, 0);

const schemas = operations.flatMap(({ id, body }) =>
  body === undefined ? [] : [{ id, schema: body.encoding === "multipart" ? body.metadata : body.schema }],
);

describe("a place in a value", () => {
  it.each(schemas)("holds no more the deeper it is in a body of $id", ({ schema }) => {
    for (const wrap of [
      (value: unknown) => [value],
      (value: unknown) => ({ 0: value }),
      (value: unknown) => ({ data: [value] }),
      (value: unknown) => [[{ name: value }]],
    ]) {
      const held: number[] = [];
      let place: Place | undefined = placeOf(schema, nested(wrap));
      while (place !== undefined) {
        held.push(heldBy(place));
        place = [...placesWithin(place)].map(([, part]) => part).at(0);
      }
      expect(held.length).toBeGreaterThan(LEVELS);
      expect(Math.max(...held.slice(20))).toBeLessThanOrEqual(Math.max(...held.slice(0, 20)));
    }
  });

  it("is the same whether it is come to alone or with those beside it", () => {
    for (const { schema } of schemas) {
      for (const value of [[1, [2], { name: 3 }], { name: "a", data: { type: "b" }, "page[size]": 5, 0: [[]] }]) {
        const place = placeOf(schema, value);
        const parts = [...placesWithin(place)];
        expect(parts.map(([key]) => placeWithin(place, key))).toEqual(parts.map(([, part]) => part));
      }
    }
  });

  it("is none where there is nothing of its name", () => {
    const place = placeOf(undefined, { a: 1 });
    expect(["b", "toString", "__proto__"].map((key) => placeWithin(place, key))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(placeWithin(placeOf(undefined, "text"), "0")).toBeUndefined();
    expect(placeWithin(placeOf(undefined, null), "0")).toBeUndefined();
  });
});
