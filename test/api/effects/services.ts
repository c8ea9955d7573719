import { expect } from "vitest";
import { type EffectsOf, type Scene, SHOP, START } from "./scene.ts";

export const dataApi: EffectsOf<"dataApi"> = {
  get: async ({ client }) => {
    await client.dataApi.update({ ref: SHOP, body: { db_schema: "api, public", db_pool: 5 } });
    expect(await client.dataApi.get({ ref: SHOP })).toEqual({
      db_schema: "api,public",
      max_rows: 1000,
      db_extra_search_path: "public, extensions",
      db_pool: 5,
      jwt_secret: expect.stringMatching(/^.{32,}$/),
    });
  },
  update: async ({ client }) => {
    const changed = await client.dataApi.update({ ref: SHOP, body: { max_rows: 10 } });
    expect(changed).toMatchObject({ db_schema: "public,graphql_public", max_rows: 10 });
    expect(await client.dataApi.get({ ref: SHOP })).toMatchObject(changed);
    await client.dataApi.update({ ref: SHOP, body: { db_schema: "" } });
    expect(await client.projects.health({ ref: SHOP, services: ["rest"] })).toMatchObject([{ healthy: false }]);
  },
};

const realtimeHealth = async ({ client }: Scene) =>
  (await client.projects.health({ ref: SHOP, services: ["realtime"] }))[0]?.status;

export const realtime: EffectsOf<"realtime"> = {
  get: async ({ client }) => {
    await client.realtime.update({ ref: SHOP, body: { max_events_per_second: 7, presence_enabled: false } });
    expect(await client.realtime.get({ ref: SHOP })).toMatchObject({
      max_events_per_second: 7,
      presence_enabled: false,
      suspend: false,
    });
  },
  update: async ({ client }) => {
    const before = await client.realtime.get({ ref: SHOP });
    const body = { max_concurrent_users: 7, private_only: true };
    expect(await client.realtime.update({ ref: SHOP, body })).toBeUndefined();
    expect(await client.realtime.get({ ref: SHOP })).toEqual({ ...before, ...body });
  },
  shutdown: async (scene) => {
    expect(await scene.client.realtime.shutdown({ ref: SHOP })).toBeUndefined();
    expect(await realtimeHealth(scene)).toBe("COMING_UP");
    scene.pass();
    expect(await realtimeHealth(scene)).toBe("ACTIVE_HEALTHY");
  },
};

export const storage: EffectsOf<"storage"> = {
  get: async ({ client }) => {
    expect((await client.storage.get({ ref: SHOP })).fileSizeLimit).toBe(52_428_800);
    await client.storage.update({ ref: SHOP, body: { external: { upstreamTarget: "canary" } } });
    expect(await client.storage.get({ ref: SHOP })).toMatchObject({
      fileSizeLimit: 52_428_800,
      external: { upstreamTarget: "canary" },
    });
  },
  update: async ({ client }) => {
    const { features } = await client.storage.get({ ref: SHOP });
    const imageTransformation = { enabled: features.imageTransformation?.enabled !== true };
    await client.storage.update({ ref: SHOP, body: { fileSizeLimit: 1024, features: { imageTransformation } } });
    expect(await client.storage.get({ ref: SHOP })).toMatchObject({
      fileSizeLimit: 1024,
      features: { ...features, imageTransformation },
    });
  },
  listBuckets: {
    because: "no operation makes a bucket",
    proof: async ({ client, control, pass }) => {
      await control.storage.putBucket({ ref: SHOP, name: "avatars", public: true });
      pass(1000);
      await control.storage.putBucket({ ref: SHOP, name: "letters" });
      const times = (at: string) => ({ created_at: at, updated_at: at });
      expect(await client.storage.listBuckets({ ref: SHOP })).toMatchObject([
        { name: "avatars", public: true, ...times(START) },
        { name: "letters", public: false, ...times("2026-01-01T00:00:01.000Z") },
      ]);
    },
  },
};

const HOSTNAME = { ref: SHOP, body: { custom_hostname: "API.example.com" } };

/** The hostname waits for its records; `verified`: name servers answer as it wants. */
async function initialized({ client, control }: Scene, state: "waiting" | "verified" | "active" = "waiting") {
  await client.addons.apply({ ref: SHOP, body: { addon_variant: "cd_default", addon_type: "custom_domain" } });
  const made = await client.customHostname.initialize(HOSTNAME);
  if (state === "waiting") return made;
  await control.dns.set({ name: "example.com", obeys: true });
  const verified = await client.customHostname.reverify({ ref: SHOP });
  return state === "verified" ? verified : client.customHostname.activate({ ref: SHOP });
}

export const customHostname: EffectsOf<"customHostname"> = {
  get: async (scene) => {
    await initialized(scene, "active");
    expect(await scene.client.customHostname.get({ ref: SHOP })).toMatchObject({
      status: "5_services_reconfigured",
      custom_hostname: "api.example.com",
      data: { result: { hostname: "api.example.com", status: "active", ssl: { status: "active" } } },
    });
  },
  initialize: async (scene) => {
    const made = await initialized(scene);
    expect(made).toMatchObject({ status: "2_initiated", data: { result: { status: "pending" } } });
    expect(await scene.client.customHostname.get({ ref: SHOP })).toEqual(made);
  },
  reverify: async (scene) => {
    const waiting = await initialized(scene);
    expect((await scene.client.customHostname.reverify({ ref: SHOP })).status).toBe("2_initiated");
    const { name = "", value = "" } = waiting.data.result.ownership_verification ?? {};
    await scene.control.dns.set({ name, texts: [value] });
    for (const { txt_name, txt_value } of waiting.data.result.ssl.validation_records ?? []) {
      await scene.control.dns.set({ name: txt_name, texts: [txt_value] });
    }
    await scene.client.customHostname.reverify({ ref: SHOP });
    expect((await scene.client.customHostname.get({ ref: SHOP })).status).toBe("4_origin_setup_completed");
  },
  activate: async (scene) => {
    expect((await initialized(scene, "verified")).status).toBe("4_origin_setup_completed");
    await scene.client.customHostname.activate({ ref: SHOP });
    expect((await scene.client.customHostname.get({ ref: SHOP })).status).toBe("5_services_reconfigured");
  },
  delete: async (scene) => {
    await initialized(scene, "active");
    await scene.client.customHostname.delete({ ref: SHOP, remove_addon: true });
    await expect(scene.client.customHostname.get({ ref: SHOP })).rejects.toMatchObject({ status: 400 });
    const { selected_addons: selected } = await scene.client.addons.list({ ref: SHOP });
    expect(selected.map(({ type }) => type)).toEqual(["compute_instance"]);
  },
};

const SUBDOMAIN = { ref: SHOP, body: { vanity_subdomain: "My-Shop" } };

export const vanitySubdomain: EffectsOf<"vanitySubdomain"> = {
  get: async ({ client }) => {
    expect(await client.vanitySubdomain.get({ ref: SHOP })).toEqual({ status: "not-used" });
    await client.vanitySubdomain.activate(SUBDOMAIN);
    expect(await client.vanitySubdomain.get({ ref: SHOP })).toEqual({
      status: "active",
      custom_domain: "my-shop.emulator.test",
    });
  },
  checkAvailability: async ({ client }) => {
    const body = { name: "blog", db_pass: "long enough", organization_slug: "acme" };
    const { ref } = await client.projects.create({ body });
    const check = () => client.vanitySubdomain.checkAvailability({ ...SUBDOMAIN, ref });
    expect(await check()).toEqual({ available: true });
    await client.vanitySubdomain.activate(SUBDOMAIN);
    expect(await check()).toEqual({ available: false });
  },
  activate: async ({ client }) => {
    const active = await client.vanitySubdomain.activate(SUBDOMAIN);
    expect(active).toEqual({ custom_domain: "my-shop.emulator.test" });
    expect(await client.vanitySubdomain.get({ ref: SHOP })).toEqual({ status: "active", ...active });
  },
  delete: async ({ client }) => {
    await client.vanitySubdomain.activate(SUBDOMAIN);
    expect(await client.vanitySubdomain.delete({ ref: SHOP })).toBeUndefined();
    expect(await client.vanitySubdomain.get({ ref: SHOP })).toEqual({ status: "not-used" });
  },
};
