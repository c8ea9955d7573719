import { expect, it } from "vitest";
import { atLeast } from "./go.ts";

it.each([
  { a: "1.26.0", b: "1.26.0", enough: true, why: "the same" },
  { a: "1.26.8", b: "1.26.0", enough: true, why: "a newer patch" },
  { a: "1.27rc1", b: "1.26.0", enough: true, why: "a release candidate of a newer one" },
  { a: "1.26", b: "1.26.0", enough: true, why: "no patch number means 0" },
  { a: "2.0", b: "1.26.0", enough: true, why: "a newer major" },
  { a: "1.9.7", b: "1.26.0", enough: false, why: "numbers, not letters, are compared" },
  { a: "1.25.12", b: "1.26.0", enough: false, why: "an older minor" },
])("Go $a is enough for $b: $enough ($why)", ({ a, b, enough }) => {
  expect(atLeast(a, b)).toBe(enough);
});
