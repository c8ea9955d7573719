import { createHash } from "node:crypto";
import { expect } from "vitest";
import { type EffectsOf, type Scene, SHOP, START } from "./scene.ts";

const digest = (value: string): string => createHash("sha256").update(value, "utf8").digest("hex");

/** Names and values of a project's secrets, without those of the platform. */
async function ownSecrets({ client }: Scene): Promise<Readonly<Record<string, string>>> {
  const all = await client.secrets.list({ ref: SHOP });
  return Object.fromEntries(
    all.filter(({ name }) => !name.startsWith("PLATFORM_")).map(({ name, value }) => [name, value]),
  );
}

const TWO_SECRETS = [
  { name: "A", value: "älpha" },
  { name: "B", value: "" },
];

export const secrets: EffectsOf<"secrets"> = {
  create: async (scene) => {
    expect(await scene.client.secrets.create({ ref: SHOP, body: TWO_SECRETS })).toBeUndefined();
    await scene.client.secrets.create({ ref: SHOP, body: [{ name: "B", value: "beta" }] });
    expect(await ownSecrets(scene)).toEqual({ A: digest("älpha"), B: digest("beta") });
  },
  list: async ({ client }) => {
    await client.secrets.create({ ref: SHOP, body: TWO_SECRETS });
    const listed = await client.secrets.list({ ref: SHOP });
    expect(listed).toContainEqual({ name: "A", value: digest("älpha"), updated_at: START });
    expect(listed.map(({ name }) => name)).toContain("PLATFORM_URL");
  },
  delete: async (scene) => {
    await scene.client.secrets.create({ ref: SHOP, body: TWO_SECRETS });
    expect(await scene.client.secrets.delete({ ref: SHOP, body: ["A", "NONE"] })).toBeUndefined();
    expect(await ownSecrets(scene)).toEqual({ B: digest("") });
  },
};

const JOBS = {
  type: "secret",
  name: "jobs",
  description: "of the night",
  secret_jwt_template: { role: "worker" },
} as const;

export const apiKeys: EffectsOf<"apiKeys"> = {
  create: async ({ client }) => {
    const made = await client.apiKeys.create({ ref: SHOP, reveal: true, body: JOBS });
    expect(made).toMatchObject({ ...JOBS, api_key: expect.stringMatching(/^sk_secret_.{32}$/), inserted_at: START });
    expect(made.prefix).toBe(made.api_key?.slice(0, "sk_secret_".length + 5));
    expect(await client.apiKeys.get({ ref: SHOP, id: made.id ?? "", reveal: true })).toEqual(made);
  },
  list: async ({ client }) => {
    const made = await client.apiKeys.create({ ref: SHOP, body: JOBS });
    const listed = await client.apiKeys.list({ ref: SHOP });
    expect(listed.map(({ type, name }) => `${type ?? ""} ${name}`)).toEqual([
      "legacy anon",
      "legacy service_role",
      "publishable default",
      "secret default",
      "secret jobs",
    ]);
    expect(listed.at(-1)).toEqual(made);
  },
  get: async ({ client }) => {
    const { id, api_key: whole, prefix } = await client.apiKeys.create({ ref: SHOP, reveal: true, body: JOBS });
    const key = { ref: SHOP, id: id ?? "" };
    const read = { ...JOBS, id, prefix, hash: digest(whole ?? ""), inserted_at: START, updated_at: START };
    expect(await client.apiKeys.get(key)).toEqual({ ...read, api_key: `${prefix ?? ""}***` });
    expect(await client.apiKeys.get({ ...key, reveal: true })).toEqual({ ...read, api_key: whole });
  },
  update: async ({ client, pass }) => {
    const made = await client.apiKeys.create({ ref: SHOP, body: JOBS });
    pass(1000);
    const key = { ref: SHOP, id: made.id ?? "" };
    await client.apiKeys.update({ ...key, body: { name: "jobs_2" } });
    expect(await client.apiKeys.get(key)).toEqual({
      ...made,
      name: "jobs_2",
      updated_at: "2026-01-01T00:00:01.000Z",
    });
  },
  delete: async ({ client }) => {
    const made = await client.apiKeys.create({ ref: SHOP, body: JOBS });
    const key = { ref: SHOP, id: made.id ?? "" };
    expect(await client.apiKeys.delete({ ...key, was_compromised: true, reason: "on a slide" })).toEqual(made);
    await expect(client.apiKeys.get(key)).rejects.toMatchObject({ status: 404 });
    expect((await client.apiKeys.list({ ref: SHOP })).map(({ name }) => name)).not.toContain("jobs");
  },
  getLegacy: async ({ client }) => {
    expect(await client.apiKeys.getLegacy({ ref: SHOP })).toEqual({ enabled: true });
    await client.apiKeys.updateLegacy({ ref: SHOP, enabled: false });
    expect(await client.apiKeys.getLegacy({ ref: SHOP })).toEqual({ enabled: false });
  },
  updateLegacy: async ({ client }) => {
    const legacy = async () => (await client.apiKeys.list({ ref: SHOP })).filter(({ type }) => type === "legacy");
    const before = await legacy();
    expect(await client.apiKeys.updateLegacy({ ref: SHOP, enabled: false })).toEqual({ enabled: false });
    expect(await legacy()).toEqual([]);
    await client.apiKeys.updateLegacy({ ref: SHOP, enabled: true });
    expect(await legacy()).toEqual(before);
  },
};

const ROOT_KEY = "0f".repeat(32);

export const encryptionKey: EffectsOf<"encryptionKey"> = {
  get: async ({ client }) => {
    const fresh = await client.encryptionKey.get({ ref: SHOP });
    expect(fresh.root_key).toMatch(/^[0-9a-f]{64}$/);
    await client.encryptionKey.update({ ref: SHOP, body: { root_key: ROOT_KEY } });
    expect(await client.encryptionKey.get({ ref: SHOP })).toEqual({ root_key: ROOT_KEY });
  },
  update: async ({ client }) => {
    expect(await client.encryptionKey.update({ ref: SHOP, body: { root_key: ROOT_KEY } })).toEqual({
      root_key: ROOT_KEY,
    });
    expect(await client.encryptionKey.get({ ref: SHOP })).toEqual({ root_key: ROOT_KEY });
  },
};

const ES256 = { ref: SHOP, body: { algorithm: "ES256" } } as const;
const A_DAY = 86_400_000;

export const signingKeys: EffectsOf<"signingKeys"> = {
  create: async ({ client }) => {
    const made = await client.signingKeys.create(ES256);
    expect(made).toMatchObject({ algorithm: "ES256", status: "standby", created_at: START, updated_at: START });
    expect(made.public_jwk).toMatchObject({ kty: "EC", kid: made.id });
    expect(await client.signingKeys.get({ ref: SHOP, id: made.id })).toEqual(made);
  },
  list: async ({ client }) => {
    expect(await client.signingKeys.list({ ref: SHOP })).toEqual({ keys: [] });
    const made = await client.signingKeys.create(ES256);
    const used = await client.signingKeys.create({ ref: SHOP, body: { algorithm: "EdDSA", status: "in_use" } });
    expect(used.status).toBe("in_use");
    expect(await client.signingKeys.list({ ref: SHOP })).toEqual({ keys: [made, used] });
  },
  get: async ({ client }) => {
    await client.signingKeys.create(ES256);
    const made = await client.signingKeys.create({ ref: SHOP, body: { algorithm: "HS256" } });
    expect(await client.signingKeys.get({ ref: SHOP, id: made.id })).toEqual({
      id: made.id,
      algorithm: "HS256",
      status: "standby",
      public_jwk: null,
      created_at: START,
      updated_at: START,
    });
  },
  update: async ({ client, pass }) => {
    const first = await client.signingKeys.create({ ref: SHOP, body: { algorithm: "ES256", status: "in_use" } });
    const second = await client.signingKeys.create(ES256);
    pass(1000);
    await client.signingKeys.update({ ref: SHOP, id: second.id, body: { status: "in_use" } });
    const updated_at = "2026-01-01T00:00:01.000Z";
    expect((await client.signingKeys.list({ ref: SHOP })).keys).toEqual([
      { ...first, status: "previously_used", updated_at },
      { ...second, status: "in_use", updated_at },
    ]);
  },
  delete: async ({ client, pass }) => {
    const { id } = await client.signingKeys.create(ES256);
    await client.signingKeys.update({ ref: SHOP, id, body: { status: "revoked" } });
    pass(A_DAY);
    expect(await client.signingKeys.delete({ ref: SHOP, id })).toMatchObject({ id, status: "revoked" });
    expect(await client.signingKeys.list({ ref: SHOP })).toEqual({ keys: [] });
  },
  createLegacy: async ({ client }) => {
    const { id } = await client.signingKeys.create({ ref: SHOP, body: { algorithm: "ES256", status: "in_use" } });
    const legacy = await client.signingKeys.createLegacy({ ref: SHOP });
    expect(legacy).toMatchObject({ algorithm: "HS256", status: "in_use", public_jwk: null });
    const { keys } = await client.signingKeys.list({ ref: SHOP });
    expect(keys).toMatchObject([{ id, status: "previously_used" }, legacy]);
  },
  getLegacy: async ({ client }) => {
    await client.signingKeys.create(ES256);
    const legacy = await client.signingKeys.createLegacy({ ref: SHOP });
    expect(await client.signingKeys.getLegacy({ ref: SHOP })).toEqual(legacy);
  },
};
