import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { durationMaxLength, durationMs, formatDuration, isDuration } from "./duration.ts";

const seconds = fc.integer({ min: 0, max: 999_999 * 3600 });

describe("durationMs", () => {
  test.each([
    { text: "90s", ms: 90_000, why: "a unit may exceed the next one, as in Go" },
    { text: "30m", ms: 1_800_000, why: "minutes" },
    { text: "72h", ms: 259_200_000, why: "hours; there are no days, as in Go" },
    { text: "1h30m", ms: 5_400_000, why: "units descend" },
    { text: "1h0m1s", ms: 3_601_000, why: "a zero between units" },
    { text: "0s", ms: 0, why: "nothing at all" },
    { text: "2h5s", ms: 7_205_000, why: "minutes may be left out" },
  ])("reads $text as $ms ms: $why", ({ text, ms }) => {
    expect(durationMs(text)).toBe(ms);
  });

  test.each([
    { text: "", why: "empty" },
    { text: "30", why: "a number without a unit" },
    { text: "3d", why: "days, which Go has not" },
    { text: "1.5h", why: "a fraction" },
    { text: "30m1h", why: "units ascend" },
    { text: "1h1h", why: "a unit twice" },
    { text: "-1h", why: "negative" },
    { text: " 1h", why: "a blank" },
    { text: "1h\n", why: "a line end, which $ must not overlook" },
    { text: "1000000h", why: "more digits than fit" },
  ])("refuses '$text': $why", ({ text }) => {
    expect(isDuration(text)).toBe(false);
    expect(() => durationMs(text)).toThrow(RangeError);
  });
});

describe("formatDuration", () => {
  test.each([
    { ms: 5_400_000, text: "1h30m" },
    { ms: 600_000, text: "10m" },
    { ms: 999, text: "0s" },
    { ms: 90_500, text: "1m30s" },
  ])("writes $ms ms as $text", ({ ms, text }) => {
    expect(formatDuration(ms)).toBe(text);
  });

  test("is the inverse of durationMs for every whole number of seconds", () => {
    fc.assert(
      fc.property(seconds, (count) => {
        const text = formatDuration(count * 1000);
        expect(text.length).toBeLessThanOrEqual(durationMaxLength);
        expect(durationMs(text)).toBe(count * 1000);
      }),
    );
  });

  test("writes no duration longer than it was read, and of the same length in time", () => {
    const part = (unit: string): fc.Arbitrary<string> =>
      fc.option(fc.integer({ min: 0, max: 59 }), { nil: undefined }).map((n) => (n === undefined ? "" : `${n}${unit}`));
    const texts = fc.tuple(part("h"), part("m"), part("s")).map((parts) => parts.join(""));
    fc.assert(
      fc.property(texts.filter(isDuration), (text) => {
        const written = formatDuration(durationMs(text));
        expect(durationMs(written)).toBe(durationMs(text));
        expect(written.length).toBeLessThanOrEqual(text.length);
      }),
    );
  });
});
