import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareResourceVersions } from "./resource-version.ts";

const versions = fc.bigInt({ min: 1n, max: 10n ** 40n });

describe("compareResourceVersions", () => {
  it("orders plain integers of any length as numbers", () => {
    fc.assert(
      fc.property(versions, versions, (a, b) => {
        const expected = a === b ? "same" : a < b ? "older" : "newer";
        expect(compareResourceVersions(String(a), String(b))).toBe(expected);
      }),
    );
  });

  it.each([
    { a: "9", b: "10", order: "older", why: "not as text" },
    {
      a: "18446744073709551616",
      b: "18446744073709551615",
      order: "newer",
      why: "beyond 64 bits, and beyond a double",
    },
    { a: "abc", b: "abc", order: "same", why: "opaque versions can be equal" },
    { a: "abc", b: "5", order: "incomparable", why: "opaque versions have no order" },
    { a: "05", b: "4", order: "incomparable", why: "leading zeros are no plain integer" },
    { a: "0", b: "4", order: "incomparable", why: "0 stands for any version, not for one" },
    { a: "", b: "4", order: "incomparable", why: "no version at all" },
    { a: "-1", b: "4", order: "incomparable", why: "negative" },
  ])("$a is $order than $b: $why", ({ a, b, order }) => {
    expect(compareResourceVersions(a, b)).toBe(order);
  });
});
