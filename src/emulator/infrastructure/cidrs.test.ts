import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ApiFailure } from "../failure.ts";
import { normalCidrs, refusePrivate } from "./cidrs.ts";

describe("ranges as they are kept", () => {
  it.each([
    { why: "host bits are cleared", given: ["203.0.113.77/24"], kept: ["203.0.113.0/24"] },
    { why: "each range stands once", given: ["203.0.113.1/24", "203.0.113.2/24"], kept: ["203.0.113.0/24"] },
    { why: "a range within another one stays", given: ["0.0.0.0/0", "8.8.8.8/32"], kept: ["0.0.0.0/0", "8.8.8.8/32"] },
    {
      why: "the order is that of the addresses",
      given: ["100.0.0.0/8", "9.0.0.0/8"],
      kept: ["9.0.0.0/8", "100.0.0.0/8"],
    },
    { why: "a wider range comes first", given: ["9.0.0.0/16", "9.0.0.0/8"], kept: ["9.0.0.0/8", "9.0.0.0/16"] },
    { why: "IPv6 is lower case and short", given: ["2001:0DB8:0:0:0:0:0:1/32"], kept: ["2001:db8::/32"] },
    { why: "all of IPv6", given: ["::/0"], kept: ["::/0"] },
    { why: "nothing", given: [], kept: [] },
  ])("$why", ({ given, kept }) => {
    expect(normalCidrs(given)).toEqual(kept);
  });

  const v4 = fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 })).map(([address, bits]) => `${address}/${bits}`);
  const v6 = fc
    .tuple(
      fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 }),
      fc.integer({ min: 0, max: 128 }),
    )
    .map(([words, bits]) => `${words.map((word) => word.toString(16)).join(":")}/${bits}`);

  it.each([
    ["IPv4", v4],
    ["IPv6", v6],
  ])("are the same for every order and spelling of the same ranges: %s", (_family, range) => {
    fc.assert(
      fc.property(fc.array(range), (ranges) => {
        const kept = normalCidrs(ranges);
        expect(normalCidrs(kept)).toEqual(kept);
        expect(normalCidrs([...ranges, ...kept].toReversed().map((one) => one.toUpperCase()))).toEqual(kept);
      }),
    );
  });
});

describe("a private range", () => {
  const check = (range: string) => () => refusePrivate(["203.0.113.0/24", range], "dbAllowedCidrs");

  it.each([
    { range: "10.0.0.0/8", why: "private" },
    { range: "172.31.255.0/24", why: "private" },
    { range: "192.168.1.1/32", why: "private" },
    { range: "127.0.0.1/32", why: "loopback" },
    { range: "169.254.0.0/16", why: "link-local" },
    { range: "fd00::/8", why: "unique local" },
    { range: "fe80::/10", why: "link-local" },
    { range: "::1/128", why: "loopback" },
  ])("is refused by its name: $range ($why)", ({ range }) => {
    const words = `dbAllowedCidrs: expected public ranges, received the private one '${range}'`;
    expect(check(range)).toThrow(new ApiFailure(400, words));
  });

  it.each([
    { range: "10.0.0.0/7", why: "reaches beyond the private block" },
    { range: "0.0.0.0/0", why: "everywhere" },
    { range: "::/0", why: "everywhere" },
    { range: "203.0.113.0/24", why: "public" },
    { range: "2001:db8::/32", why: "public" },
  ])("is not what $range is: $why", ({ range }) => {
    expect(check(range)).not.toThrow();
  });
});
