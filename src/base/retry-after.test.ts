import { describe, expect, it } from "vitest";
import { parseRetryAfter } from "./retry-after.ts";

const now = Date.UTC(2026, 0, 1);

describe("parseRetryAfter", () => {
  it.each([
    ["3", 3000, "seconds"],
    [" 0 ", 0, "at once"],
    ["Thu, 01 Jan 2026 00:00:30 GMT", 30_000, "a date"],
    ["Wed, 31 Dec 2025 23:59:00 GMT", -60_000, "a date that has passed"],
    ["1.5", 1500, "parts of a second"],
    ["99999999", 99_999_999_000, "absurdly long is for the caller to judge"],
  ])("%s is %s ms: %s", (header, expected) => {
    expect(parseRetryAfter(header, now)).toBe(expected);
  });

  it("is nothing without a header, or from one that is neither number nor date", () => {
    expect(parseRetryAfter(undefined, now)).toBeUndefined();
    expect(parseRetryAfter("soon", now)).toBeUndefined();
  });
});
