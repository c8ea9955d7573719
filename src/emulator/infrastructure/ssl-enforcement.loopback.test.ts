import { describe, expect, it } from "vitest";
import { contract } from "../../api/contract/contract.ts";
import type { SeedInput } from "../state/seed.ts";
import { emulatorUnderTest, undeclared } from "../../../test/support/emulator/api.ts";
import { message } from "../../../test/support/emulator/scenario.ts";
import { typedClient } from "../../../test/support/emulator/typed-client.ts";

const REF = "abcdefghijklmnopqrst";
const PATH = `/v1/projects/${REF}/ssl-enforcement`;

const shop = { name: "shop", ref: REF } as const;
const seed: SeedInput = { projects: [shop] };
const timings = { restartingMs: 2000 };
const enforced = { requestedConfig: { database: true } } as const;

describe("SSL enforcement", () => {
  it("is off on a fresh project", async () => {
    await using under = await emulatorUnderTest({ seed });
    await using client = typedClient(under);
    expect(await client.sslEnforcement.get({ ref: REF })).toEqual({
      currentConfig: { database: false },
      appliedSuccessfully: true,
    });
  });

  it("reboots the database, and holds when that is over", async () => {
    await using under = await emulatorUnderTest({ seed, timings });
    await using client = typedClient(under);
    const requested = { currentConfig: { database: true }, appliedSuccessfully: false };
    expect(await client.sslEnforcement.update({ ref: REF, body: enforced })).toEqual(requested);
    expect((await client.projects.get({ ref: REF })).status).toBe("RESTARTING");
    under.clock.advance(1999);
    expect(await client.sslEnforcement.get({ ref: REF })).toEqual(requested);
    under.clock.advance(1);
    expect(await client.sslEnforcement.get({ ref: REF })).toEqual({ ...requested, appliedSuccessfully: true });
    expect((await client.projects.get({ ref: REF })).status).toBe("ACTIVE_HEALTHY");
  });

  it("does nothing for what holds already", async () => {
    await using under = await emulatorUnderTest({ seed });
    await using client = typedClient(under);
    const body = { requestedConfig: { database: false } } as const;
    expect(await client.sslEnforcement.update({ ref: REF, body })).toEqual({
      currentConfig: { database: false },
      appliedSuccessfully: true,
    });
    expect((await client.projects.get({ ref: REF })).status).toBe("ACTIVE_HEALTHY");
  });

  it("leaves a paused project paused", async () => {
    await using under = await emulatorUnderTest({ seed: { projects: [{ ...shop, status: "INACTIVE" }] } });
    await using client = typedClient(under);
    await client.sslEnforcement.update({ ref: REF, body: enforced });
    expect((await client.projects.get({ ref: REF })).status).toBe("INACTIVE");
    expect((await client.sslEnforcement.get({ ref: REF })).currentConfig.database).toBe(true);
  });

  it.each([
    { why: "a project that the seed says cannot have it", seeded: false },
    { why: "a project that a control call says cannot have it", seeded: true },
  ])("is refused with a bare JSON string for $why", async ({ seeded }) => {
    await using under = await emulatorUnderTest({
      seed: { projects: [{ ...shop, sslEnforcementSupported: seeded }] },
    });
    if (seeded) await under.control.ssl.support({ ref: REF, supported: false });
    const bare = '"not allowed to configure SSL enforcements"';
    const answers = [await under.call("GET", PATH), await under.call("PUT", PATH, { body: enforced })];
    expect(answers.map(({ status, text }) => [status, text])).toEqual([
      [400, bare],
      [400, bare],
    ]);
    expect(answers.map((answer) => undeclared(contract.sslEnforcement.update, answer))).toEqual([undefined, undefined]);
    await using client = typedClient(under);
    await expect(client.sslEnforcement.update({ ref: REF, body: enforced })).rejects.toMatchObject({
      status: 400,
      message: "not allowed to configure SSL enforcements",
    });
    await under.control.ssl.support({ ref: REF, supported: true });
    expect((await under.call("GET", PATH)).status).toBe(200);
  });

  it.each([
    { why: "no configuration", body: {}, says: "requestedConfig" },
    {
      why: "a word instead of a switch",
      body: { requestedConfig: { database: "on" } },
      says: "requestedConfig.database",
    },
    { why: "more than the database", body: { requestedConfig: { database: true, api: true } }, says: "api" },
  ])("is refused for $why", async ({ body, says }) => {
    await using under = await emulatorUnderTest({ seed });
    const refused = await under.call("PUT", PATH, { body });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining(says)]);
  });
});
