import { SignJWT } from "jose";
import { describe, expect, it } from "vitest";
import type { EmulatorUnderTest, Received } from "../../../test/support/emulator/api.ts";
import {
  aSigner,
  askToken,
  AUDIENCE,
  CLIENT,
  emulatorWithApps,
  ISSUER,
  SUBJECT,
  tokensOf,
} from "../../../test/support/emulator/oauth.ts";

const BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";
/** The clock of the emulator under test, seconds. */
const NOW = Date.UTC(2026, 0, 1) / 1000;

const signer = await aSigner();
const stranger = await aSigner();

const trusted = (jwks: typeof signer.jwks, organization = "acme") => ({
  clientId: "workload",
  clientSecret: "secret of workload",
  scopes: ["organizations:read", "projects:read", "secrets:read"] as const,
  jwtBearer: { issuer: ISSUER, subject: SUBJECT, audience: AUDIENCE, jwks, user: "owner", organization },
});

async function workloads(): Promise<EmulatorUnderTest> {
  const under = await emulatorWithApps();
  const app = trusted(signer.jwks);
  await under.control.oauth.addApp({ ...app, scopes: [...app.scopes] });
  return under;
}

const ask = (under: EmulatorUnderTest, assertion: string, more: Readonly<Record<string, string>> = {}) =>
  askToken(under, { grant_type: BEARER, client_id: "workload", assertion, ...more });

const says = ({ status, text }: Received): readonly [number, string] => [status, text];

describe("an assertion", () => {
  it("is exchanged without a secret, again and again, for tokens of the user in the organization that the app stands for", async () => {
    await using under = await workloads();
    const assertion = await signer.sign();
    const first = tokensOf(await ask(under, assertion));
    const second = tokensOf(await ask(under, assertion, { client_secret: "secret of workload" }));
    expect(first.access_token).not.toBe(second.access_token);
    const projects = await under.call("GET", "/v1/projects", { token: second.access_token });
    expect([projects.status, projects.text]).toEqual([200, expect.stringContaining('"name":"shop"')]);
    const statusOf = async (slug: string): Promise<number> =>
      (await under.call("GET", `/v1/organizations/${slug}`, { token: first.access_token })).status;
    expect([await statusOf("acme"), await statusOf("beta")]).toEqual([200, 404]);
    expect(await under.control.oauth.grants()).toHaveLength(1);
  });

  it.each([
    { because: "it is expired", options: { expiresAt: NOW - 31 }, word: "expired" },
    { because: "it never expires", options: { expiresAt: null }, word: "the claim exp" },
    { because: "its issuer is another", options: { issuer: `${ISSUER}/` }, word: "the claim iss" },
    { because: "its subject is another", options: { subject: "system:serviceaccount:x:y" }, word: "the claim sub" },
    {
      because: "it is for somebody else",
      options: { audience: "https://kubernetes.default.svc" },
      word: "the claim aud",
    },
  ])("is refused when $because", async ({ options, word }) => {
    await using under = await workloads();
    expect(says(await ask(under, await signer.sign(options)))).toEqual([400, expect.stringContaining(word)]);
  });

  it("is taken half a minute after its end, since clocks differ", async () => {
    await using under = await workloads();
    expect((await ask(under, await signer.sign({ expiresAt: NOW - 29 }))).status).toBe(200);
  });

  it("is refused when another key signed it, or none", async () => {
    await using under = await workloads();
    expect(says(await ask(under, await stranger.sign()))).toEqual([400, expect.stringContaining("signature")]);
    const claims = { iss: ISSUER, sub: SUBJECT, aud: AUDIENCE, exp: NOW + 60 };
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const unsigned = `${part({ alg: "none" })}.${part(claims)}.`;
    expect((await ask(under, unsigned)).status).toBe(400);
    const shared = new TextEncoder().encode(JSON.stringify(signer.jwks.keys[0]));
    const symmetric = await new SignJWT(claims).setProtectedHeader({ alg: "HS256", kid: "one" }).sign(shared);
    expect((await ask(under, symmetric)).status).toBe(400);
    expect((await ask(under, "no.jwt")).status).toBe(400);
    expect((await ask(under, "")).status).toBe(400);
  });

  it.each([
    { plan: "free", status: 400 },
    { plan: "pro", status: 400 },
    { plan: "team", status: 200 },
    { plan: "enterprise", status: 200 },
  ] as const)("is worth $status on the plan $plan", async ({ plan, status }) => {
    await using under = await workloads();
    await under.control.organizations.patch({ slug: "acme", plan });
    expect((await ask(under, await signer.sign())).status).toBe(status);
  });

  it("is refused to an app that is not registered for it, and with a wrong secret", async () => {
    await using under = await workloads();
    const assertion = await signer.sign();
    expect(says(await ask(under, assertion, { client_id: CLIENT.client_id }))).toEqual([
      400,
      expect.stringContaining("unauthorized_client"),
    ]);
    expect((await ask(under, assertion, { client_secret: "wrong" })).status).toBe(401);
  });

  it("gives the scopes that are asked for, of those that the app may have", async () => {
    await using under = await workloads();
    const assertion = await signer.sign();
    const { access_token: token } = tokensOf(await ask(under, assertion, { scope: "secrets:read" }));
    expect((await under.call("GET", "/v1/projects", { token })).status).toBe(403);
    expect(says(await ask(under, assertion, { scope: "projects:write" }))).toEqual([
      400,
      expect.stringContaining("invalid_scope"),
    ]);
  });

  it("can be trusted from a seed, and only for a member of an organization that is there", async () => {
    await using under = await workloads();
    const app = { ...trusted(signer.jwks, "nowhere"), scopes: [] };
    await expect(under.control.oauth.addApp(app)).rejects.toThrow(
      "jwtBearer.organization: no organization nowhere; known: acme",
    );
  });
});
