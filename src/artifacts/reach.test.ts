import type { LookupAddress } from "node:dns";
import { describe, expect, it } from "vitest";
import { Reach } from "./reach.ts";

const reach = new Reach({ loopback: false });

describe("what an artifact is never fetched from", () => {
  it.each([
    ["169.254.169.254", "the metadata of a cloud's machine, which are its credentials"],
    ["169.254.170.2", "those of a task"],
    ["169.254.0.1", "any other link-local address"],
    ["::ffff:169.254.169.254", "as an IPv6 address"],
    ["::ffff:a9fe:a9fe", "as one, otherwise written"],
    ["64:ff9b::a9fe:a9fe", "behind a NAT64"],
    ["fe80::1", "link-local"],
    ["fe80::1%eth0", "with its zone"],
    ["febf:ffff::1", "the last of the range"],
    ["fd00:ec2::254", "metadata without a link-local address"],
    ["fd20:ce::254", "another cloud's"],
    ["100.100.100.200", "another cloud's"],
    ["168.63.129.16", "another cloud's"],
    ["192.0.0.192", "another cloud's"],
    ["127.0.0.1", "the operator's own Pod"],
    ["127.8.8.8", "the same"],
    ["::1", "the same"],
    ["::ffff:127.0.0.1", "the same"],
    ["0.0.0.0", "the same, to most systems"],
    ["::", "the same"],
  ])("%s: %s", (address) => {
    expect(reach.includes(address)).toBe(false);
  });

  it.each([
    ["10.96.0.20", "a Service"],
    ["172.16.3.4", "a Pod"],
    ["192.168.1.4", "a host"],
    ["100.64.0.7", "a Pod of a large cluster"],
    ["fd12:3456::7", "a Service over IPv6"],
    ["203.0.113.7", "anybody"],
    ["2001:db8::7", "anybody"],
    ["169.253.255.255", "before the range"],
    ["169.255.0.0", "behind it"],
    ["fec0::1", "behind the other"],
  ])("and not %s: %s", (address) => {
    expect(reach.includes(address)).toBe(true);
  });

  it("is not its own machine where that is what is wanted", () => {
    const own = new Reach({ loopback: true });
    expect(["127.0.0.1", "::1", "169.254.169.254"].map((address) => own.includes(address))).toEqual([
      true,
      true,
      false,
    ]);
  });
});

/** What a name that has those addresses is resolved to, as net asks for it. */
function resolved(addresses: readonly string[], all: boolean): Promise<unknown> {
  const found = addresses.map((address): LookupAddress => ({ address, family: address.includes(":") ? 6 : 4 }));
  const lookup = new Reach({ loopback: false, resolve: (_name, done) => done(null, found) }).lookup;
  return new Promise((resolve) => {
    lookup("artifacts.example", { all }, (error, address, family) => {
      resolve(error === null ? [address, family] : error);
    });
  });
}

describe("a name", () => {
  it("has its addresses, all of them or the first", async () => {
    const [one, other] = [
      { address: "10.96.0.20", family: 4 },
      { address: "fd12::7", family: 6 },
    ];
    expect(await resolved(["10.96.0.20", "fd12::7"], true)).toEqual([[one, other], undefined]);
    expect(await resolved(["10.96.0.20", "fd12::7"], false)).toEqual(["10.96.0.20", 4]);
  });

  it.each([true, false])("is refused where one of its addresses is out of reach: all %s", async (all) => {
    const refused = { code: "Refused", message: expect.stringContaining("link-local") };
    expect(await resolved(["10.96.0.20", "169.254.169.254"], all)).toMatchObject(refused);
  });

  it("that there is not fails as it does", async () => {
    const error = Object.assign(new Error("not found"), { code: "ENOTFOUND" });
    const { lookup } = new Reach({ loopback: false, resolve: (_name, done) => done(error, []) });
    const failed = new Promise((resolve) => lookup("nowhere.example", {}, (told) => resolve(told)));
    expect(await failed).toBe(error);
    const { lookup: empty } = new Reach({ loopback: false, resolve: (_name, done) => done(null, []) });
    const none = new Promise((resolve) => empty("nowhere.example", {}, (told) => resolve(told)));
    expect(await none).toMatchObject({ code: "Unavailable" });
  });
});
