import fc from "fast-check";
import { CompactSign, compactVerify, importJWK } from "jose";
import { describe, expect, it } from "vitest";
import { SIGNING_KEY_STATUSES, type SigningKeyStatus, signingKeySchema } from "../../api/contract/signing-keys.ts";
import { bodyAs, emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { aProject, message } from "../../../test/support/emulator/scenario.ts";
import { created, keys, KID, moved, pathOf, privateJwk } from "../../../test/support/emulator/signing-keys.ts";
import { typedClient } from "../../../test/support/emulator/typed-client.ts";

describe("a signing key", () => {
  it.each([
    { algorithm: "EdDSA", kty: "OKP" },
    { algorithm: "ES256", kty: "EC" },
    { algorithm: "RS256", kty: "RSA" },
  ] as const)("of $algorithm has a real public half that names the key, and no private one", async (expected) => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const { id, public_jwk: jwk } = await created(under, ref, { algorithm: expected.algorithm });
    expect(jwk).toMatchObject({ kty: expected.kty, kid: id, alg: expected.algorithm, use: "sig" });
    expect(await importJWK(jwk ?? {}, expected.algorithm)).toMatchObject({ type: "public" });
    expect(["d", "p", "q", "dp", "dq", "qi", "k"].filter((part) => part in (jwk ?? {}))).toEqual([]);
  });

  it("of HS256 is a shared secret: it has no public half", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    expect(await created(under, ref, { algorithm: "HS256" })).toMatchObject({ algorithm: "HS256", public_jwk: null });
    const given = { kty: "oct", k: "c2VjcmV0IHRleHQgb2Y" };
    const made = await under.call("POST", pathOf(ref), { body: { algorithm: "HS256", private_jwk: given } });
    expect([made.status, made.text.includes(given.k)]).toEqual([201, false]);
  });

  it.each(["EdDSA", "ES256", "RS256"] as const)(
    "of %s that the caller brings keeps its id; its public half verifies what the private one signs",
    async (algorithm) => {
      await using under = await emulatorUnderTest();
      const ref = await aProject(under);
      const jwk = { ...(await privateJwk(algorithm)), kid: KID, use: "sig", key_ops: ["sign"], ext: true };
      const made = await created(under, ref, { algorithm, private_jwk: jwk });
      expect(made.id).toBe(KID);
      const text = new TextEncoder().encode("signed");
      const token = await new CompactSign(text)
        .setProtectedHeader({ alg: algorithm })
        .sign(await importJWK(jwk, algorithm));
      const { payload } = await compactVerify(token, await importJWK(made.public_jwk ?? {}, algorithm));
      expect(new TextDecoder().decode(payload)).toBe("signed");
      const shown = JSON.stringify([made, await under.control.state.read(), await under.control.log.read()]);
      expect(shown).not.toContain(jwk.d ?? "no private part");
    },
  );
});

describe("the status of a signing key", () => {
  it("[K-39] is in_use for one key only: promoting another moves it to previously_used", async () => {
    await using under = await emulatorUnderTest();
    await using client = typedClient(under);
    const ref = await aProject(under);
    const first = await created(under, ref, { status: "in_use" });
    const second = await created(under, ref);
    under.clock.advance(1000);
    const promoted = await client.signingKeys.update({ ref, id: second.id, body: { status: "in_use" } });
    const now = new Date(under.clock.now()).toISOString();
    expect(promoted).toMatchObject({ status: "in_use", updated_at: now });
    expect(await keys(under, ref)).toEqual([{ ...first, status: "previously_used", updated_at: now }, promoted]);
    const third = await created(under, ref, { status: "in_use" });
    expect((await keys(under, ref)).map(({ status }) => status)).toEqual([
      "previously_used",
      "previously_used",
      "in_use",
    ]);
    expect(await moved(under, ref, third.id, "in_use")).toEqual(third);
  });

  const way: Readonly<Record<SigningKeyStatus, readonly SigningKeyStatus[]>> = {
    standby: [],
    in_use: ["in_use"],
    previously_used: ["in_use"], // and another one is promoted
    revoked: ["revoked"],
  };
  const allowed: Readonly<Record<SigningKeyStatus, readonly SigningKeyStatus[]>> = {
    standby: ["standby", "in_use", "previously_used", "revoked"],
    in_use: ["in_use"],
    previously_used: ["previously_used", "in_use", "standby", "revoked"],
    revoked: ["revoked", "standby", "previously_used"],
  };
  /** The way there is, of each move that there is none of. */
  const INSTEAD: Readonly<Record<string, string>> = {
    ...Object.fromEntries(
      SIGNING_KEY_STATUSES.map((to) => [`in_use ${to}`, "another key must be moved to in_use first"]),
    ),
    "revoked in_use": "move it to standby first",
  };
  it.each(SIGNING_KEY_STATUSES)("%s goes where its graph says, and nowhere else", async (from) => {
    await using under = await emulatorUnderTest({ limits: { requestsPerMinute: 0 } });
    const ref = await aProject(under);
    for (const to of SIGNING_KEY_STATUSES) {
      const { id } = await created(under, ref);
      for (const step of way[from]) await moved(under, ref, id, step);
      if (from === "previously_used") await created(under, ref, { status: "in_use" });
      const answer = await under.call("PATCH", pathOf(ref, id), { body: { status: to } });
      const known = (await keys(under, ref)).find((key) => key.id === id);
      const goes = allowed[from].includes(to);
      const said = goes ? to : `status: a signing key that is ${from} cannot become ${to}: ${INSTEAD[`${from} ${to}`]}`;
      expect([to, answer.status, known?.status]).toEqual([to, goes ? 200 : 400, goes ? to : from]);
      expect(goes ? bodyAs(signingKeySchema, answer).status : message(answer)).toBe(said);
    }
  });

  it("[K-39] never has two keys in use, whatever is asked for in whatever order", async () => {
    await using under = await emulatorUnderTest({ limits: { requestsPerMinute: 0 } });
    const step = fc.oneof(
      fc.record({ what: fc.constant("create" as const), status: fc.constantFrom("in_use", "standby", undefined) }),
      fc.record({ what: fc.constant("legacy" as const) }),
      fc.record({ what: fc.constant("delete" as const), index: fc.nat(4) }),
      fc.record({
        what: fc.constant("move" as const),
        index: fc.nat(4),
        status: fc.constantFrom(...SIGNING_KEY_STATUSES),
      }),
      fc.record({ what: fc.constant("wait" as const) }),
    );
    let project = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        project += 1;
        const ref = await aProject(under, `shop ${project}`);
        let hadOneInUse = false;
        for (const one of steps) {
          const before = await keys(under, ref);
          const id = "index" in one ? (before[one.index % Math.max(1, before.length)]?.id ?? "none") : "none";
          if (one.what === "create") await created(under, ref, { algorithm: "EdDSA", status: one.status });
          if (one.what === "legacy") await under.call("POST", pathOf(ref, "legacy"));
          if (one.what === "move") await under.call("PATCH", pathOf(ref, id), { body: { status: one.status } });
          if (one.what === "delete") await under.call("DELETE", pathOf(ref, id));
          if (one.what === "wait") under.clock.advance(86_400_000);
          const inUse = (await keys(under, ref)).filter(({ status }) => status === "in_use");
          // once there is one there always is
          expect(inUse.length).toBe(hadOneInUse ? 1 : Math.min(inUse.length, 1));
          hadOneInUse ||= inUse.length > 0;
        }
        await under.call("DELETE", `/v1/projects/${ref}`);
      }),
      { numRuns: 30 },
    );
  });
});

describe("the deletion of a signing key", () => {
  it("[K-39] is refused until it was revoked for a while, with the time that is left", async () => {
    await using under = await emulatorUnderTest({ timings: { signingKeyRestMs: 3_600_000 } });
    await using client = typedClient(under);
    const ref = await aProject(under);
    const { id } = await created(under, ref);
    const early = await under.call("DELETE", pathOf(ref, id));
    expect([early.status, message(early)]).toEqual([400, expect.stringContaining("Only a revoked signing key")]);
    await moved(under, ref, id, "revoked");
    under.clock.advance(3_590_000);
    const revoked = await moved(under, ref, id, "revoked"); // does not begin anew
    const soon = await under.call("DELETE", pathOf(ref, id));
    expect([soon.status, message(soon)]).toEqual([400, expect.stringContaining("10 seconds are left")]);
    under.clock.advance(10_000);
    expect(await client.signingKeys.delete({ ref, id })).toEqual(revoked);
    expect(await keys(under, ref)).toEqual([]);
    expect((await under.call("GET", pathOf(ref, id))).status).toBe(404);
  });

  it("takes a day by default, at any speed; a key that came back in between begins anew", async () => {
    await using under = await emulatorUnderTest({ speed: 100 });
    const ref = await aProject(under);
    const { id } = await created(under, ref);
    const hoursLater = async (hours: number): Promise<number> => {
      under.clock.advance(hours * 3_600_000);
      return (await under.call("DELETE", pathOf(ref, id))).status;
    };
    await moved(under, ref, id, "revoked");
    expect(await hoursLater(23)).toBe(400);
    await moved(under, ref, id, "standby");
    await moved(under, ref, id, "revoked");
    expect(await hoursLater(23)).toBe(400);
    expect(await hoursLater(1)).toBe(200);
  });
});

describe("the legacy key", () => {
  it("is imported once, in use, and moves the key in use before it", async () => {
    await using under = await emulatorUnderTest();
    await using client = typedClient(under);
    const ref = await aProject(under);
    const first = await created(under, ref, { status: "in_use" });
    expect((await under.call("GET", pathOf(ref, "legacy"))).status).toBe(404);
    const legacy = await client.signingKeys.createLegacy({ ref });
    expect(legacy).toMatchObject({ algorithm: "HS256", status: "in_use", public_jwk: null });
    expect(await client.signingKeys.getLegacy({ ref })).toEqual(legacy);
    expect(await keys(under, ref)).toMatchObject([{ id: first.id, status: "previously_used" }, legacy]);
    const again = await under.call("POST", pathOf(ref, "legacy"));
    expect([again.status, message(again)]).toEqual([400, expect.stringContaining("already")]);
  });

  it("[K-10] is not to be had once its endpoint is removed: 404, while the key stays among the others", async () => {
    await using under = await emulatorUnderTest();
    await using client = typedClient(under);
    const ref = await aProject(under);
    const legacy = await client.signingKeys.createLegacy({ ref });
    await under.control.settings.patch({ legacyEndpoints: "removed" });
    expect((await under.call("GET", pathOf(ref, "legacy"))).status).toBe(404);
    expect((await under.call("POST", pathOf(ref, "legacy"))).status).toBe(404);
    expect(await client.signingKeys.get({ ref, id: legacy.id })).toEqual(legacy);
  });
});
