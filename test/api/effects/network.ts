import { expect } from "vitest";
import { type EffectsOf, type Scene, SHOP, START } from "./scene.ts";

const BANNED = "203.0.113.7";
const ALSO_BANNED = "203.0.113.8";
const NO_BAN = "no operation bans an address";

async function ban({ control }: Scene): Promise<void> {
  for (const address of [BANNED, ALSO_BANNED]) await control.network.ban({ ref: SHOP, address });
}

export const networkBans: EffectsOf<"networkBans"> = {
  list: {
    because: NO_BAN,
    proof: async (scene) => {
      await ban(scene);
      expect(await scene.client.networkBans.list({ ref: SHOP })).toEqual({
        banned_ipv4_addresses: [BANNED, ALSO_BANNED],
      });
    },
  },
  listEnriched: {
    because: NO_BAN,
    proof: async (scene) => {
      await ban(scene);
      const found = { identifier: SHOP, type: "password_failures" };
      expect(await scene.client.networkBans.listEnriched({ ref: SHOP })).toEqual({
        banned_ipv4_addresses: [
          { ...found, banned_address: BANNED },
          { ...found, banned_address: ALSO_BANNED },
        ],
      });
    },
  },
  delete: async (scene) => {
    await ban(scene);
    await scene.client.networkBans.delete({ ref: SHOP, body: { ipv4_addresses: [BANNED] } });
    expect(await scene.client.networkBans.list({ ref: SHOP })).toEqual({ banned_ipv4_addresses: [ALSO_BANNED] });
  },
};

const V4 = "203.0.113.0/24";
const V6 = "2001:db8::/32";

export const networkRestrictions: EffectsOf<"networkRestrictions"> = {
  get: async ({ client, pass }) => {
    await client.networkRestrictions.apply({ ref: SHOP, body: { dbAllowedCidrs: [V4], dbAllowedCidrsV6: [V6] } });
    pass();
    expect(await client.networkRestrictions.get({ ref: SHOP })).toMatchObject({
      entitlement: "allowed",
      config: { dbAllowedCidrs: [V4], dbAllowedCidrsV6: [V6] },
      status: "applied",
      updated_at: START,
      applied_at: "2026-01-01T00:00:01.500Z",
    });
  },
  apply: async ({ client, pass }) => {
    const stored = await client.networkRestrictions.apply({ ref: SHOP, body: { dbAllowedCidrs: [V4] } });
    expect(stored).toMatchObject({ config: { dbAllowedCidrs: [V4], dbAllowedCidrsV6: [] }, status: "stored" });
    expect(await client.networkRestrictions.get({ ref: SHOP })).toEqual(stored);
    pass();
    expect((await client.networkRestrictions.get({ ref: SHOP })).status).toBe("applied");
  },
  update: async ({ client }) => {
    await client.networkRestrictions.apply({ ref: SHOP, body: { dbAllowedCidrs: [V4, "198.51.100.0/24"] } });
    const body = { add: { dbAllowedCidrsV6: [V6] }, remove: { dbAllowedCidrs: [V4] } };
    const changed = await client.networkRestrictions.update({ ref: SHOP, body });
    expect(changed.config.dbAllowedCidrs).toEqual([
      { address: "198.51.100.0/24", type: "v4" },
      { address: V6, type: "v6" },
    ]);
    expect((await client.networkRestrictions.get({ ref: SHOP })).config).toEqual({
      dbAllowedCidrs: ["198.51.100.0/24"],
      dbAllowedCidrsV6: [V6],
    });
  },
};
