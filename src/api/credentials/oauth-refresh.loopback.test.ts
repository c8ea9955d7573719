import { describe, expect, it } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { emulatorWithApps, REF, refresh, someTokens } from "../../../test/support/emulator/oauth.ts";
import { bench, never, refusal } from "../../../test/support/emulator/refreshing.ts";

/** OAuth refresh against the emulator: rotation, reuse detection and expiry are the server's own. */

describe("access by a refresh token", () => {
  it("works: the calls are the app's, and the new refresh token is stored", async () => {
    await using under = await emulatorWithApps();
    const { client, credentials, stored, exchanges } = await bench(under);
    expect(await client.projects.get({ ref: REF })).toMatchObject({ name: "shop" });
    expect([credentials.identity, stored.length, await exchanges()]).toEqual(["deployer", 2, 1]);
    const { entries } = await under.control.log.read({ operation: "projects.get" });
    expect(entries.map(({ identity }) => identity)).toEqual(["app:deployer"]);
  });

  it("asks once for all calls at the same time, at the beginning and when the token's time is over", async () => {
    await using under = await emulatorWithApps();
    const { client, stored, exchanges } = await bench(under);
    const twenty = () => Promise.all(Array.from({ length: 20 }, () => client.projects.get({ ref: REF })));
    await twenty();
    under.clock.advance(3_539_000);
    await twenty();
    expect([await exchanges(), stored.length]).toEqual([1, 2]);
    under.clock.advance(1000);
    await twenty();
    expect([await exchanges(), stored.length, new Set(stored).size]).toEqual([2, 3, 3]);
  });

  it("sends nothing with a new access token before the new refresh token is stored", async () => {
    await using under = await emulatorWithApps();
    const saved = Promise.withResolvers<void>();
    const offered = Promise.withResolvers<string>();
    const store = (refreshToken: string): Promise<void> => {
      offered.resolve(refreshToken);
      return saved.promise;
    };
    const { client, exchanges } = await bench(under, { store });
    const call = client.projects.get({ ref: REF });
    await offered.promise;
    expect((await under.control.log.read()).entries.map(({ operation }) => operation)).toEqual(["oauth.token"]);
    saved.resolve();
    await call;
    expect(await exchanges()).toBe(1);
  });

  it("keeps a refresh token that could not be stored, and offers the same one again before anything else", async () => {
    await using under = await emulatorWithApps();
    const offered: string[] = [];
    const store = (refreshToken: string): Promise<void> => {
      offered.push(refreshToken);
      return offered.length < 3 ? Promise.reject(new TypeError(`cannot write ${refreshToken}`)) : Promise.resolve();
    };
    const made = await bench(under, { store });
    const words = "the new refresh token could not be stored (TypeError); it is kept and tried again";
    expect([await refusal(made), await refusal(made)]).toEqual([words, words]);
    await made.client.projects.get({ ref: REF });
    expect([offered.length, new Set(offered).size, await made.exchanges()]).toEqual([3, 1, 1]);
  });

  it("goes on with what it kept in memory when storing works again only after the access token ended", async () => {
    await using under = await emulatorWithApps();
    let broken = true;
    const offered: string[] = [];
    const store = (refreshToken: string): Promise<void> => {
      offered.push(refreshToken);
      return broken ? Promise.reject(new Error("no")) : Promise.resolve();
    };
    const made = await bench(under, { store });
    await refusal(made);
    under.clock.advance(3_600_000);
    broken = false;
    await made.client.projects.get({ ref: REF });
    expect([new Set(offered).size, await made.exchanges()]).toEqual([2, 2]);
  });

  it("does not give a waiting call up for another that leaves, nor lose what comes then", async () => {
    await using under = await emulatorWithApps();
    const { credentials, stored, exchanges } = await bench(under);
    const leaver = new AbortController();
    const left = credentials.token(leaver.signal);
    leaver.abort(new Error("gone"));
    await expect(left).rejects.toThrow("gone");
    await credentials.token(never);
    expect([await exchanges(), stored.length]).toEqual([1, 2]);
  });

  it("replaces an access token that the platform rejects, once for a call", async () => {
    await using under = await emulatorWithApps();
    const { credentials, client, exchanges } = await bench(under);
    await under.control.tokens.revoke({ token: await credentials.token(never) });
    expect(await client.projects.get({ ref: REF })).toMatchObject({ name: "shop" });
    expect(await exchanges()).toBe(2);
  });

  it("waits as long as the platform says when it asks too often", async () => {
    await using under = await emulatorWithApps({ limits: { requestsPerMinute: 1, retryAfter: "never" } });
    const { credentials, exchanges } = await bench(under);
    const token = credentials.token(never);
    // Not until some timer is set: the end of a sending is one, too, and what goes beyond that while it is under way ends it.
    await expect.poll(() => under.clock.msToNextTimer()).toBe(60_000);
    under.clock.advance(59_999);
    expect(await exchanges()).toBe(1);
    under.clock.advance(1);
    expect(await token).not.toBe("");
    expect(await exchanges()).toBe(2);
  });
});

describe("an answer to a refresh that is lost", () => {
  it.each([
    { kind: "reset", phase: "before" },
    { kind: "html" },
    { kind: "status", status: 503 },
    { kind: "truncated", phase: "before" },
    { kind: "truncated", framing: "whole", phase: "before" },
  ] as const)("before it took effect is asked for again, unseen: $kind", async (fault) => {
    await using under = await emulatorWithApps();
    const { client, stored } = await bench(under, { clock: systemClock });
    await under.control.faults.add({ operation: "oauth.token", fault });
    expect(await client.projects.get({ ref: REF })).toMatchObject({ name: "shop" });
    expect(stored).toHaveLength(2);
  });

  it.each([
    { kind: "reset", phase: "after" },
    { kind: "truncated", framing: "cut" },
    { kind: "truncated", framing: "whole" },
    { kind: "empty" },
    { kind: "status", status: 502, phase: "after" },
  ] as const)("after the rotation ends the family, and the error says so: $kind $framing", async (fault) => {
    await using under = await emulatorWithApps();
    const made = await bench(under, { clock: systemClock });
    await under.control.faults.add({ operation: "oauth.token", fault });
    const words =
      "the platform gives no access token (invalid_grant); an earlier answer was lost, so the refresh token may have " +
      "been replaced by one that never arrived: authorize the app again";
    expect(await refusal(made)).toBe(words);
    const asked = await made.exchanges();
    expect([await refusal(made), await made.exchanges(), made.stored.length]).toEqual([words, asked, 1]);
  });

  it("with no answer at all is given up, said as such, and asked for again at the next call", async () => {
    await using under = await emulatorWithApps();
    const made = await bench(under);
    await under.control.faults.add({ operation: "oauth.token", count: null, fault: { kind: "half-open" } });
    const failed = refusal(made);
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      await expect
        .poll(() => {
          under.clock.advance(0); // the pause before the next sending is over at once
          return made.exchanges();
        })
        .toBe(attempt);
      under.clock.advance(20_000);
    }
    expect(await failed).toContain("the platform could not be asked for an access token");
    await under.control.faults.clear();
    expect(await made.client.projects.get({ ref: REF })).toMatchObject({ name: "shop" });
  });
});

describe("a refresh token that is good no more", () => {
  it("is refused in words, asked for again only after a while, and works again with what somebody stored meanwhile", async () => {
    await using under = await emulatorWithApps();
    const made = await bench(under);
    const [grant] = await under.control.oauth.grants();
    await under.control.oauth.revokeGrant({ id: grant?.id ?? "" });
    const words = "the platform gives no access token (invalid_grant): authorize the app again";
    expect([await refusal(made), await refusal(made), await made.exchanges()]).toEqual([words, words, 1]);
    made.stored.push((await someTokens(under)).refresh_token);
    under.clock.advance(60_000);
    expect(await made.client.projects.get({ ref: REF })).toMatchObject({ name: "shop" });
  });

  it("was used by somebody else as well: the family is over for both", async () => {
    await using under = await emulatorWithApps();
    const made = await bench(under);
    await refresh(under, made.stored[0] ?? "");
    expect(await refusal(made)).toBe("the platform gives no access token (invalid_grant): authorize the app again");
  });

  it("was replaced by another process that stored its successor: that one is read and used", async () => {
    await using under = await emulatorWithApps();
    const made = await bench(under);
    await made.credentials.token(never);
    const other = await someTokens(under);
    const [grant] = await under.control.oauth.grants();
    await under.control.oauth.revokeGrant({ id: grant?.id ?? "" });
    made.stored.push(other.refresh_token);
    under.clock.advance(3_600_000);
    expect(await made.client.projects.get({ ref: REF })).toMatchObject({ name: "shop" });
  });

  it.each([
    { because: "the secret is wrong", options: { clientSecret: "wrong" }, says: "invalid_client" },
    { because: "the app is unknown", options: { clientId: "nobody" }, says: "invalid_client" },
    { because: "there is none", options: { refreshToken: " \n" }, says: "is empty or has blanks" },
    {
      because: "it cannot be read",
      options: { refreshToken: () => Promise.reject(new RangeError("s3cr3t")) },
      says: "could not be read (RangeError)",
    },
  ])("is told from one that cannot be used: $because", async ({ options, says }) => {
    await using under = await emulatorWithApps();
    expect(await refusal(await bench(under, options))).toContain(says);
  });

  it("fails the call with CREDENTIAL and the same words", async () => {
    await using under = await emulatorWithApps();
    const { client } = await bench(under, { clientSecret: "wrong" });
    await expect(client.projects.get({ ref: REF })).rejects.toMatchObject({
      code: "CREDENTIAL",
      message: "the platform gives no access token (invalid_client): check the app's client id and secret",
    });
  });
});
