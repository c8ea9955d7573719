import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { OAuthScope } from "../oauth/oauth-state.ts";
import { bodyAs, type EmulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { askToken, CALLBACK, CLIENT, emulatorWithApps, REF, someTokens } from "../../../test/support/emulator/oauth.ts";

const status = async (under: EmulatorUnderTest, token: string, path = "/v1/profile") =>
  (await under.call("GET", path, { token })).status;

describe("an app's token", () => {
  it("is good for what its scopes cover, and the refusal names what is missing", async () => {
    await using under = await emulatorWithApps();
    const { access_token: token } = await someTokens(under, { scopes: ["projects:read"] });
    expect(await status(under, token, `/v1/projects/${REF}`)).toBe(200);
    const refused = await under.call("PATCH", `/v1/projects/${REF}`, { token, body: { name: "mine" } });
    expect([refused.status, refused.text]).toEqual([
      403,
      expect.stringContaining("The token lacks: the scope projects:write."),
    ]);
  });

  it("reads what no scope covers, and changes nothing of it", async () => {
    await using under = await emulatorWithApps();
    const { access_token: token } = await someTokens(under, { scopes: ["projects:read"] });
    expect(await status(under, token, "/v1/profile")).toBe(200);
    const refused = await under.call("POST", "/v1/organizations", { token, body: { name: "mine" } });
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining("no scope covers it")]);
  });

  it("sees the organization that its user chose and no other, and counts against the app", async () => {
    await using under = await emulatorWithApps();
    const { access_token: token } = await someTokens(under, { organization: "beta" });
    const listed = await under.call("GET", "/v1/organizations", { token });
    expect(bodyAs(z.array(z.looseObject({ slug: z.string() })), listed).map(({ slug }) => slug)).toEqual(["beta"]);
    expect(await status(under, token, "/v1/organizations/acme")).toBe(404);
    expect(await status(under, token, `/v1/projects/${REF}`)).toBe(404);
    expect((await under.control.log.read()).entries.at(-1)?.identity).toBe("app:deployer");
  });

  it("spends the app's budget, whoever its users are, and the token endpoint that of the address", async () => {
    await using under = await emulatorWithApps({ limits: { requestsPerMinute: 2 } });
    const first = await someTokens(under);
    const second = await someTokens(under, { user: "dev" });
    expect((await askToken(under, CLIENT)).status).toBe(429);
    expect([await status(under, first.access_token), await status(under, second.access_token)]).toEqual([200, 200]);
    expect([await status(under, first.access_token), await status(under, "test-token")]).toEqual([429, 200]);
  });

  it("is told the secrets beside what it reads, or changes, only with the scope for reading secrets", async () => {
    await using under = await emulatorWithApps({
      seed: {
        projects: [{ name: "shop", ref: REF, organization: "acme", branches: [{ name: "main" }, { name: "dev" }] }],
        oauthApps: [{ clientId: CLIENT.client_id, clientSecret: CLIENT.client_secret, redirectUris: [CALLBACK] }],
      },
    });
    const branch = (await under.control.state.read()).branches.at(-1)?.id ?? "";
    const keys = `/v1/projects/${REF}/api-keys`;
    const body = { type: "publishable", name: "site" };
    const told = async (scopes: readonly OAuthScope[]) => {
      const { access_token: token } = await someTokens(under, { scopes: [...scopes] });
      return {
        branch: /jwt_secret|db_pass/.test((await under.call("GET", `/v1/branches/${branch}`, { token })).text),
        dataApi: (await under.call("GET", `/v1/projects/${REF}/postgrest`, { token })).text.includes("jwt_secret"),
        revealed: (await under.call("POST", `${keys}?reveal=true`, { token, body })).status,
        masked: (await under.call("POST", keys, { token, body })).status,
      };
    };
    const scopes = ["environment:read", "rest:read", "secrets:write"] as const;
    expect(await told(scopes)).toEqual({ branch: false, dataApi: false, revealed: 403, masked: 201 });
    expect(await told([...scopes, "secrets:read"])).toEqual({
      branch: true,
      dataApi: true,
      revealed: 201,
      masked: 201,
    });
  });

  it("may do no more than its user's role", async () => {
    await using under = await emulatorWithApps();
    const { access_token: token } = await someTokens(under, { user: "dev" });
    const refused = await under.call("PATCH", `/v1/projects/${REF}`, { token, body: { name: "mine" } });
    expect([refused.status, refused.text]).toEqual([
      403,
      expect.stringContaining("The role Developer lacks: project_admin_write."),
    ]);
  });
});
