import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { unsayable } from "./json-value.ts";

const numbers = "expected a number between -1.7976931348623157e+308 and 1.7976931348623157e+308";
const values = "expected a value as of JSON";
const parsed = (text: string): unknown => JSON.parse(text);

describe("what JSON cannot say", () => {
  it.each([
    { value: parsed('{"a":{"b":[1,1e400]}}'), path: ["a", "b", 1], message: `${numbers}, received Infinity` },
    { value: parsed("-1e999"), path: [], message: `${numbers}, received -Infinity` },
    { value: [Number.NaN], path: [0], message: `${numbers}, received NaN` },
    { value: { a: 1n }, path: ["a"], message: `${values}, received bigint` },
    { value: [undefined], path: [0], message: `${values}, received undefined` },
    { value: { a: () => 1 }, path: ["a"], message: `${values}, received function` },
    { value: { a: Symbol("a") }, path: ["a"], message: `${values}, received symbol` },
    { value: { a: new Date(0) }, path: ["a"], message: `${values}, received a class's` },
    {
      value: parsed('{"a":[{"__proto__":"x"}]}'),
      path: ["a", 0, "__proto__"],
      message: "expected another name: no value can be kept under this one",
    },
  ])("is found where it stands: $path", ({ value, path, message }) => {
    expect(unsayable(value)).toEqual({ path, message });
  });

  it.each([
    { value: null, because: "JSON has null" },
    { value: { a: [1.5, -0, "", true, { constructor: 1 }] }, because: "all of it is JSON" },
    { value: { a: undefined }, because: "a field that is undefined is left out" },
    { value: Object.assign(Object.create(null), { a: 1 }) as unknown, because: "no prototype is a map's" },
    { value: runInNewContext("({ a: [{ b: 1 }] })") as unknown, because: "an object of another realm is plain" },
  ])("is not there: $because", ({ value }) => {
    expect(unsayable(value)).toBeUndefined();
  });

  it("is what goes round in a circle, or deeper than whatever walks it can", () => {
    const message = "expected at most 500 levels, received more";
    const circle: Record<string, unknown> = { a: 1 };
    circle["b"] = { c: circle, d: circle };
    expect(unsayable(circle)).toMatchObject({ message });
    expect(unsayable({}, circle)).toMatchObject({ message });
    expect(unsayable(parsed("[".repeat(500) + "]".repeat(500)))).toBeUndefined();
    expect(unsayable(parsed("[".repeat(501) + "]".repeat(501)))).toMatchObject({ message });
  });

  it("is asked of what a schema made of an input, but for a name that it has lost on the way", () => {
    class Given {
      a = 1;
    }
    expect(unsayable({ a: 1 }, new Given())).toBeUndefined();
    expect(unsayable({ a: {} }, parsed('{"a":{"__proto__":1}}'))).toMatchObject({ path: ["a", "__proto__"] });
  });
});
