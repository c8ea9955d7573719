import { createHash } from "node:crypto";
import { expect } from "vitest";
import { type EffectsOf, type Scene, SHOP } from "./scene.ts";

const EVE = "eve@example.test";
const READER = { role: "reader" };
const GRANTED = [{ role: "reader", branches_only: false }];
const NETWORK = { allowed_cidrs: [{ cidr: "192.0.2.0/24" }] };

/** Just-in-time access is on. @returns the caller's user id */
async function ready({ client }: Scene): Promise<string> {
  await client.jitAccess.update({ ref: SHOP, body: { state: "enabled" } });
  return (await client.profile.get()).auth_id;
}

async function invited({ client, control }: Scene) {
  const made = await client.jit.invite({ ref: SHOP, body: { email: EVE, roles: [READER] } });
  const invitation = (await control.jit.invitations({ ref: SHOP })).find(({ email }) => email === EVE);
  return { ...made, token: invitation?.token ?? "", user_id: invitation?.userId };
}

export const jit: EffectsOf<"jit"> = {
  update: async (scene) => {
    const user_id = await ready(scene);
    await scene.client.jit.update({ ref: SHOP, body: { user_id, roles: [{ role: "postgres" }] } });
    await scene.client.jit.update({ ref: SHOP, body: { user_id, roles: [READER] } });
    expect(await scene.client.jit.get({ ref: SHOP })).toEqual({ user_id, user_roles: GRANTED });
  },
  get: async (scene) => {
    const user_id = await ready(scene);
    const role = { role: "postgres", expires_at: 1_767_225_660, allowed_networks: NETWORK, branches_only: false };
    await scene.client.jit.update({ ref: SHOP, body: { user_id, roles: [role] } });
    expect(await scene.client.jit.get({ ref: SHOP })).toEqual({ user_id, user_roles: [role] });
    scene.pass();
    expect(await scene.client.jit.get({ ref: SHOP })).toEqual({ user_id, user_roles: [] });
  },
  authorize: async (scene) => {
    const user_id = await ready(scene);
    const roles = [{ role: "postgres", allowed_networks: NETWORK }, READER];
    await scene.client.jit.update({ ref: SHOP, body: { user_id, roles } });
    const authorized = await scene.client.jit.authorize({ ref: SHOP, body: { role: "postgres", rhost: "192.0.2.9" } });
    const { user_roles } = await scene.client.jit.get({ ref: SHOP });
    expect(user_roles).toHaveLength(2); // an authorization uses nothing up
    expect(authorized).toEqual({ user_id, user_role: user_roles[0] });
    const elsewhere = { role: "postgres", rhost: "203.0.113.1" };
    await expect(scene.client.jit.authorize({ ref: SHOP, body: elsewhere })).rejects.toMatchObject({ status: 403 });
  },
  list: async (scene) => {
    const user_id = await ready(scene);
    await scene.client.jit.update({ ref: SHOP, body: { user_id, roles: [READER] } });
    const { invite_id } = await invited(scene);
    const { items } = await scene.client.jit.list({ ref: SHOP });
    expect(items).toMatchObject([
      { user_id, primary_email: "owner@example.test", invite_id: null, expires_at: null, user_roles: GRANTED },
      { primary_email: EVE, invite_id, expires_at: "2026-01-02T00:00:00.000Z", user_roles: GRANTED },
    ]);
  },
  invite: async (scene) => {
    await ready(scene);
    const { email, invite_id, user_roles } = await invited(scene);
    expect([email, user_roles]).toEqual([EVE, GRANTED]);
    expect((await scene.client.jit.list({ ref: SHOP })).items).toMatchObject([{ primary_email: EVE, invite_id }]);
  },
  acceptInvite: async (scene) => {
    await ready(scene);
    const { token, user_id } = await invited(scene);
    const accepted = await scene.client.jit.acceptInvite({ ref: SHOP, body: { email: EVE, token } });
    expect(accepted).toEqual({ user_id, user_roles: GRANTED });
    await scene.control.tokens.add({ token: "eves", user: EVE });
    expect(await scene.as("eves").jit.get({ ref: SHOP })).toEqual(accepted);
    expect((await scene.client.jit.list({ ref: SHOP })).items).toMatchObject([{ user_id, invite_id: null }]);
  },
  deleteInvite: async (scene) => {
    await ready(scene);
    const { invite_id, token } = await invited(scene);
    await scene.client.jit.deleteInvite({ ref: SHOP, invite_id });
    expect(await scene.client.jit.list({ ref: SHOP })).toEqual({ items: [] });
    const accept = scene.client.jit.acceptInvite({ ref: SHOP, body: { email: EVE, token } });
    await expect(accept).rejects.toMatchObject({ status: 404 });
  },
  delete: async (scene) => {
    const user_id = await ready(scene);
    await scene.client.jit.update({ ref: SHOP, body: { user_id, roles: [READER] } });
    await scene.client.jit.delete({ ref: SHOP, user_id });
    expect(await scene.client.jit.list({ ref: SHOP })).toEqual({ items: [] });
    await expect(scene.client.jit.get({ ref: SHOP })).rejects.toMatchObject({ status: 404 });
  },
};

export const jitAccess: EffectsOf<"jitAccess"> = {
  get: async ({ client, pass }) => {
    expect(await client.jitAccess.get({ ref: SHOP })).toEqual({ state: "disabled", appliedSuccessfully: true });
    await client.jitAccess.update({ ref: SHOP, body: { state: "enabled" } });
    expect(await client.jitAccess.get({ ref: SHOP })).toEqual({ state: "enabled", appliedSuccessfully: false });
    pass();
    expect(await client.jitAccess.get({ ref: SHOP })).toEqual({ state: "enabled", appliedSuccessfully: true });
  },
  update: async ({ client }) => {
    await expect(client.jit.list({ ref: SHOP })).rejects.toMatchObject({ status: 400 });
    await client.jitAccess.update({ ref: SHOP, body: { state: "enabled" } });
    expect(await client.jit.list({ ref: SHOP })).toEqual({ items: [] });
    await client.jitAccess.update({ ref: SHOP, body: { state: "disabled" } });
    expect((await client.jitAccess.get({ ref: SHOP })).state).toBe("disabled");
  },
};

const NO_READ = "no operation lists login roles";

export const loginRole: EffectsOf<"loginRole"> = {
  create: {
    because: NO_READ,
    proof: async ({ client, control }) => {
      const { role, password, ttl_seconds } = await client.loginRole.create({ ref: SHOP, body: { read_only: true } });
      expect([role, ttl_seconds]).toEqual([expect.stringMatching(/^cli_login_read_only_/), 3600]);
      const passwordDigest = createHash("sha256").update(password).digest("hex");
      expect(await control.jit.loginRoles({ ref: SHOP })).toEqual([
        { role, readOnly: true, passwordDigest, expiresAt: "2026-01-01T01:00:00.000Z" },
      ]);
    },
  },
  delete: {
    because: NO_READ,
    proof: async ({ client, control }) => {
      await client.loginRole.create({ ref: SHOP, body: { read_only: true } });
      await client.loginRole.create({ ref: SHOP, body: { read_only: false } });
      expect(await client.loginRole.delete({ ref: SHOP })).toEqual({ message: "ok" });
      expect(await control.jit.loginRoles({ ref: SHOP })).toEqual([]);
    },
  },
};
