import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJson } from "./json.ts";

describe("JSON that somebody else wrote", () => {
  it.each([
    { why: "half of a character in a text", json: String.raw`["a\ud83d"]`, value: ["a\uFFFD"] },
    {
      why: "half of a character in a name",
      json: String.raw`{"a\uDE00":{"\ud83db":1}}`,
      value: { "a\uFFFD": { "\uFFFDb": 1 } },
    },
    {
      why: "names that are the same then: the last one counts",
      json: String.raw`{"\ud83d":1,"\ud83e":2}`,
      value: { "\uFFFD": 2 },
    },
    { why: "a whole character in a name", json: String.raw`{"\ud83d\ude00":1}`, value: { "😀": 1 } },
    {
      why: "an empty name beside half of a character",
      json: String.raw`{"":{"":[null]},"x":"\ud83d"}`,
      value: { "": { "": [null] }, x: "\uFFFD" },
    },
  ])("is read as Kubernetes keeps it: $why", ({ json, value }) => {
    expect(parseJson(json)).toEqual(value);
    expect(parseJson(Buffer.from(json))).toEqual(value);
  });

  it("gives no object another prototype", () => {
    const value = parseJson(String.raw`{"__proto__":{"x":"\ud83d"}}`);
    expect(Reflect.get(Object(value), "x")).toBeUndefined();
    expect(JSON.stringify(value)).toBe('{"__proto__":{"x":"\uFFFD"}}');
  });

  it("is the same as ever where its characters are whole, and never has half of one", () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: "binary" }), fc.string({ unit: "binary" }), (json, half) => {
        expect(parseJson(json)).toEqual(JSON.parse(json));
        const made = JSON.stringify({ [`${half}\ud83d`]: [`${half}\ude00`] });
        const kept = JSON.stringify({ [`${half}\ud83d`.toWellFormed()]: [`${half}\ude00`.toWellFormed()] });
        expect(JSON.stringify(parseJson(made))).toBe(kept);
      }),
    );
  });

  it("is undefined where it is none", () => {
    expect(parseJson("<html>")).toBeUndefined();
    expect(parseJson(String.raw`{"\ud83d":}`)).toBeUndefined();
  });
});
