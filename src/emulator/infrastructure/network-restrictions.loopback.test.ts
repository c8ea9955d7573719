import { describe, expect, it } from "vitest";
import { branchSchema } from "../../api/contract/branches.ts";
import { projectSchema } from "../../api/contract/projects.ts";
import type { SeedInput } from "../state/seed.ts";
import { bodyAs, emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { aBranch, message, NEW_PROJECT } from "../../../test/support/emulator/scenario.ts";
import { typedClient } from "../../../test/support/emulator/typed-client.ts";

const REF = "abcdefghijklmnopqrst";
const PATH = `/v1/projects/${REF}/network-restrictions`;

const shop = { name: "shop", ref: REF } as const;
const seed: SeedInput = { projects: [shop] };
const timings = { networkApplyMs: 1500 };
const everywhere = { dbAllowedCidrs: ["0.0.0.0/0"], dbAllowedCidrsV6: ["::/0"] };

describe("network restrictions", () => {
  it("are none on a fresh project: every address is allowed", async () => {
    await using under = await emulatorUnderTest({ seed });
    await using client = typedClient(under);
    expect(await client.networkRestrictions.get({ ref: REF })).toEqual({
      entitlement: "allowed",
      config: everywhere,
      status: "applied",
    });
  });

  it("are stored at once and applied a moment later, with what was there before beside them", async () => {
    await using under = await emulatorUnderTest({ seed, timings });
    await using client = typedClient(under);
    const config = { dbAllowedCidrs: ["198.51.100.0/24", "203.0.113.0/24"], dbAllowedCidrsV6: ["2001:db8::/32"] };
    const stored = {
      entitlement: "allowed",
      config,
      old_config: everywhere,
      status: "stored",
      updated_at: "2026-01-01T00:00:00.000Z",
    };
    expect(await client.networkRestrictions.apply({ ref: REF, body: config })).toEqual(stored);
    under.clock.advance(1499);
    expect(await client.networkRestrictions.get({ ref: REF })).toEqual(stored);
    under.clock.advance(1);
    const applied = { ...stored, status: "applied", applied_at: "2026-01-01T00:00:01.500Z" };
    expect(await client.networkRestrictions.get({ ref: REF })).toEqual(applied);
  });

  it("[K-21] replace both lists: one that is left out is empty afterwards", async () => {
    await using under = await emulatorUnderTest({ seed });
    await using client = typedClient(under);
    const answer = await client.networkRestrictions.apply({ ref: REF, body: { dbAllowedCidrsV6: ["2001:db8::/32"] } });
    expect(answer.config).toEqual({ dbAllowedCidrs: [], dbAllowedCidrsV6: ["2001:db8::/32"] });
    await client.networkRestrictions.apply({ ref: REF, body: {} });
    expect((await client.networkRestrictions.get({ ref: REF })).config).toEqual({
      dbAllowedCidrs: [],
      dbAllowedCidrsV6: [],
    });
  });

  it("are kept without host bits, in order, each once", async () => {
    await using under = await emulatorUnderTest({ seed });
    await using client = typedClient(under);
    const body = {
      dbAllowedCidrs: ["203.0.113.9/24", "9.9.9.9/8", "203.0.113.0/24"],
      dbAllowedCidrsV6: ["2001:0DB8::1/32"],
    };
    expect((await client.networkRestrictions.apply({ ref: REF, body })).config).toEqual({
      dbAllowedCidrs: ["9.0.0.0/8", "203.0.113.0/24"],
      dbAllowedCidrsV6: ["2001:db8::/32"],
    });
  });

  it("[K-21] gain and lose single ranges by PATCH, which answers with the family of each", async () => {
    await using under = await emulatorUnderTest({ seed, timings });
    await using client = typedClient(under);
    await client.networkRestrictions.apply({ ref: REF, body: { dbAllowedCidrs: ["203.0.113.0/24", "9.0.0.0/8"] } });
    const answer = await client.networkRestrictions.update({
      ref: REF,
      body: {
        add: { dbAllowedCidrs: ["198.51.100.7/24"], dbAllowedCidrsV6: ["2001:db8::/32"] },
        remove: { dbAllowedCidrs: ["9.1.2.3/8", "8.0.0.0/8"] },
      },
    });
    expect(answer).toEqual({
      entitlement: "allowed",
      config: {
        dbAllowedCidrs: [
          { address: "198.51.100.0/24", type: "v4" },
          { address: "203.0.113.0/24", type: "v4" },
          { address: "2001:db8::/32", type: "v6" },
        ],
      },
      old_config: {
        dbAllowedCidrs: [
          { address: "9.0.0.0/8", type: "v4" },
          { address: "203.0.113.0/24", type: "v4" },
        ],
      },
      status: "stored",
      updated_at: "2026-01-01T00:00:00.000Z",
    });
    expect((await client.networkRestrictions.get({ ref: REF })).config).toEqual({
      dbAllowedCidrs: ["198.51.100.0/24", "203.0.113.0/24"],
      dbAllowedCidrsV6: ["2001:db8::/32"],
    });
  });

  it("keep a range that one PATCH both removes and adds", async () => {
    await using under = await emulatorUnderTest({ seed });
    await using client = typedClient(under);
    const both = { dbAllowedCidrs: ["203.0.113.0/24"], dbAllowedCidrsV6: ["2001:db8::/32"] };
    await client.networkRestrictions.apply({ ref: REF, body: both });
    await client.networkRestrictions.update({ ref: REF, body: { add: both, remove: both } });
    expect((await client.networkRestrictions.get({ ref: REF })).config).toEqual(both);
  });

  it.each([
    { why: "an address without a length", body: { dbAllowedCidrs: ["203.0.113.7"] }, says: "203.0.113.0/24" },
    { why: "a length that there is not", body: { dbAllowedCidrs: ["203.0.113.0/33"] }, says: "dbAllowedCidrs.0" },
    { why: "an IPv6 range among the IPv4 ones", body: { dbAllowedCidrs: ["2001:db8::/32"] }, says: "dbAllowedCidrs.0" },
    { why: "an IPv4 range among the IPv6 ones", body: { dbAllowedCidrsV6: ["203.0.113.0/24"] }, says: "2001:db8::/32" },
    {
      why: "[K-21] a private range",
      body: { dbAllowedCidrs: ["203.0.113.0/24", "10.1.0.0/16"] },
      says: "'10.1.0.0/16'",
    },
    { why: "a unique local range", body: { dbAllowedCidrsV6: ["fd12::/16"] }, says: "'fd12::/16'" },
    { why: "a list that there is not", body: { allowed: [] }, says: "allowed" },
  ])("are refused for $why, and stay as they were", async ({ body, says }) => {
    await using under = await emulatorUnderTest({ seed });
    const refused = [
      await under.call("POST", `${PATH}/apply`, { body }),
      await under.call("PATCH", PATH, { body: { add: body } }),
    ];
    for (const one of refused) expect([one.status, message(one)]).toEqual([400, expect.stringContaining(says)]);
    expect((await under.call("GET", PATH)).json).toMatchObject({ config: everywhere, status: "applied" });
  });
});

describe("the entitlement to network restrictions", () => {
  it.each([
    { why: "nothing is said, on the plan free", plan: "free", said: undefined, entitlement: "allowed" },
    { why: "nothing is said, on the plan pro", plan: "pro", said: undefined, entitlement: "allowed" },
    { why: "the seed says no", plan: "pro", said: "disallowed", entitlement: "disallowed" },
    { why: "the seed says yes", plan: "free", said: "allowed", entitlement: "allowed" },
  ] as const)("is $entitlement where $why", async ({ plan, said, entitlement }) => {
    await using under = await emulatorUnderTest({
      seed: {
        organizations: [{ slug: "acme", plan, members: { owner: "Owner" } }],
        projects: [{ ...shop, networkEntitlement: said }],
      },
    });
    expect((await under.call("GET", PATH)).json).toMatchObject({ entitlement, config: everywhere });
    const answers = [
      await under.call("POST", `${PATH}/apply`, { body: {} }),
      await under.call("PATCH", PATH, { body: {} }),
    ];
    const expected = entitlement === "allowed" ? [201, 200] : [400, 400];
    expect(answers.map(({ status }) => status)).toEqual(expected);
  });

  it("comes and goes by control call", async () => {
    await using under = await emulatorUnderTest({ seed });
    await under.control.network.entitle({ ref: REF, entitlement: "disallowed" });
    const refused = await under.call("POST", `${PATH}/apply`, { body: {} });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining("entitlement is disallowed")]);
    await under.control.network.entitle({ ref: REF, entitlement: "allowed" });
    expect((await under.call("POST", `${PATH}/apply`, { body: {} })).status).toBe(201);
  });
});

describe("network restrictions of a young project", () => {
  const young = { unknownMs: 1000, comingUpMs: 4000, serviceLagMs: 1000 };

  it.each([
    { afterMs: 0, status: 500, why: "it is UNKNOWN" },
    { afterMs: 4999, status: 500, why: "it is COMING_UP" },
    { afterMs: 5999, status: 500, why: "it is ACTIVE_HEALTHY, but the pooler is not up" },
    { afterMs: 6000, status: 201, why: "all services are up" },
  ])("[K-02] answer $status after $afterMs ms: $why", async ({ afterMs, status }) => {
    await using under = await emulatorUnderTest({ timings: young });
    const made = await under.call("POST", "/v1/projects", { body: { ...NEW_PROJECT, name: "shop" } });
    const { ref } = bodyAs(projectSchema, made);
    under.clock.advance(afterMs);
    const path = `/v1/projects/${ref}/network-restrictions`;
    const applied = await under.call("POST", `${path}/apply`, { body: { dbAllowedCidrs: [] } });
    expect(applied.status).toBe(status);
  });

  it("[K-02] are the one thing that a situation answers 500 to, and nothing has changed then", async () => {
    await using under = await emulatorUnderTest();
    const made = await under.call("POST", "/v1/projects", { body: { ...NEW_PROJECT, name: "shop" } });
    const path = `/v1/projects/${bodyAs(projectSchema, made).ref}/network-restrictions`;
    const refused = [
      await under.call("POST", `${path}/apply`, { body: { dbAllowedCidrs: [] } }),
      await under.call("PATCH", path, { body: { remove: everywhere } }),
    ];
    for (const one of refused) {
      expect([one.status, one.json]).toEqual([
        500,
        {
          message: expect.stringContaining("pooler tenant"),
          errorEventId: expect.stringMatching(/^[0-9a-f]{32}$/),
        },
      ]);
    }
    expect((await under.call("GET", path)).json).toMatchObject({ config: everywhere, status: "applied" });
  });

  it("are taken by a branch's own project once that one is up", async () => {
    await using under = await emulatorUnderTest({ seed, timings: young });
    await aBranch(under, REF, "main");
    const made = await under.call("POST", `/v1/projects/${REF}/branches`, { body: { branch_name: "dev" } });
    const { project_ref: ref } = bodyAs(branchSchema, made);
    const apply = () => under.call("POST", `/v1/projects/${ref}/network-restrictions/apply`, { body: {} });
    expect((await apply()).status).toBe(500);
    under.clock.advance(60_000);
    expect((await apply()).status).toBe(201);
  });

  it("are taken while it restarts: only what was just made is unknown to the pooler", async () => {
    await using under = await emulatorUnderTest({ seed });
    await under.call("POST", `/v1/projects/${REF}/restart`);
    expect((await under.call("POST", `${PATH}/apply`, { body: {} })).status).toBe(201);
  });
});
