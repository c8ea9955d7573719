import fc from "fast-check";
import { expect, test } from "vitest";
import { digitsUpTo } from "./digits.ts";

test("takes the numbers from 1 to the most, and no other", () => {
  const property = fc.property(
    fc.integer({ min: 1, max: 99_999 }),
    fc.integer({ min: 0, max: 120_000 }),
    (max, drawn) => {
      const pattern = new RegExp(digitsUpTo(max));
      for (const value of [0, 1, max - 1, max, max + 1, max * 10, drawn]) {
        const isWithin = value >= 1 && value <= max;
        expect([max, value, pattern.test(String(value)), pattern.test(`00${value}`)]).toEqual([
          max,
          value,
          isWithin,
          isWithin,
        ]);
      }
    },
  );
  fc.assert(property, { numRuns: 500 });
});

test("takes nothing around them, and no more zeros than the apiserver reads as a number", () => {
  const pattern = new RegExp(digitsUpTo(65_535));
  const texts = ["", "-1", "+1", " 1", "1 ", "1.0", "1e3", "0x1", "1\n", `${"0".repeat(30)}1`];
  expect(texts.filter((text) => pattern.test(text))).toEqual([]);
});
