import type { JWK } from "jose";
import { describe, expect, it } from "vitest";
import { emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { aProject, message } from "../../../test/support/emulator/scenario.ts";
import { created, keys, KID, pathOf, privateJwk } from "../../../test/support/emulator/signing-keys.ts";

describe("a request about signing keys is refused", () => {
  const other = { kty: "EC", crv: "P-256" };
  const cases: readonly {
    readonly body: (ec: JWK, rsa: JWK) => object;
    readonly says: string;
    readonly why: string;
  }[] = [
    { body: () => ({}), says: "algorithm", why: "no algorithm" },
    { body: () => ({ algorithm: "HS512" }), says: "Expected 'EdDSA'", why: "another algorithm" },
    { body: () => ({ algorithm: "ES256", status: "revoked" }), says: "status", why: "no key is born revoked" },
    { body: () => ({ algorithm: "ES256", kid: KID }), says: "kid", why: "an unknown field" },
    { body: (ec) => ({ algorithm: "RS256", private_jwk: ec }), says: "RSA for RS256", why: "another type of key" },
    { body: (ec) => ({ algorithm: "ES256", private_jwk: { ...ec, crv: "P-384" } }), says: "crv", why: "another curve" },
    { body: () => ({ algorithm: "ES256", private_jwk: other }), says: "private_jwk", why: "no key in it" },
    {
      body: (ec) => ({ algorithm: "ES256", private_jwk: { ...ec, x: ec.y, y: ec.x } }),
      says: "no working EC key",
      why: "no point of the curve",
    },
    {
      body: (ec) => ({ algorithm: "ES256", private_jwk: { ...ec, d: ec.x } }),
      says: "no working EC key",
      why: "halves that do not belong together",
    },
    {
      body: (_, { qi: _qi, ...rsa }) => ({ algorithm: "RS256", private_jwk: rsa }),
      says: "private_jwk.qi",
      why: "not all parts of an RSA key",
    },
    {
      body: (_, rsa) => ({ algorithm: "RS256", private_jwk: { ...rsa, e: "AAEAAQ" } }),
      says: "private_jwk.e",
      why: "another exponent",
    },
    {
      body: (_, rsa) => ({ algorithm: "RS256", private_jwk: { ...rsa, n: "AQAB" } }),
      says: "no working RSA key",
      why: "a short modulus",
    },
    {
      body: () => ({ algorithm: "HS256", private_jwk: { kty: "oct", k: "fifteen letters" } }),
      says: "at least 16",
      why: "a short secret",
    },
    {
      body: () => ({ algorithm: "HS256", private_jwk: { kty: "oct", alg: "HS512", k: "sixteen letters!" } }),
      says: "private_jwk.alg",
      why: "an algorithm that is not the key's",
    },
    { body: () => ({ algorithm: "ES256", private_jwk: { kty: "PEM" } }), says: "private_jwk", why: "no such type" },
  ];
  it.each(cases)("with 400 that says $says ($why), without a part of the key", async ({ body, says }) => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const [ec, rsa] = [await privateJwk("ES256"), await privateJwk("RS256")];
    const refused = await under.call("POST", pathOf(ref), { body: body(ec, rsa) });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining(says)]);
    expect([ec.d, rsa.d, "letters"].filter((part) => refused.text.includes(part ?? ""))).toEqual([]);
    expect(await keys(under, ref)).toEqual([]);
  });

  it("with 400 where a key of that id is there", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const jwk = { ...(await privateJwk("EdDSA")), kid: KID };
    await created(under, ref, { algorithm: "EdDSA", private_jwk: jwk });
    const refused = await under.call("POST", pathOf(ref), { body: { algorithm: "EdDSA", private_jwk: jwk } });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining("kid")]);
  });

  it("with 400 for a status that does not exist", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const { id } = await created(under, ref);
    expect((await under.call("PATCH", pathOf(ref, id), { body: { status: "lost" } })).status).toBe(400);
    expect((await under.call("PATCH", pathOf(ref, id), { body: {} })).status).toBe(400);
  });

  it("with 404 for a key or a project that is not there, 403 for a token without the right", async () => {
    await using under = await emulatorUnderTest({
      seed: { tokens: [{ token: "reader", user: "owner", permissions: ["auth_signing_keys_read"] }] },
    });
    const ref = await aProject(under);
    const body = { status: "revoked" };
    const unknown = [
      await under.call("GET", pathOf(ref, KID)),
      await under.call("PATCH", pathOf(ref, KID), { body }),
      await under.call("DELETE", pathOf(ref, KID)),
      await under.call("GET", pathOf("z".repeat(20))),
      await under.call("POST", pathOf("z".repeat(20)), { body: { algorithm: "EdDSA" } }),
    ];
    expect(unknown.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    const refused = await under.call("POST", pathOf(ref), { token: "reader", body: { algorithm: "EdDSA" } });
    expect([refused.status, message(refused)]).toEqual([403, expect.stringContaining("auth_signing_keys_write")]);
    expect((await under.call("GET", pathOf(ref), { token: "reader" })).status).toBe(200);
  });
});
