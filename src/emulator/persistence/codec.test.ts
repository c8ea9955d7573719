import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { expect, it } from "vitest";
import { fromPlain, nameOfBytes, toPlain } from "./codec.ts";

function roundTrip(value: unknown): unknown {
  const stored = new Map<string, Uint8Array>();
  const text = JSON.stringify(
    toPlain(value, (bytes) => {
      const name = nameOfBytes(bytes);
      stored.set(name, bytes);
      return name;
    }),
  );
  return fromPlain(JSON.parse(text), (name) => stored.get(name) ?? Buffer.from("gone"));
}

it("gives back any row as it was, whatever its keys are called", () => {
  const key = fc.oneof(fc.string(), fc.constantFrom("$bytes", "$plain", "__proto__", "toJSON"));
  const { row } = fc.letrec((tie) => ({
    row: fc.oneof(
      { depthSize: "small" },
      fc.string(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => !Object.is(number, -0)),
      fc.boolean(),
      fc.constant(null),
      fc.uint8Array({ maxLength: 20 }),
      fc.array(tie("row"), { maxLength: 4 }),
      fc.array(fc.tuple(key, tie("row")), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
    ),
  }));
  fc.assert(
    fc.property(row, (value) => {
      expect(roundTrip(value)).toEqual(value);
    }),
  );
});

it("says a Buffer as its bytes, not as the JSON that it makes of itself", () => {
  expect(roundTrip({ content: Buffer.from("hello") })).toEqual({ content: Buffer.from("hello") });
});

it("says an object of another realm, as a test runner gives each test file its own", () => {
  const rows: unknown = runInNewContext("({ a: [{ b: 1 }] })");
  expect(roundTrip(rows)).toEqual({ a: [{ b: 1 }] });
});

it.each([
  { value: new (class Row {})() },
  { value: Number.POSITIVE_INFINITY },
  { value: Number.NaN },
  { value: new Map() },
  { value: new Date(0) },
  { value: 1n },
])("refuses $value, which would come back as something else", ({ value }) => {
  expect(() => toPlain({ value }, () => "")).toThrow(TypeError);
});
