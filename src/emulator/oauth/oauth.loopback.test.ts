import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { bodyAs, type EmulatorUnderTest, type Received } from "../../../test/support/emulator/api.ts";
import {
  aCode,
  askToken,
  CALLBACK,
  CLIENT,
  emulatorWithApps,
  OTHER_CLIENT,
  refresh,
  SCOPES,
  someTokens,
  tokensOf,
} from "../../../test/support/emulator/oauth.ts";

const refusal = z.object({ message: z.string(), error: z.string(), error_description: z.string() });

const outcome = (received: Received): readonly [number, string] =>
  received.status === 200 ? [200, "ok"] : [received.status, bodyAs(refusal, received).error];

const VERIFIER = "a-verifier-of-the-least-length-that-is-allowed-43";
const hashOf = (text: string) => createHash("sha256").update(text);
const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`,
});

const status = async (under: EmulatorUnderTest, token: string, path = "/v1/profile") =>
  (await under.call("GET", path, { token })).status;

describe("a code", () => {
  it("is exchanged for tokens that work until their hour is over", async () => {
    await using under = await emulatorWithApps();
    const code = await aCode(under);
    const answer = await askToken(under, {
      ...CLIENT,
      grant_type: "authorization_code",
      code,
      redirect_uri: CALLBACK,
    });
    expect(answer.headers).toMatchObject({ "cache-control": "no-store", "x-ratelimit-limit": "120" });
    const tokens = tokensOf(answer);
    expect(tokens).toMatchObject({ token_type: "Bearer", expires_in: 3600 });
    expect(await status(under, tokens.access_token)).toBe(200);
    under.clock.advance(3_599_999);
    expect(await status(under, tokens.access_token)).toBe(200);
    under.clock.advance(1);
    expect(await status(under, tokens.access_token)).toBe(401);
  });

  it.each([
    { secret: "verifier", challenge: { codeChallenge: VERIFIER }, verifier: VERIFIER, gives: "ok" },
    {
      secret: "S256",
      challenge: { codeChallenge: hashOf(VERIFIER).digest("base64url"), codeChallengeMethod: "S256" },
      verifier: VERIFIER,
      gives: "ok",
    },
    {
      secret: "sha256 in base64url",
      challenge: { codeChallenge: hashOf(VERIFIER).digest("base64url"), codeChallengeMethod: "sha256" },
      verifier: VERIFIER,
      gives: "ok",
    },
    {
      secret: "sha256 in hex",
      challenge: { codeChallenge: hashOf(VERIFIER).digest("hex"), codeChallengeMethod: "sha256" },
      verifier: VERIFIER,
      gives: "ok",
    },
    {
      secret: "S256 and another verifier",
      challenge: { codeChallenge: hashOf(VERIFIER).digest("base64url"), codeChallengeMethod: "S256" },
      verifier: `${VERIFIER}x`,
      gives: "invalid_grant",
    },
    { secret: "no verifier", challenge: { codeChallenge: VERIFIER }, verifier: undefined, gives: "invalid_grant" },
    { secret: "a verifier and no challenge", challenge: {}, verifier: VERIFIER, gives: "invalid_grant" },
  ] as const)("under PKCE with $secret gives $gives", async ({ challenge, verifier, gives }) => {
    await using under = await emulatorWithApps();
    const code = await aCode(under, challenge);
    const grant = { grant_type: "authorization_code", code, redirect_uri: CALLBACK };
    const answer = await askToken(under, {
      ...CLIENT,
      ...grant,
      ...(verifier === undefined ? {} : { code_verifier: verifier }),
    });
    expect(outcome(answer)[1]).toBe(gives);
  });

  it.each([
    { because: "it is unknown", fields: { code: "unknown" } },
    { because: "it is another app's", fields: OTHER_CLIENT },
    { because: "it was issued for another redirect URI", fields: { redirect_uri: "myapp:callback" } },
  ])("is refused when $because, and stays good for its owner", async ({ fields }) => {
    await using under = await emulatorWithApps();
    const grant = {
      ...CLIENT,
      grant_type: "authorization_code",
      code: await aCode(under),
      redirect_uri: CALLBACK,
    };
    expect(outcome(await askToken(under, { ...grant, ...fields }))).toEqual([400, "invalid_grant"]);
    expect(outcome(await askToken(under, grant))).toEqual([200, "ok"]);
  });

  it("is refused without the redirect URI, and without itself", async () => {
    await using under = await emulatorWithApps();
    const grant = { ...CLIENT, grant_type: "authorization_code", code: await aCode(under) };
    expect(outcome(await askToken(under, grant))).toEqual([400, "invalid_grant"]);
    expect(outcome(await askToken(under, { ...grant, code: "" }))).toEqual([400, "invalid_request"]);
  });

  it("expires after ten minutes", async () => {
    await using under = await emulatorWithApps();
    const [used, late] = [await aCode(under), await aCode(under)];
    const grant = { ...CLIENT, grant_type: "authorization_code", redirect_uri: CALLBACK };
    under.clock.advance(599_999);
    expect(outcome(await askToken(under, { ...grant, code: used }))).toEqual([200, "ok"]);
    under.clock.advance(1);
    expect(outcome(await askToken(under, { ...grant, code: late }))).toEqual([400, "invalid_grant"]);
  });

  it("is good once: a second use ends every token that came from it, and none of another code", async () => {
    await using under = await emulatorWithApps();
    const grant = { ...CLIENT, grant_type: "authorization_code", code: await aCode(under), redirect_uri: CALLBACK };
    const first = tokensOf(await askToken(under, grant));
    const second = tokensOf(await refresh(under, first.refresh_token));
    const others = await someTokens(under);
    expect(outcome(await askToken(under, grant))).toEqual([400, "invalid_grant"]);
    expect(await status(under, first.access_token)).toBe(401);
    expect(await status(under, second.access_token)).toBe(401);
    expect(outcome(await refresh(under, second.refresh_token))).toEqual([400, "invalid_grant"]);
    expect(await status(under, others.access_token)).toBe(200);
  });
});

describe("a refresh token", () => {
  it("is replaced at each use, and the access tokens before it live on", async () => {
    await using under = await emulatorWithApps();
    const first = await someTokens(under);
    const second = tokensOf(await refresh(under, first.refresh_token));
    const third = tokensOf(await refresh(under, second.refresh_token));
    expect(new Set([first, second, third].flatMap((one) => [one.access_token, one.refresh_token])).size).toBe(6);
    for (const { access_token: token } of [first, second, third]) expect(await status(under, token)).toBe(200);
  });

  it("that is used a second time ends its whole family", async () => {
    await using under = await emulatorWithApps();
    const first = await someTokens(under);
    const second = tokensOf(await refresh(under, first.refresh_token));
    expect(outcome(await refresh(under, first.refresh_token))).toEqual([400, "invalid_grant"]);
    expect(outcome(await refresh(under, second.refresh_token))).toEqual([400, "invalid_grant"]);
    expect([await status(under, first.access_token), await status(under, second.access_token)]).toEqual([401, 401]);
  });

  it("that two use at the same time is good for one of them and ends the family", async () => {
    await using under = await emulatorWithApps();
    const first = await someTokens(under);
    const answers = await Promise.all([refresh(under, first.refresh_token), refresh(under, first.refresh_token)]);
    expect(answers.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([200, 400]);
    expect(await status(under, first.access_token)).toBe(401);
  });

  it("may ask for less and for no more than was granted", async () => {
    await using under = await emulatorWithApps();
    const { refresh_token: token } = await someTokens(under, { scopes: ["projects:read", "secrets:read"] });
    expect(outcome(await refresh(under, token, { scope: "projects:read projects:write" }))).toEqual([
      400,
      "invalid_scope",
    ]);
    const less = tokensOf(await refresh(under, token, { scope: "secrets:read" }));
    expect(await status(under, less.access_token, "/v1/projects")).toBe(403);
    const whole = tokensOf(await refresh(under, less.refresh_token));
    expect(await status(under, whole.access_token, "/v1/projects")).toBe(200);
  });

  it("of another app is refused and stays good for its own", async () => {
    await using under = await emulatorWithApps();
    const { refresh_token: token } = await someTokens(under);
    expect(outcome(await refresh(under, token, OTHER_CLIENT))).toEqual([400, "invalid_grant"]);
    expect(outcome(await refresh(under, token))).toEqual([200, "ok"]);
  });
});

describe("an app proves who it is", () => {
  const { client_id: id, client_secret: secret } = CLIENT;
  const encode = (text: string) => encodeURIComponent(text);
  it.each([
    { by: "fields of the form", fields: CLIENT, headers: {}, gives: "ok" },
    {
      by: "a Basic header, encoded as the RFC says",
      fields: {},
      headers: basic(encode(id), encode(secret)),
      gives: "ok",
    },
    { by: "a Basic header as curl writes it", fields: {}, headers: basic(id, secret), gives: "ok" },
    { by: "a Basic header and its id again", fields: { client_id: id }, headers: basic(id, secret), gives: "ok" },
    { by: "a wrong secret", fields: { ...CLIENT, client_secret: "x" }, headers: {}, gives: "invalid_client" },
    { by: "a wrong secret in the header", fields: {}, headers: basic(id, "x"), gives: "invalid_client" },
    { by: "another app's secret", fields: { ...CLIENT, client_id: "other" }, headers: {}, gives: "invalid_client" },
    { by: "its id alone", fields: { client_id: id }, headers: {}, gives: "invalid_client" },
    { by: "nothing", fields: {}, headers: {}, gives: "invalid_client" },
    { by: "an unknown id", fields: { ...CLIENT, client_id: "nobody" }, headers: {}, gives: "invalid_client" },
    { by: "form and header at once", fields: CLIENT, headers: basic(id, secret), gives: "invalid_request" },
    { by: "two ids", fields: { client_id: "other" }, headers: basic(id, secret), gives: "invalid_request" },
  ])("by $by: $gives", async ({ fields, headers, gives }) => {
    await using under = await emulatorWithApps();
    const { refresh_token: token } = await someTokens(under);
    const answer = await askToken(under, { grant_type: "refresh_token", refresh_token: token, ...fields }, headers);
    expect(outcome(answer)).toEqual([gives === "ok" ? 200 : gives === "invalid_client" ? 401 : 400, gives]);
    expect(answer.headers["www-authenticate"]).toBe(gives === "invalid_client" ? 'Basic realm="oauth"' : undefined);
  });

  it.each([
    { body: new URLSearchParams({ ...CLIENT }), says: "grant_type" },
    { body: new URLSearchParams({ ...CLIENT, grant_type: "password" }), says: "grant_type: Invalid enum value" },
    {
      body: new URLSearchParams([
        ["client_id", "a"],
        ["client_id", "b"],
      ]),
      says: "client_id: given more than once",
    },
    { body: { ...CLIENT, grant_type: "refresh_token" }, says: "expected application/x-www-form-urlencoded" },
  ])("and is told what is wrong with a request that is none: $says", async ({ body, says }) => {
    await using under = await emulatorWithApps();
    const answer = await under.call("POST", "/v1/oauth/token", { token: null, body });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(says)]);
    const error = says.includes("Invalid enum") ? "unsupported_grant_type" : "invalid_request";
    expect(answer.json).toMatchObject({ error, error_description: bodyAs(refusal, answer).message });
  });

  it("beside parameters that the server does not know, or without a value, which are ignored: RFC 6749 §3.2", async () => {
    await using under = await emulatorWithApps();
    const { refresh_token: token } = await someTokens(under);
    const fields = { grant_type: "refresh_token", refresh_token: token, client_secret: "", scope: "", audience: "a" };
    expect(outcome(await askToken(under, fields, basic(id, secret)))).toEqual([200, "ok"]);
  });

  it("but at the platform's own endpoint for revocation what is unknown is refused", async () => {
    await using under = await emulatorWithApps();
    const body = { ...CLIENT, refresh_token: "any", token_type_hint: "refresh_token" };
    const refused = await under.call("POST", "/v1/oauth/revoke", { token: null, body });
    expect([refused.status, refused.json]).toEqual([400, expect.objectContaining({ error: "invalid_request" })]);
  });

  it("and leaves no secret in the request log or the state", async () => {
    await using under = await emulatorWithApps();
    const tokens = await someTokens(under);
    await refresh(under, tokens.refresh_token);
    await under.call("POST", "/v1/oauth/revoke", { token: null, body: { ...CLIENT, refresh_token: "to be revoked" } });
    const seen = JSON.stringify([await under.control.log.read(), await under.control.state.read()]);
    for (const text of [CLIENT.client_secret, tokens.access_token, tokens.refresh_token, "to be revoked"]) {
      expect(seen).not.toContain(text);
    }
  });
});

describe("revocation", () => {
  it.each([
    { as: "JSON", body: (fields: Record<string, string>) => fields },
    { as: "a form", body: (fields: Record<string, string>) => new URLSearchParams(fields) },
  ])("ends a family; asked as $as", async ({ body }) => {
    await using under = await emulatorWithApps();
    const first = await someTokens(under);
    const second = tokensOf(await refresh(under, first.refresh_token));
    const fields = { ...CLIENT, refresh_token: second.refresh_token };
    const revoked = await under.call("POST", "/v1/oauth/revoke", { token: null, body: body(fields) });
    expect([revoked.status, revoked.text]).toEqual([204, ""]);
    expect([await status(under, first.access_token), await status(under, second.access_token)]).toEqual([401, 401]);
    expect(outcome(await refresh(under, second.refresh_token))).toEqual([400, "invalid_grant"]);
  });

  it("says nothing of a token that it does not know or that is another app's, and changes nothing", async () => {
    await using under = await emulatorWithApps();
    const { access_token: access, refresh_token: token } = await someTokens(under);
    const revoke = async (fields: object) =>
      (
        await under.call("POST", "/v1/oauth/revoke", {
          token: null,
          body: { ...CLIENT, refresh_token: token, ...fields },
        })
      ).status;
    expect(await revoke({ refresh_token: "unknown" })).toBe(204);
    expect(await revoke(OTHER_CLIENT)).toBe(204);
    expect(await revoke({ client_secret: "wrong" })).toBe(401);
    expect(await revoke({ client_secret: undefined })).toBe(400);
    expect(await status(under, access)).toBe(200);
  });

  it("comes for access tokens before their time, but not for refresh tokens", async () => {
    await using under = await emulatorWithApps();
    const { access_token: token, refresh_token: refreshToken } = await someTokens(under);
    expect(await status(under, token)).toBe(200);
    expect(await under.control.oauth.expireTokens()).toEqual({ expired: 1 });
    expect(await status(under, token)).toBe(401);
    const next = tokensOf(await refresh(under, refreshToken));
    expect(await status(under, next.access_token)).toBe(200);
    expect(await under.control.oauth.expireTokens()).toEqual({ expired: 1 });
  });

  it("comes with the app that is removed, and with the grant that its user takes back", async () => {
    await using under = await emulatorWithApps();
    const [first, second] = [await someTokens(under), await someTokens(under)];
    const [grant] = await under.control.oauth.grants();
    expect(grant).toMatchObject({ clientId: "deployer", user: "owner", organization: "acme", scopes: SCOPES });
    expect(await under.control.oauth.revokeGrant({ id: grant?.id ?? "" })).toEqual({ revoked: true });
    expect([await status(under, first.access_token), await status(under, second.access_token)]).toEqual([401, 200]);
    expect(await under.control.oauth.removeApp({ clientId: "deployer" })).toEqual({ removed: true });
    expect(await status(under, second.access_token)).toBe(401);
    expect(await under.control.oauth.grants()).toEqual([]);
  });
});
