import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesOf, readingsOf } from "./readings.ts";

/** A text in which all that may be read otherwise is likely. */
const unit = fc.oneof(
  fc.constantFrom(
    "%41",
    "+",
    "&amp;",
    "&#x1F600;",
    "&#9999999;",
    String.raw`\u00e4`,
    String.raw`\uD83D\uDE00`,
    String.raw`\B`,
    String.raw`\xe9`,
    String.raw`\u{e9}`,
    "&nbsp;",
    "''",
    "-128",
    "0xf",
    "=",
    "ab",
    "😀",
  ),
  fc.string({ maxLength: 3, unit: "binary" }),
);
const text = fc.array(unit, { maxLength: 40 }).map((units) => units.join(""));

describe("the readings of a text", () => {
  it("are few, and none has more bytes than the text, however it is made", () => {
    fc.assert(
      fc.property(text, (value) => {
        const readings = readingsOf(value);
        expect(readings.length).toBeLessThanOrEqual(8 * 8);
        for (const { bytes } of readings) expect(bytes.length).toBeLessThanOrEqual(bytesOf(value).length);
      }),
    );
  });

  it("are eight where nothing is escaped", () => {
    expect(readingsOf("a plain message, of words")).toHaveLength(8);
  });

  it("tell of each byte which characters it is from", () => {
    fc.assert(
      fc.property(text, (value) => {
        for (const { bytes, starts, ends } of readingsOf(value)) {
          expect([starts.length, ends.length]).toEqual([bytes.length, bytes.length]);
          expect(starts).toEqual(starts.toSorted((a, b) => a - b));
          expect([...starts].filter((start, at) => start >= (ends[at] ?? 0))).toEqual([]);
          expect(Math.max(0, ...ends)).toBeLessThanOrEqual(value.length);
        }
      }),
    );
  });
});
