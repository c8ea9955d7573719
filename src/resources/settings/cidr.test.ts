import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { normalCidr, parseCidr, publicCidr } from "./cidr.ts";

describe("a range", () => {
  it.each([
    ["203.0.113.7/24", "203.0.113.0/24", "host bits are cleared"],
    ["0.0.0.0/0", "0.0.0.0/0", "everywhere"],
    ["2001:DB8::/32", "2001:db8::/32", "letters are small"],
    ["2001:db8:0:0:0:0:0:1/128", "2001:db8::1/128", "zeros are left out"],
    ["2001:db8:0:0:1:0:0:1/128", "2001:db8::1:0:0:1/128", "the first of two runs of the same length"],
    ["2001:0:0:1:0:0:0:1/128", "2001:0:0:1::1/128", "the longer of two runs"],
    ["2001:db8:0:1:1:1:1:1/128", "2001:db8:0:1:1:1:1:1/128", "one zero alone stays"],
    ["1000:0:0:10::/64", "1000:0:0:10::/64", "a group that ends in a zero is none"],
    ["::/0", "::/0", "everywhere"],
    ["::ffff/120", "::ff00/120", "a group is cut"],
  ])("%s is %s: %s", (written, normal) => {
    expect(normalCidr(written)).toBe(normal);
  });

  it.each([
    ["203.0.113.7", "no length"],
    ["203.0.113.0/33", "a length beyond IPv4"],
    ["2001:db8::/129", "a length beyond IPv6"],
    ["203.0.113/24", "three parts"],
    ["203.0.113.256/32", "a part beyond a byte"],
    ["203.0.113.01/32", "a leading zero, which some read as octal"],
    ["203.0.113.0/024", "a leading zero in the length"],
    ["2001:db8::1::/64", "two runs of zeros"],
    ["2001:db8:1:2:3:4:5:6:7/64", "nine groups"],
    ["2001:db8:1:2:3:4:5/64", "seven groups"],
    ["1:2:3:4:5:6:7:8::/64", "a run of zeros where there is no room"],
    [":1::/64", "a colon at the beginning"],
    ["2001:db8::12345/128", "a group of five"],
    ["::ffff:203.0.113.7/128", "IPv4 within IPv6"],
    ["db.example.com/32", "a name"],
    ["", "nothing"],
  ])("is not %j: %s", (written) => {
    expect(parseCidr(written)).toBeUndefined();
    const { success, error } = publicCidr.safeParse(written);
    expect([success, error?.issues[0]?.message]).toEqual([
      false,
      expect.stringContaining("write a range in CIDR form"),
    ]);
  });

  it.each([
    "10.0.0.0/8",
    "10.200.3.4/32",
    "127.0.0.1/32",
    "169.254.1.0/24",
    "172.31.255.255/32",
    "192.168.1.0/24",
    "::1/128",
    "fd00::/8",
    "fe80::1/64",
  ])("[K-21] is private, and refused: %s", (written) => {
    const { success, error } = publicCidr.safeParse(written);
    expect([success, error?.issues[0]?.message]).toEqual([false, expect.stringContaining("write a public range")]);
  });

  it.each([
    "0.0.0.0/0",
    "8.0.0.0/6",
    "172.32.0.0/16",
    "172.15.0.0/16",
    "11.0.0.0/8",
    "::/0",
    "fec0::/10",
    "2001:db8::/32",
  ])("is public: %s", (written) => expect(publicCidr.safeParse(written).success).toBe(true));

  const v4 = fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 })).map(([address, bits]) => `${address}/${bits}`);
  const v6 = fc
    .tuple(
      fc.array(fc.constantFrom("0", "0", "1", "ab", "ff0"), { minLength: 8, maxLength: 8 }),
      fc.integer({ min: 0, max: 128 }),
    )
    .map(([groups, bits]) => `${groups.join(":")}/${bits}`);

  it("has one form: what is normal stays as it is, and is the same range", () => {
    fc.assert(
      fc.property(fc.oneof(v4, v6), (written) => {
        const normal = normalCidr(written);
        expect(normalCidr(normal)).toBe(normal);
        expect(parseCidr(normal)).toEqual(parseCidr(written));
      }),
    );
  });
});
