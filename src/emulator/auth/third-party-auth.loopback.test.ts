import { importJWK } from "jose";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { bodyAs, emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { aProject, message } from "../../../test/support/emulator/scenario.ts";
import { typedClient } from "../../../test/support/emulator/typed-client.ts";

const ISSUER = "https://issuer.test";
const pathOf = (ref: string): string => `/v1/projects/${ref}/config/auth/third-party-auth`;
const jwks = z.object({ keys: z.array(z.looseObject({ kid: z.string() })) });
const CUSTOM = { keys: [{ kty: "EC", crv: "P-256", x: "x", y: "y" }] };

describe("another issuer", () => {
  it("has its keys resolved after a while: real ones, always the same for a URL, others for another", async () => {
    await using under = await emulatorUnderTest({ timings: { jwksResolveMs: 2000 } });
    await using client = typedClient(under);
    const ref = await aProject(under);
    const { id } = await client.thirdPartyAuth.create({ ref, body: { oidc_issuer_url: ISSUER } });
    const again = await client.thirdPartyAuth.create({ ref, body: { oidc_issuer_url: ISSUER } });
    const other = await client.thirdPartyAuth.create({ ref, body: { jwks_url: "https://other.test/keys" } });
    under.clock.advance(1999);
    expect(await client.thirdPartyAuth.get({ ref, tpa_id: id })).toMatchObject({ resolved_jwks: null });
    under.clock.advance(1);
    const resolvedAt = new Date(under.clock.now()).toISOString();
    under.clock.advance(5000);
    const all = await client.thirdPartyAuth.list({ ref });
    const resolved = all.map(({ id: key, resolved_jwks: keys }) => [key, jwks.parse(keys)] as const);
    const [first, second, third] = resolved.map(([, { keys }]) => keys[0]);
    expect(resolved.map(([key]) => key)).toEqual([id, again.id, other.id]);
    expect(all.map(({ resolved_at: at, updated_at: changed }) => [at, changed])).toEqual(
      all.map(() => [resolvedAt, resolvedAt]),
    );
    expect(second).toEqual(first);
    expect(third?.kid).not.toBe(first?.kid);
    expect(await importJWK(first ?? {}, "ES256")).toMatchObject({ type: "public" });
  });

  it("resolves to what is said to be found at its URL, and never to nothing", async () => {
    await using under = await emulatorUnderTest();
    await using client = typedClient(under);
    const ref = await aProject(under);
    await under.control.thirdPartyAuth.publish({ url: ISSUER, jwks: CUSTOM });
    await under.control.thirdPartyAuth.publish({ url: `${ISSUER}/keys`, jwks: null });
    const { id } = await client.thirdPartyAuth.create({ ref, body: { oidc_issuer_url: ISSUER } });
    const silent = await client.thirdPartyAuth.create({ ref, body: { jwks_url: `${ISSUER}/keys` } });
    under.clock.advance(60_000);
    expect(await client.thirdPartyAuth.get({ ref, tpa_id: id })).toMatchObject({ resolved_jwks: CUSTOM });
    expect(await client.thirdPartyAuth.get({ ref, tpa_id: silent.id })).toEqual(silent);
  });

  it("resolves to what was said, whatever becomes of the objects that said it in the same process", async () => {
    const [sown, published] = [structuredClone(CUSTOM), structuredClone(CUSTOM)];
    await using under = await emulatorUnderTest({ seed: { thirdPartyKeys: [{ url: ISSUER, jwks: sown }] } });
    await using client = typedClient(under);
    const ref = await aProject(under);
    await under.control.thirdPartyAuth.publish({ url: `${ISSUER}/keys`, jwks: published });
    for (const { keys } of [sown, published]) keys.pop();
    const { id } = await client.thirdPartyAuth.create({ ref, body: { oidc_issuer_url: ISSUER } });
    const other = await client.thirdPartyAuth.create({ ref, body: { jwks_url: `${ISSUER}/keys` } });
    under.clock.advance(60_000);
    expect(await client.thirdPartyAuth.get({ ref, tpa_id: id })).toMatchObject({ resolved_jwks: CUSTOM });
    expect(await client.thirdPartyAuth.get({ ref, tpa_id: other.id })).toMatchObject({ resolved_jwks: CUSTOM });
  });

  it("may give its keys itself, which then need no resolving", async () => {
    await using under = await emulatorUnderTest();
    await using client = typedClient(under);
    const ref = await aProject(under);
    const made = await client.thirdPartyAuth.create({ ref, body: { custom_jwks: CUSTOM } });
    expect(made).toMatchObject({
      oidc_issuer_url: null,
      jwks_url: null,
      custom_jwks: CUSTOM,
      resolved_jwks: CUSTOM,
      resolved_at: made.inserted_at,
    });
    expect(await client.thirdPartyAuth.get({ ref, tpa_id: made.id })).toEqual(made);
  });
});

describe("a request about other issuers is refused", () => {
  it.each([
    { body: {}, says: "exactly one of", because: "no source of keys" },
    { body: { oidc_issuer_url: ISSUER, jwks_url: ISSUER }, says: "exactly one of", because: "two sources" },
    { body: { jwks_url: ISSUER, custom_jwks: CUSTOM }, says: "exactly one of", because: "a URL and keys" },
    { body: { oidc_issuer_url: "issuer" }, says: "oidc_issuer_url", because: "no URL" },
    { body: { jwks_url: "file:///keys" }, says: "jwks_url", because: "a URL that is no http one" },
    { body: { custom_jwks: { kty: "EC" } }, says: "custom_jwks", because: "a key and no key set" },
    { body: { custom_jwks: "keys" }, says: "custom_jwks", because: "text" },
    { body: { custom_jwks: null }, says: "custom_jwks", because: "nothing in the place of keys" },
    { body: { issuer: ISSUER }, says: "issuer", because: "an unknown field" },
  ])("with 400 that says $says ($because)", async ({ body, says }) => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const refused = await under.call("POST", pathOf(ref), { body });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining(says)]);
    expect((await under.call("GET", pathOf(ref))).json).toEqual([]);
  });

  it("with 404 for an integration or a project that is not there", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const unknown = [
      await under.call("GET", `${pathOf(ref)}/none`),
      await under.call("DELETE", `${pathOf(ref)}/none`),
      await under.call("GET", pathOf("z".repeat(20))),
    ];
    expect(unknown.map(({ status }) => status)).toEqual([404, 404, 404]);
  });

  it("with 404 for an integration of another project", async () => {
    await using under = await emulatorUnderTest();
    const [ref, other] = [await aProject(under, "shop"), await aProject(under, "store")];
    const made = await under.call("POST", pathOf(ref), { body: { jwks_url: ISSUER } });
    const { id } = bodyAs(z.looseObject({ id: z.string() }), made);
    expect((await under.call("DELETE", `${pathOf(other)}/${id}`)).status).toBe(404);
    expect((await under.call("GET", `${pathOf(ref)}/${id}`)).status).toBe(200);
  });

  it("with 403 for a token without the right, 401 without a token", async () => {
    await using under = await emulatorUnderTest({
      seed: { tokens: [{ token: "reader", user: "owner", permissions: ["auth_config_read"] }] },
    });
    const ref = await aProject(under);
    const body = { jwks_url: ISSUER };
    expect((await under.call("POST", pathOf(ref), { token: "reader", body })).status).toBe(403);
    expect((await under.call("GET", pathOf(ref), { token: "reader" })).status).toBe(200);
    expect((await under.call("GET", pathOf(ref), { token: null })).status).toBe(401);
  });
});
