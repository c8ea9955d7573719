import { describe, expect, it } from "vitest";
import { type EmulatorUnderTest, emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { aBranch, aProject, message } from "../../../test/support/emulator/scenario.ts";
import { typedClient } from "../../../test/support/emulator/typed-client.ts";

const NOBODY = "11111111-2222-4333-8444-555566667777";

/** A project in which roles can be assumed. @returns its ref, and the user id of the caller */
async function ready(under: EmulatorUnderTest): Promise<{ readonly ref: string; readonly owner: string }> {
  const ref = await aProject(under);
  await under.call("PUT", `/v1/projects/${ref}/jit-access`, { body: { state: "enabled" } });
  const owner = (await under.control.state.read()).users.find(({ username }) => username === "owner")?.id ?? "";
  return { ref, owner };
}

/** Invites somebody. @returns the token that the mail would carry, and the invitation's id */
async function invited({ call, control }: EmulatorUnderTest, ref: string, email: string, roles: readonly object[]) {
  const made = await call("POST", `/v1/projects/${ref}/database/jit/invite`, { body: { email, roles } });
  expect(made.status).toBe(200);
  const invitation = (await control.jit.invitations({ ref })).find((one) => one.email === email);
  if (invitation === undefined) throw new Error(`no invitation of ${email}`);
  return invitation;
}

describe("the roles of a user", () => {
  it("end by the clock: what has expired is not among those that can be assumed", async () => {
    await using under = await emulatorUnderTest();
    const { ref, owner } = await ready(under);
    const path = `/v1/projects/${ref}/database/jit`;
    const expires_at = Math.floor(under.clock.now() / 1000) + 60;
    await under.call("PUT", path, { body: { user_id: owner, roles: [{ role: "postgres", expires_at }] } });
    const ask = () => under.call("POST", path, { body: { role: "postgres", rhost: "192.0.2.1" } });
    expect((await ask()).status).toBe(200);
    under.clock.advance(60_000);
    expect([(await ask()).status, message(await ask())]).toEqual([403, expect.stringContaining("expired")]);
    expect((await under.call("GET", path)).json).toEqual({ user_id: owner, user_roles: [] });
  });

  it("are for branches only where that is said", async () => {
    await using under = await emulatorUnderTest();
    const { ref, owner } = await ready(under);
    await aBranch(under, ref, "main");
    const { project_ref: branch } = await aBranch(under, ref, "dev");
    await under.call("PUT", `/v1/projects/${branch}/jit-access`, { body: { state: "enabled" } });
    const answers = [];
    for (const where of [ref, branch]) {
      const path = `/v1/projects/${where}/database/jit`;
      await under.call("PUT", path, { body: { user_id: owner, roles: [{ role: "postgres", branches_only: true }] } });
      answers.push((await under.call("POST", path, { body: { role: "postgres", rhost: "192.0.2.1" } })).status);
    }
    expect(answers).toEqual([403, 200]);
  });

  it.each([
    { body: { role: "postgres", rhost: "203.0.113.1" }, status: 403, says: "networks", because: "of the host" },
    { body: { role: "writer", rhost: "192.0.2.1" }, status: 403, says: "not granted", because: "of the role" },
    { body: { role: "postgres" }, status: 400, says: "rhost", because: "no host is named" },
    { body: { rhost: "192.0.2.1" }, status: 400, says: "role", because: "no role is named" },
  ])("are not assumed: $status because $because", async ({ body, status, says }) => {
    await using under = await emulatorUnderTest();
    const { ref, owner } = await ready(under);
    const path = `/v1/projects/${ref}/database/jit`;
    const roles = [{ role: "postgres", allowed_networks: { allowed_cidrs: [{ cidr: "192.0.2.0/24" }] } }];
    await under.call("PUT", path, { body: { user_id: owner, roles } });
    const refused = await under.call("POST", path, { body });
    expect([refused.status, message(refused)]).toEqual([status, expect.stringContaining(says)]);
  });

  it.each([
    { user_id: NOBODY, roles: [], status: 404, says: "User", because: "there is no such user" },
    { user_id: "owner", roles: [], status: 400, says: "user_id", because: "a name is no id" },
    { user_id: NOBODY, roles: [{}], status: 400, says: "roles.0.role", because: "a role has no name" },
    { user_id: NOBODY, roles: [{ role: "a", expires_at: 1.5 }], status: 400, says: "expires_at", because: "of half" },
    {
      user_id: NOBODY,
      roles: [{ role: "a", allowed_networks: { allowed_cidrs: [{ cidr: "192.0.2.1" }] } }],
      status: 400,
      says: "IPv4 CIDR",
      because: "an address is no network",
    },
    {
      user_id: NOBODY,
      roles: [{ role: "a", allowed_networks: { allowed_cidrs_v6: [{ cidr: "10.0.0.0/8" }] } }],
      status: 400,
      says: "IPv6 CIDR",
      because: "the network is in the other list's form",
    },
  ])("are not set: $status because $because", async ({ user_id, roles, status, says }) => {
    await using under = await emulatorUnderTest();
    const { ref } = await ready(under);
    const refused = await under.call("PUT", `/v1/projects/${ref}/database/jit`, { body: { user_id, roles } });
    expect([refused.status, message(refused)]).toEqual([status, expect.stringContaining(says)]);
  });

  it("are refused to somebody who is known, but no member", async () => {
    await using under = await emulatorUnderTest({ tokens: ["test-token", "theirs"] });
    const { ref } = await ready(under);
    const { users } = await under.control.state.read();
    const stranger = users.find(({ username }) => username === "user-2")?.id;
    const path = `/v1/projects/${ref}/database/jit`;
    expect((await under.call("PUT", path, { body: { user_id: stranger, roles: [] } })).status).toBe(404);
    expect((await under.call("GET", path, { token: "theirs" })).status).toBe(404);
  });
});

describe("a removal", () => {
  it("answers an empty object, and 404 when there is nothing to remove", async () => {
    await using under = await emulatorUnderTest();
    const { ref, owner } = await ready(under);
    const path = `/v1/projects/${ref}/database/jit`;
    await under.call("PUT", path, { body: { user_id: owner, roles: [] } });
    const { inviteId } = await invited(under, ref, "eve@example.test", [{ role: "reader" }]);
    for (const where of [`${path}/${owner}`, `${path}/invite/${inviteId}`]) {
      expect(await under.call("DELETE", where)).toMatchObject({ status: 200, text: "{}" });
      expect((await under.call("DELETE", where)).status).toBe(404);
    }
  });
});

describe("an invitation", () => {
  it("is accepted with the token of its mail, without any other: the invited one has the roles then", async () => {
    await using under = await emulatorUnderTest();
    const { ref } = await ready(under);
    await using client = typedClient(under);
    const email = "eve@example.test";
    const user_roles = [{ role: "reader", branches_only: false }];
    const made = await client.jit.invite({ ref, body: { email, roles: [{ role: "reader" }] } });
    expect(made).toMatchObject({ email, user_roles });
    const [invitation] = await under.control.jit.invitations({ ref });
    const item = { user_id: invitation?.userId, primary_email: email, user_roles };
    expect((await client.jit.list({ ref })).items).toEqual([
      { ...item, invite_id: made.invite_id, expires_at: invitation?.expiresAt },
    ]);
    const path = `/v1/projects/${ref}/database/jit/invite/accept`;
    const body = { email, token: invitation?.token };
    const accepted = await under.call("POST", path, { body, token: null });
    expect([accepted.status, accepted.json]).toEqual([200, { user_id: invitation?.userId, user_roles }]);
    expect((await client.jit.list({ ref })).items).toEqual([{ ...item, invite_id: null, expires_at: null }]);
    expect((await under.call("POST", path, { body, token: null })).status).toBe(404);
    await under.control.tokens.add({ token: "eves", user: email });
    const own = await under.call("GET", `/v1/projects/${ref}/database/jit`, { token: "eves" });
    expect([own.status, own.json]).toEqual([200, accepted.json]);
    const rest = await under.call("GET", `/v1/projects/${ref}/secrets`, { token: "eves" });
    expect(rest.status).toBe(404);
  });

  it("ends with its project: whoever accepted it is told of none that is going down, and nobody accepts another one", async () => {
    await using under = await emulatorUnderTest({ timings: { goingDownMs: 60_000 } });
    const { ref } = await ready(under);
    const path = `/v1/projects/${ref}/database/jit`;
    const [eve, kim] = [
      await invited(under, ref, "eve@example.test", [{ role: "reader" }]),
      await invited(under, ref, "kim@example.test", [{ role: "reader" }]),
    ];
    const accept = ({ email, token }: typeof eve) =>
      under.call("POST", `${path}/invite/accept`, { body: { email, token }, token: null });
    expect((await accept(eve)).status).toBe(200);
    await under.control.tokens.add({ token: "eves", user: eve.email });
    const asks = [
      () => under.call("GET", path, { token: "eves" }),
      () => under.call("POST", path, { token: "eves", body: { role: "reader", rhost: "192.0.2.1" } }),
    ];
    for (const ask of asks) expect((await ask()).status).toBe(200);
    expect((await under.call("DELETE", `/v1/projects/${ref}`)).status).toBe(200);
    for (const ask of [...asks, () => accept(kim)]) {
      const refused = await ask();
      expect([refused.status, message(refused)]).toEqual([404, "Project not found"]);
    }
  });

  it("adds to what a member has, and a role of the same name takes the other's place", async () => {
    await using under = await emulatorUnderTest();
    const { ref, owner } = await ready(under);
    const path = `/v1/projects/${ref}/database/jit`;
    const roles = [{ role: "reader", branches_only: true }, { role: "postgres" }];
    await under.call("PUT", path, { body: { user_id: owner, roles } });
    const { token } = await invited(under, ref, "owner@example.test", [{ role: "reader" }]);
    const body = { email: "owner@example.test", token };
    const accepted = await under.call("POST", `${path}/invite/accept`, { body });
    expect(accepted.json).toEqual({
      user_id: owner,
      user_roles: [
        { role: "postgres", branches_only: false },
        { role: "reader", branches_only: false },
      ],
    });
  });

  it("of an address that is invited already takes the other's place", async () => {
    await using under = await emulatorUnderTest();
    const { ref } = await ready(under);
    const first = await invited(under, ref, "eve@example.test", [{ role: "reader" }]);
    await invited(under, ref, "eve@example.test", [{ role: "writer" }]);
    expect(await under.control.jit.invitations({ ref })).toHaveLength(1);
    const body = { email: first.email, token: first.token };
    const refused = await under.call("POST", `/v1/projects/${ref}/database/jit/invite/accept`, { body });
    expect(refused.status).toBe(404);
  });

  it("to two projects makes one user of the invited person", async () => {
    await using under = await emulatorUnderTest();
    const refs = [await aProject(under, "shop"), await aProject(under, "blog")];
    const accepted: unknown[] = [];
    for (const ref of refs) await under.call("PUT", `/v1/projects/${ref}/jit-access`, { body: { state: "enabled" } });
    const tokens = [];
    for (const ref of refs) tokens.push((await invited(under, ref, "eve@example.test", [{ role: "reader" }])).token);
    for (const [index, ref] of refs.entries()) {
      const body = { email: "eve@example.test", token: tokens[index] };
      accepted.push((await under.call("POST", `/v1/projects/${ref}/database/jit/invite/accept`, { body })).json);
    }
    expect(accepted[1]).toEqual(accepted[0]);
    const { users } = await under.control.state.read();
    expect(users.filter(({ username }) => username === "eve@example.test")).toHaveLength(1);
  });

  it("is revoked, and ends by itself after a day", async () => {
    await using under = await emulatorUnderTest();
    const { ref } = await ready(under);
    await using client = typedClient(under);
    const { inviteId } = await invited(under, ref, "eve@example.test", [{ role: "reader" }]);
    await client.jit.deleteInvite({ ref, invite_id: inviteId });
    expect(await client.jit.list({ ref })).toEqual({ items: [] });
    await expect(client.jit.deleteInvite({ ref, invite_id: inviteId })).rejects.toMatchObject({ status: 404 });
    const { token, email } = await invited(under, ref, "kim@example.test", [{ role: "reader" }]);
    under.clock.advance(86_400_000);
    expect(await under.control.jit.invitations({ ref })).toEqual([]);
    expect(await client.jit.list({ ref })).toEqual({ items: [] });
    const late = await under.call("POST", `/v1/projects/${ref}/database/jit/invite/accept`, { body: { email, token } });
    expect(late.status).toBe(404);
  });

  it.each([
    { body: { email: "eve", roles: [{ role: "reader" }] }, says: "email", because: "the address is none" },
    { body: { email: "eve@example.test", roles: [] }, says: "roles", because: "it brings no role" },
    { body: { email: "eve@example.test" }, says: "roles", because: "it says no roles" },
  ])("is not made when $because", async ({ body, says }) => {
    await using under = await emulatorUnderTest();
    const { ref } = await ready(under);
    const refused = await under.call("POST", `/v1/projects/${ref}/database/jit/invite`, { body });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining(says)]);
  });

  it("is not accepted with another address or token, and no answer tells which of them is wrong", async () => {
    await using under = await emulatorUnderTest();
    const { ref } = await ready(under);
    const { token } = await invited(under, ref, "eve@example.test", [{ role: "reader" }]);
    const path = `/v1/projects/${ref}/database/jit/invite/accept`;
    const bodies = [
      { email: "kim@example.test", token },
      { email: "eve@example.test", token: `${token}x` },
    ];
    const answers = await Promise.all(bodies.map((body) => under.call("POST", path, { body, token: null })));
    expect(answers.map(({ status, text }) => [status, text])).toEqual(
      bodies.map(() => [404, '{"message":"Invitation not found"}']),
    );
    const nowhere = `/v1/projects/${"z".repeat(20)}/database/jit/invite/accept`;
    expect((await under.call("POST", nowhere, { body: bodies[0], token: null })).status).toBe(404);
  });
});
