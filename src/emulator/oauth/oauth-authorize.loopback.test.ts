import { describe, expect, it } from "vitest";
import {
  account,
  accountsIn,
  answer,
  ASKED,
  authorizePath,
  BROWSER,
  consent,
} from "../../../test/support/emulator/consent.ts";
import { askToken, CALLBACK, CLIENT, emulatorWithApps, tokensOf } from "../../../test/support/emulator/oauth.ts";

/** All that a description may be of (RFC 6749 §4.1.2.1). */
const DESCRIPTION = /^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/;
const asked = authorizePath;

describe("authorize", () => {
  it.each([undefined, "*/*", "application/json", "text/*", "text/html;q=0"])(
    "answers 204 to a caller that accepts %s, and begins nothing",
    async (accept) => {
      await using under = await emulatorWithApps();
      const headers = accept === undefined ? {} : { accept };
      const granted = await under.call("GET", authorizePath(ASKED), { token: null, headers });
      expect([granted.status, granted.text, granted.headers["set-cookie"]]).toEqual([204, "", undefined]);
      expect(granted.headers["x-ratelimit-limit"]).toBe("120");
    },
  );

  const WRONG = [
    { because: "the app is unknown", change: { client_id: "nobody" }, error: "unauthorized_client" },
    {
      because: "the redirect URI is longer",
      change: { redirect_uri: `${CALLBACK}&x` },
      status: 400,
      error: "invalid_request",
    },
    {
      because: "it is another scheme",
      change: { redirect_uri: "http://app.example.test/callback?from=here" },
      status: 400,
      error: "invalid_request",
    },
  ] as const;
  it.each(WRONG)("never redirects when $because", async ({ change, error }) => {
    await using under = await emulatorWithApps();
    for (const headers of [BROWSER, {}]) {
      const refused = await under.call("GET", authorizePath({ ...ASKED, ...change }), { token: null, headers });
      expect([refused.status, refused.headers["location"]]).toEqual([400, undefined]);
      expect(refused.json).toMatchObject({ error });
    }
  });

  it.each([
    { because: "a scope is not the app's", change: { scope: "projects:read storage:read" }, error: "invalid_scope" },
    { because: "a method has no challenge", change: { code_challenge_method: "S256" }, error: "invalid_request" },
  ])("tells the app, and whoever is no browser, when $because", async ({ change, error }) => {
    await using under = await emulatorWithApps();
    const path = authorizePath({ ...ASKED, ...change });
    const refused = await under.call("GET", path, { token: null });
    expect([refused.status, refused.json]).toEqual([400, expect.objectContaining({ error })]);
    const sent = await under.call("GET", path, { token: null, headers: BROWSER });
    expect(sent.status).toBe(303);
    const back = new URL(sent.headers["location"] ?? "");
    expect(back.origin + back.pathname).toBe("https://app.example.test/callback");
    expect(Object.fromEntries(back.searchParams)).toMatchObject({ from: "here", error, state: "st&te" });
  });

  it.each([
    { because: "tokens are asked for", change: { response_type: "token" }, error: "unsupported_response_type" },
    { because: "id tokens are", change: { response_type: "id_token token" }, error: "unsupported_response_type" },
    { because: "the answer should be posted", change: { response_mode: "form_post" }, error: "invalid_request" },
  ])("tells the app when $because, and whoever is no browser what the catalogue has", async ({ change, error }) => {
    await using under = await emulatorWithApps();
    const path = authorizePath({ ...ASKED, ...change });
    expect((await under.call("GET", path, { token: null })).status).toBe(204);
    const sent = await under.call("GET", path, { token: null, headers: BROWSER });
    expect(sent.status).toBe(303);
    const back = new URL(sent.headers["location"] ?? "");
    expect(Object.fromEntries(back.searchParams)).toMatchObject({ from: "here", error, state: "st&te" });
  });

  const { response_type: _type, ...untyped } = ASKED;
  /** What the contract's schema refuses, by what is wrong and what RFC 6749 §4.1.2.1 calls it. */
  const REFUSED = [
    { query: asked(untyped), error: "invalid_request", says: "response_type: " },
    { query: asked({ ...ASKED, response_type: "" }), error: "invalid_request", says: "response_type: " },
    { query: asked({ ...ASKED, response_type: "magic" }), error: "unsupported_response_type", says: "'magic'" },
    {
      query: asked({ ...ASKED, response_type: 'm"é\\' }),
      error: "unsupported_response_type",
      says: "response_type: Invalid enum value",
    },
    { query: asked({ ...ASKED, code_challenge_method: "md5" }), error: "invalid_request", says: "'md5'" },
    { query: asked({ ...ASKED, organization_slug: "a b" }), error: "invalid_request", says: "organization_slug" },
    ...["response_type=code", "scope=secrets%3Aread", "response_mode=query", "code_challenge=c", "target_flow=f"].map(
      (twice) => ({
        query: `${asked(ASKED)}&${twice}&${twice}`,
        error: "invalid_request",
        says: `${twice.split("=")[0]}: `,
      }),
    ),
  ];
  it.each(REFUSED)("tells the app, and whoever is no browser, what is not as declared: $error, $says", async (row) => {
    await using under = await emulatorWithApps();
    const refused = await under.call("GET", row.query, { token: null });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(row.says)]);
    expect(refused.json).toMatchObject({ error: row.error });
    const sent = await under.call("GET", row.query, { token: null, headers: BROWSER });
    expect([sent.status, sent.text, sent.headers["set-cookie"]]).toEqual([303, "", undefined]);
    const back = new URL(sent.headers["location"] ?? "");
    expect(back.origin + back.pathname).toBe("https://app.example.test/callback");
    const { error_description: description, ...answer } = Object.fromEntries(back.searchParams);
    expect(answer).toEqual({ from: "here", error: row.error, state: ASKED.state });
    expect(description).toContain(row.says);
    expect(description).toMatch(DESCRIPTION);
  });

  it("carries no state back where there is none to carry: it was left out, or said twice", async () => {
    await using under = await emulatorWithApps();
    const { state: _state, ...stateless } = ASKED;
    for (const [query, says] of [
      [asked({ ...stateless, response_type: "magic" }), "response_type: "],
      [`${asked(ASKED)}&state=another`, "state: "],
    ] as const) {
      const sent = await under.call("GET", query, { token: null, headers: BROWSER });
      const back = new URL(sent.headers["location"] ?? "");
      expect([back.searchParams.has("state"), back.searchParams.get("error_description")]).toEqual([
        false,
        expect.stringContaining(says),
      ]);
    }
  });

  it.each([
    ...WRONG.map(({ change, because }) => ({ because, query: asked({ ...ASKED, ...change }) })),
    { because: "the app is left out", query: asked({ ...ASKED, client_id: "" }) },
    { because: "the redirect URI is left out", query: asked({ ...ASKED, redirect_uri: "" }) },
    { because: "two apps are named", query: `${asked(ASKED)}&client_id=nobody` },
    { because: "the app is named twice", query: `${asked(ASKED)}&client_id=${CLIENT.client_id}` },
    { because: "two redirect URIs are", query: `${asked(ASKED)}&redirect_uri=https%3A%2F%2Fevil.test%2F` },
    {
      because: "the redirect URI is named twice",
      query: `${asked(ASKED)}&redirect_uri=${encodeURIComponent(CALLBACK)}`,
    },
  ])("never redirects a query that is not as declared when $because", async ({ query }) => {
    await using under = await emulatorWithApps();
    for (const wrong of ["", "&code_challenge_method=md5"]) {
      const refused = await under.call("GET", query + wrong, { token: null, headers: BROWSER });
      expect([refused.status, refused.headers["location"]]).toEqual([400, undefined]);
      expect(refused.json).toMatchObject({ error: expect.any(String), error_description: expect.any(String) });
    }
  });

  it("ignores what it does not know and what has no value: RFC 6749 §3.1", async () => {
    await using under = await emulatorWithApps();
    const known = { ...ASKED, organization_slug: "", code_challenge: "", code_challenge_method: "", scope: "" };
    const path = `${authorizePath({ ...known, nonce: "1", access_type: "offline" })}&prompt=login&prompt=consent`;
    expect((await under.call("GET", path, { token: null })).status).toBe(204);
    expect((await under.call("GET", path, { token: null, headers: BROWSER })).headers["location"]).toMatch(
      /^\/oauth\//,
    );
  });
});

describe("the consent page", () => {
  it("shows app, scopes and organizations, runs no script and lets nobody frame it", async () => {
    await using under = await emulatorWithApps();
    const { page } = await consent(under, { scope: "secrets:read projects:read" });
    expect(page.status).toBe(200);
    expect(page.text).toContain("<strong>Deployer</strong>");
    expect([...page.text.matchAll(/<li><code>([^<]*)</g)].map(([, scope]) => scope)).toEqual([
      "projects:read",
      "secrets:read",
    ]);
    expect(accountsIn(page).map(([, , label]) => label)).toEqual([
      "Acme, as owner (Owner)",
      "Acme, as dev (Developer)",
      "Beta, as owner (Owner)",
    ]);
    expect(page.text).not.toMatch(/<script|\son\w+=|javascript:/i);
    expect(page.headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "x-frame-options": "DENY",
      "content-security-policy": expect.stringMatching(
        /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self' https:\/\/app\.example\.test; base-uri 'none'; frame-ancestors 'none'$/,
      ),
    });
  });

  it("escapes what it is told", async () => {
    await using under = await emulatorWithApps();
    const name = `<script>alert("1")</script>&'`;
    const { client_id: clientId, client_secret: clientSecret } = CLIENT;
    await under.control.oauth.addApp({ clientId, clientSecret, name, redirectUris: [`${CALLBACK}&"><b>`] });
    const { page } = await consent(under, { redirect_uri: `${CALLBACK}&"><b>` });
    expect(page.text).toContain("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;");
    expect(page.text).not.toMatch(/<script|"><b>/);
  });

  it("gives a code for an approval, with the state as it was, once", async () => {
    await using under = await emulatorWithApps();
    const asked = await consent(under, { code_challenge: "challenge" });
    const fields = { decision: "approve", account: account(asked.page, "Beta, as owner (Owner)") };
    const back = await answer(under, asked, fields);
    expect(back.status).toBe(303);
    const url = new URL(back.headers["location"] ?? "");
    expect([url.searchParams.get("state"), url.searchParams.get("from")]).toEqual(["st&te", "here"]);
    const grant = { ...CLIENT, grant_type: "authorization_code", code: url.searchParams.get("code") ?? "" };
    const tokens = await askToken(under, { ...grant, redirect_uri: CALLBACK, code_verifier: "challenge" });
    const { access_token: token } = tokensOf(tokens);
    expect((await under.call("GET", "/v1/organizations/beta", { token })).status).toBe(200);
    expect((await answer(under, asked, fields)).status).toBe(404);
  });

  it("gives access_denied for a denial, and then is gone", async () => {
    await using under = await emulatorWithApps();
    const asked = await consent(under, { redirect_uri: "myapp:callback" });
    const back = await answer(under, asked, { decision: "deny" });
    expect([back.status, back.headers["location"]]).toEqual([
      303,
      "myapp:callback?error=access_denied&error_description=The+user+said+no.&state=st%26te",
    ]);
    expect((await under.call("GET", asked.path, { token: null })).status).toBe(404);
    expect(await under.control.oauth.grants()).toEqual([]);
  });

  it("offers only the organization that the app named", async () => {
    await using under = await emulatorWithApps();
    const { page } = await consent(under, { organization_slug: "beta" });
    expect(accountsIn(page).map(([, , label]) => label)).toEqual(["Beta, as owner (Owner)"]);
    const nowhere = await consent(under, { organization_slug: "nowhere" });
    expect(nowhere.page.text).toContain("Nobody here may allow this");
    expect(nowhere.page.text).not.toContain("Approve");
  });

  const approval = { decision: "approve", account: "" };
  it.each([
    { because: "it comes from another page", fields: approval, headers: { origin: "http://evil.test" }, status: 403 },
    { because: "it comes from a page without a name", fields: approval, headers: { origin: "null" }, status: 403 },
    { because: "another browser sends it", fields: approval, headers: { cookie: "consent=guess" }, status: 403 },
    { because: "no cookie comes along", fields: approval, headers: { cookie: "" }, status: 403 },
    { because: "the host is another's name", fields: approval, headers: { host: "evil.test" }, status: 403 },
    {
      because: "the account was not offered",
      fields: { decision: "approve", account: "x acme" },
      headers: {},
      status: 400,
    },
    { because: "it decides nothing", fields: { decision: "perhaps" }, headers: {}, status: 400 },
    { because: "it is no form", fields: approval, headers: { "content-type": "text/plain" }, status: 400 },
  ])("takes no answer when $because", async ({ fields, headers, status }) => {
    await using under = await emulatorWithApps();
    const asked = await consent(under);
    const refused = await answer(
      under,
      asked,
      { account: account(asked.page, "Acme, as owner (Owner)"), ...fields },
      headers,
    );
    expect([refused.status, refused.headers["location"]]).toEqual([status, undefined]);
    expect(await under.control.oauth.grants()).toEqual([]);
    expect((await under.call("GET", asked.path, { token: null })).status).toBe(200);
  });

  it("is not shown under the name of another host, for an unknown address, or after ten minutes", async () => {
    await using under = await emulatorWithApps();
    const { path } = await consent(under);
    expect((await under.call("GET", path, { headers: { host: "evil.test:80" } })).status).toBe(403);
    expect((await under.call("GET", "/oauth/consent/unknown")).status).toBe(404);
    under.clock.advance(600_000);
    expect((await under.call("GET", path)).status).toBe(404);
  });
});
