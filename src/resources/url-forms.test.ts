import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ipV6 } from "./url-forms.ts";

/** Groups and what nearly is one, between colons. */
const address = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom("0", "1", "ab", "FFFF") },
      { weight: 1, arbitrary: fc.constantFrom("", "12345", "g", "1.2.3.4", "01.2.3.4", "256.1.1.1", "1.2.3") },
    ),
    { minLength: 1, maxLength: 10 },
  )
  .map((groups) => groups.join(":"));

describe("the form of an address of IPv6", () => {
  const form = new RegExp(`^${ipV6}$`, "u");

  it("is what a URL takes, and no other text", () => {
    fc.assert(
      fc.property(address, (text) => {
        expect({ text, has: form.test(text) }).toEqual({ text, has: URL.canParse(`http://[${text}]/`) });
      }),
      { numRuns: 20_000 },
    );
  });

  it.each(["::", "::1", "2001:db8::1", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "::ffff:203.0.113.7", "1::2:3.4.5.6"])(
    "has %s",
    (text) => expect(form.test(text)).toBe(true),
  );

  it.each([
    "",
    ":",
    ":::",
    "1",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "1::2::3",
    "B:5:b:a1Ba.:",
    "1:2:3:4:5:6:7:1.2.3.4",
  ])("has no %j", (text) => expect(form.test(text)).toBe(false));
});
