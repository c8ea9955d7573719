import { createHash } from "node:crypto";
import { importJWK } from "jose";
import { expect } from "vitest";
import { z } from "zod";
import { type EffectsOf, type Scene, SHOP, START } from "./scene.ts";

const digest = (value: string): string => createHash("sha256").update(value, "utf8").digest("hex");

export const authConfig: EffectsOf<"authConfig"> = {
  get: async ({ client }) => {
    await client.authConfig.update({
      ref: SHOP,
      body: { external_github_enabled: true, external_github_client_id: "id", external_github_secret: "hunter2" },
    });
    const config = await client.authConfig.get({ ref: SHOP });
    expect(Object.keys(config)).toHaveLength(237);
    expect(config).toMatchObject({
      site_url: "http://localhost:3000",
      external_github_enabled: true,
      external_github_client_id: "id",
      external_github_secret: digest("hunter2"),
    });
  },
  update: async ({ client }) => {
    const before = await client.authConfig.get({ ref: SHOP });
    const changes = { site_url: "https://shop.test", jwt_exp: 600 };
    await client.authConfig.update({ ref: SHOP, body: changes });
    expect(await client.authConfig.get({ ref: SHOP })).toEqual({ ...before, ...changes });
    await client.authConfig.update({ ref: SHOP, body: { site_url: null } });
    expect(await client.authConfig.get({ ref: SHOP })).toEqual({ ...before, jwt_exp: 600 });
  },
};

const METADATA = "https://idp.test/metadata";

async function aProvider({ client }: Scene) {
  await client.authConfig.update({ ref: SHOP, body: { saml_enabled: true } });
  return client.ssoProviders.create({
    ref: SHOP,
    body: { type: "saml", metadata_url: METADATA, domains: ["Shop.Test", "b.test"] },
  });
}

const saml = { entity_id: METADATA, metadata_url: METADATA };

export const ssoProviders: EffectsOf<"ssoProviders"> = {
  create: async (scene) => {
    const made = await aProvider(scene);
    expect(made).toMatchObject({ saml, domains: [{ domain: "shop.test" }, { domain: "b.test" }] });
    expect(await scene.client.ssoProviders.get({ ref: SHOP, provider_id: made.id })).toEqual(made);
  },
  list: async (scene) => {
    expect(await scene.client.ssoProviders.list({ ref: SHOP })).toEqual({ items: [] });
    const made = await aProvider(scene);
    expect(await scene.client.ssoProviders.list({ ref: SHOP })).toEqual({ items: [made] });
  },
  get: async (scene) => {
    const { id } = await aProvider(scene);
    expect(await scene.client.ssoProviders.get({ ref: SHOP, provider_id: id })).toMatchObject({
      id,
      saml,
      domains: [{ domain: "shop.test" }, { domain: "b.test" }],
      created_at: START,
      updated_at: START,
    });
  },
  update: async (scene) => {
    const made = await aProvider(scene);
    scene.pass(1000);
    const provider = { ref: SHOP, provider_id: made.id };
    await scene.client.ssoProviders.update({ ...provider, body: { domains: ["c.test", "b.test"] } });
    const read = await scene.client.ssoProviders.get(provider);
    expect(read).toMatchObject({ saml: made.saml, created_at: START, updated_at: "2026-01-01T00:00:01.000Z" });
    expect(read.domains).toMatchObject([{ domain: "c.test" }, { id: made.domains?.[1]?.id, domain: "b.test" }]);
  },
  delete: async (scene) => {
    const made = await aProvider(scene);
    expect(await scene.client.ssoProviders.delete({ ref: SHOP, provider_id: made.id })).toEqual(made);
    expect(await scene.client.ssoProviders.list({ ref: SHOP })).toEqual({ items: [] });
  },
};

const ISSUER = { ref: SHOP, body: { oidc_issuer_url: "https://issuer.test" } };
const jwks = z.object({ keys: z.tuple([z.looseObject({ kid: z.string() })]) });

export const thirdPartyAuth: EffectsOf<"thirdPartyAuth"> = {
  create: async ({ client }) => {
    const keys = { keys: [{ kty: "EC", crv: "P-256", x: "x", y: "y" }] };
    const made = await client.thirdPartyAuth.create({ ref: SHOP, body: { custom_jwks: keys } });
    expect(made).toMatchObject({ custom_jwks: keys, resolved_jwks: keys, resolved_at: START });
    expect(await client.thirdPartyAuth.get({ ref: SHOP, tpa_id: made.id })).toEqual(made);
  },
  list: async ({ client }) => {
    const made = await client.thirdPartyAuth.create(ISSUER);
    const other = await client.thirdPartyAuth.create({ ref: SHOP, body: { jwks_url: "https://other.test/keys" } });
    expect(other).toMatchObject({ oidc_issuer_url: null, jwks_url: "https://other.test/keys" });
    expect(await client.thirdPartyAuth.list({ ref: SHOP })).toEqual([made, other]);
  },
  get: async ({ client, pass }) => {
    const { id } = await client.thirdPartyAuth.create(ISSUER);
    const read = () => client.thirdPartyAuth.get({ ref: SHOP, tpa_id: id });
    expect(await read()).toEqual({
      id,
      type: "oidc",
      oidc_issuer_url: "https://issuer.test",
      jwks_url: null,
      custom_jwks: null,
      resolved_jwks: null,
      inserted_at: START,
      updated_at: START,
      resolved_at: null,
    });
    pass(2000);
    const { resolved_jwks: resolved, resolved_at } = await read();
    expect(resolved_at).toBe("2026-01-01T00:00:02.000Z");
    expect(await importJWK(jwks.parse(resolved).keys[0], "ES256")).toMatchObject({ type: "public" });
  },
  delete: async ({ client }) => {
    const made = await client.thirdPartyAuth.create(ISSUER);
    expect(await client.thirdPartyAuth.delete({ ref: SHOP, tpa_id: made.id })).toEqual(made);
    expect(await client.thirdPartyAuth.list({ ref: SHOP })).toEqual([]);
    await expect(client.thirdPartyAuth.get({ ref: SHOP, tpa_id: made.id })).rejects.toMatchObject({ status: 404 });
  },
};
