import { describe, expect, it } from "vitest";
import { emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { message } from "../../../test/support/emulator/scenario.ts";
import { typedClient } from "../../../test/support/emulator/typed-client.ts";

const REF = "abcdefghijklmnopqrst";
const PATH = `/v1/projects/${REF}/network-bans`;

const bans = [
  { address: "203.0.113.7" },
  { address: "203.0.113.7", identifier: "replica-1" },
  { address: "203.0.113.8", identifier: "replica-1" },
  { address: "127.0.0.1" },
];
const readReplicas = [{ region: "us-west-1", identifier: "replica-1" }] as const;
const seed = { projects: [{ name: "shop", ref: REF, readReplicas: [...readReplicas], bans }] };

describe("banned addresses", () => {
  it("are none on a fresh project", async () => {
    await using under = await emulatorUnderTest({ seed: { projects: [{ name: "shop", ref: REF }] } });
    await using client = typedClient(under);
    expect(await client.networkBans.list({ ref: REF })).toEqual({ banned_ipv4_addresses: [] });
    expect(await client.networkBans.listEnriched({ ref: REF })).toEqual({ banned_ipv4_addresses: [] });
  });

  it("are listed once each, and with the databases that banned them", async () => {
    await using under = await emulatorUnderTest({ seed });
    await using client = typedClient(under);
    expect(await client.networkBans.list({ ref: REF })).toEqual({
      banned_ipv4_addresses: ["203.0.113.7", "203.0.113.8", "127.0.0.1"],
    });
    const { banned_ipv4_addresses: enriched } = await client.networkBans.listEnriched({ ref: REF });
    expect(enriched).toHaveLength(4);
    expect(enriched[0]).toEqual({ banned_address: "203.0.113.7", identifier: REF, type: "password_failures" });
  });

  it("come by control call too", async () => {
    await using under = await emulatorUnderTest({ seed: { projects: [{ name: "shop", ref: REF }] } });
    await using client = typedClient(under);
    await under.control.network.ban({ ref: REF, address: "198.51.100.1" });
    expect(await client.networkBans.list({ ref: REF })).toEqual({ banned_ipv4_addresses: ["198.51.100.1"] });
  });

  it("may be read by who may only read, and lifted by who may write", async () => {
    await using under = await emulatorUnderTest({
      seed: {
        ...seed,
        organizations: [{ slug: "acme", members: { owner: "Owner", guest: "Read-only" } }],
        tokens: [{ token: "guest", user: "guest" }],
      },
    });
    expect((await under.call("POST", `${PATH}/retrieve`, { token: "guest" })).status).toBe(201);
    const body = { ipv4_addresses: ["203.0.113.7"] };
    expect((await under.call("DELETE", PATH, { token: "guest", body })).status).toBe(403);
  });

  it.each([
    { why: "an address, in every database", body: { ipv4_addresses: ["203.0.113.7"] }, lifted: [0, 1] },
    { why: "none of the addresses that are not banned", body: { ipv4_addresses: ["198.51.100.1"] }, lifted: [] },
    { why: "nothing without a word", body: { ipv4_addresses: [] }, lifted: [] },
    { why: "the caller's own address", body: { ipv4_addresses: [], requester_ip: true }, lifted: [3] },
    { why: "no own address when that is not asked for", body: { ipv4_addresses: [], requester_ip: false }, lifted: [] },
    { why: "all of one database", body: { ipv4_addresses: [], identifier: "replica-1" }, lifted: [1, 2] },
    { why: "an address in one database", body: { ipv4_addresses: ["203.0.113.7"], identifier: REF }, lifted: [0] },
  ])("are lifted: $why", async ({ body, lifted }) => {
    await using under = await emulatorUnderTest({ seed });
    await using client = typedClient(under);
    const left = async () =>
      (await client.networkBans.listEnriched({ ref: REF })).banned_ipv4_addresses.map(
        ({ banned_address: address, identifier }) => `${address} ${identifier}`,
      );
    const before = await left();
    await client.networkBans.delete({ ref: REF, body });
    expect(await left()).toEqual(before.filter((_, index) => !lifted.includes(index)));
  });

  it("are lifted with an empty body as answer", async () => {
    await using under = await emulatorUnderTest({ seed });
    const answer = await under.call("DELETE", PATH, { body: { ipv4_addresses: ["203.0.113.7"] } });
    expect([answer.status, answer.text]).toEqual([200, ""]);
  });

  it.each([
    { why: "no addresses at all", body: {}, says: "ipv4_addresses" },
    { why: "an IPv6 address", body: { ipv4_addresses: ["2001:db8::1"] }, says: "203.0.113.7" },
    { why: "a range", body: { ipv4_addresses: ["203.0.113.0/24"] }, says: "ipv4_addresses.0" },
  ])("are not lifted for $why", async ({ body, says }) => {
    await using under = await emulatorUnderTest({ seed });
    const refused = await under.call("DELETE", PATH, { body });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining(says)]);
  });
});
