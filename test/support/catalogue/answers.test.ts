import { describe, expect, test } from "vitest";
import { departures } from "./answers.ts";

describe("what departs is found", () => {
  const shape = new Map([
    ["", "object"],
    ["a", "array"],
    ["a[]", "object"],
    ["a[].n", "integer"],
    ["a[].made_at", "string"],
    ["b", "object"],
    ["b{}.x", "boolean"],
    ["x.y", "string"],
    ["open", ""],
  ]);
  const right = { a: [{ n: 1, made_at: "2026-01-01T00:00:00.000Z" }], b: { any: { x: true } }, "x.y": "", open: null };
  test.each([
    { answer: right, says: [] },
    { answer: { ...right, a: [{ ...right.a[0], n: 1.5 }] }, says: ["a[].n: number instead of integer"] },
    { answer: { ...right, a: [{ n: 1, made_at: "today" }] }, says: ["a[].made_at: no time: today"] },
    { answer: { ...right, b: { any: {} } }, says: ["b{}.x: missing"] },
    { answer: { ...right, b: { any: { x: "true" } } }, says: ["b{}.x: string instead of boolean"] },
    { answer: { ...right, "x.y": null }, says: ["x.y: null"] },
    { answer: { ...right, c: 1 }, says: ["c: not named"] },
    { answer: [], says: [": array instead of object"] },
  ])("$says", ({ answer, says }) => {
    expect(departures(shape, answer)).toEqual(says);
  });
});
