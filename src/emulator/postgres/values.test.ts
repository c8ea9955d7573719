import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { valuesOfRecord } from "./record-text.ts";
import { parameterText, rowsAsJson } from "./values.ts";

const one = (type: number, text: string | null): unknown =>
  rowsAsJson({ fields: [{ name: "x", type }], rows: [[text]] })[0]?.["x"];

const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
const LONG = `[${Array.from({ length: 3000 }, () => '{"a":"[[{"}').join(",")}]`;

const CASES: readonly {
  readonly reason: string;
  readonly type: number;
  readonly text: string | null;
  readonly json: unknown;
}[] = [
  { reason: "null is null, whatever its type", type: 23, text: null, json: null },
  { reason: "boolean", type: 16, text: "t", json: true },
  { reason: "boolean", type: 16, text: "f", json: false },
  { reason: "integer", type: 23, text: "-7", json: -7 },
  { reason: "a bigint that JSON's readers keep", type: 20, text: "9007199254740991", json: 9007199254740991 },
  { reason: "a bigint that they do not", type: 20, text: "9007199254740993", json: "9007199254740993" },
  { reason: "numeric keeps its digits", type: 1700, text: "1.500", json: "1.500" },
  { reason: "double precision", type: 701, text: "1e-07", json: 1e-7 },
  { reason: "what is no number of JSON", type: 701, text: "NaN", json: "NaN" },
  { reason: "json", type: 114, text: '{"a": [1, null]}', json: { a: [1, null] } },
  { reason: "json that is nested beyond reason is text", type: 114, text: nested(5000), json: nested(5000) },
  { reason: "json that is only long is not", type: 3802, text: LONG, json: JSON.parse(LONG) as unknown },
  { reason: "time is text", type: 1184, text: "2026-01-31 12:00:00+00", json: "2026-01-31 12:00:00+00" },
  { reason: "bytes are text", type: 17, text: String.raw`\x00ff`, json: String.raw`\x00ff` },
  { reason: "a type of somebody's own is text", type: 99_999, text: "{a,b}", json: "{a,b}" },
  { reason: "an empty array", type: 1007, text: "{}", json: [] },
  { reason: "an array of numbers", type: 1007, text: "{1,NULL,-3}", json: [1, null, -3] },
  {
    reason: "nested arrays",
    type: 1007,
    text: "{{1,2},{3,4}}",
    json: [
      [1, 2],
      [3, 4],
    ],
  },
  { reason: "an array that begins elsewhere", type: 1007, text: "[0:1]={1,2}", json: [1, 2] },
  {
    reason: "texts with everything in them",
    type: 1009,
    text: String.raw`{"a,b","\"q\"","\\","NULL","",x y,"{"}`,
    json: ["a,b", '"q"', "\\", "NULL", "", "x y", "{"],
  },
  { reason: "documents in an array", type: 3807, text: String.raw`{"{\"a\": 1}",NULL}`, json: [{ a: 1 }, null] },
];

const PARAMETERS: readonly { readonly value: unknown; readonly text: string | null }[] = [
  { value: null, text: null },
  { value: "a'b", text: "a'b" },
  { value: 1.5, text: "1.5" },
  { value: true, text: "true" },
  { value: { a: ["x"] }, text: '{"a":["x"]}' },
  { value: [1, null, 'a"b\\'], text: String.raw`{"1",NULL,"a\"b\\"}` },
  { value: [[1], [2]], text: '{{"1"},{"2"}}' },
  { value: [{ a: 1 }], text: String.raw`{"{\"a\":1}"}` },
];

describe("values", () => {
  it.each(CASES)("as JSON: $reason", ({ type, text, json }) => {
    expect(one(type, text)).toEqual(json);
  });

  it.each(PARAMETERS)("as parameters: $value", ({ value, text }) => {
    expect(parameterText(value)).toBe(text);
  });

  it("of columns of one name are those of the last one", () => {
    const fields = [
      { name: "a", type: 23 },
      { name: "a", type: 25 },
    ];
    expect(rowsAsJson({ fields, rows: [["1", "x"]] })).toEqual([{ a: "x" }]);
  });

  it("of an array of texts come back as they were given", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string(), fc.constant(null), fc.constantFrom("NULL", "{}", ",", "\n"))),
        (texts) => {
          expect(one(1009, parameterText(texts))).toEqual(texts);
        },
      ),
    );
  });
});

describe("the text of a record", () => {
  const RECORDS: readonly (readonly [string, readonly (string | null)[]])[] = [
    ["()", []],
    ["()", [null]],
    ["(,)", [null, null]],
    ['(1,"two words",,"")', ["1", "two words", null, ""]],
    [String.raw`("a""b","c\\d","(e,f)")`, ['a"b', String.raw`c\d`, "(e,f)"]],
    ['("line\nbreak","{""a"": 1}")', ["line\nbreak", '{"a": 1}']],
  ];
  it.each(RECORDS)("%s", (text, values) => {
    expect(valuesOfRecord(text, values.length)).toEqual(values);
  });
});
