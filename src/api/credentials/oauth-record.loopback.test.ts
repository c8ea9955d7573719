import { describe, expect, it } from "vitest";
import { emulatorWithApps, refresh } from "../../../test/support/emulator/oauth.ts";
import { bench, never, refusal } from "../../../test/support/emulator/refreshing.ts";

/** What goes with an exchange: the record that outlives the process, leadership, and who waits for its end. */

describe("a record of what is about to be spent", () => {
  it("is made before the token is sent, each time, and nothing is sent without it", async () => {
    await using under = await emulatorWithApps();
    const recorded: string[] = [];
    let broken = true;
    const begin = (refreshToken: string): Promise<boolean> => {
      recorded.push(refreshToken);
      return broken ? Promise.reject(new TypeError(`cannot record ${refreshToken}`)) : Promise.resolve(false);
    };
    const made = await bench(under, { begin });
    expect(await refusal(made)).toBe(
      "the use of the refresh token could not be recorded (TypeError), so it is not used",
    );
    expect(await made.exchanges()).toBe(0);
    broken = false;
    await made.credentials.token(never);
    under.clock.advance(3_600_000);
    await made.credentials.token(never);
    expect(recorded.slice(1)).toEqual(made.stored.slice(0, 2));
  });

  it.each([
    { before: true, kind: "lost", ended: 0 },
    { before: false, kind: "revoked", ended: 1 },
  ])("of another process, $before, makes a refusal one of a token that was $kind", async ({ before, kind, ended }) => {
    await using under = await emulatorWithApps();
    let told = 0;
    const begin = () => Promise.resolve(before);
    const refused = () => Promise.resolve(void (told += 1));
    const made = await bench(under, { begin, refused });
    await refresh(under, made.stored[0] ?? "");
    const error: unknown = await made.credentials.token(never).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ fault: "refused", oauthError: "invalid_grant", answerLost: kind === "lost" });
    expect(told).toBe(ended);
  });
});

describe("an exchange", () => {
  it("begins only when the process may start requests", async () => {
    await using under = await emulatorWithApps();
    let leads = false;
    const made = await bench(under, { mayStart: () => leads });
    expect(await refusal(made)).toContain("the platform could not be asked for an access token");
    expect(await made.exchanges()).toBe(0);
    leads = true;
    expect(await made.credentials.token(never)).not.toBe("");
  });

  it("is waited for by whoever will use the same refresh token", async () => {
    await using under = await emulatorWithApps();
    const saved = Promise.withResolvers<void>();
    const { credentials, stored } = await bench(under, {
      store: async (refreshToken) => {
        await saved.promise;
        stored.push(refreshToken);
      },
    });
    await credentials.idle(never);
    const token = credentials.token(never);
    const idle = credentials.idle(never).then(() => stored.length);
    saved.resolve();
    expect([await idle, await token]).toEqual([2, expect.any(String)]);
  });

  it("is waited for until what came of it is stored, however often that fails, or the waiting is given up", async () => {
    await using under = await emulatorWithApps();
    let failing = 4;
    const { credentials, stored } = await bench(under, {
      store: (refreshToken) =>
        (failing -= 1) >= 0
          ? Promise.reject(new TypeError("no apiserver"))
          : Promise.resolve(void stored.push(refreshToken)),
    });
    await expect(credentials.token(never)).rejects.toMatchObject({ fault: "unstored" });
    const given = new AbortController();
    const givenUp = credentials.idle(given.signal).then(() => stored.length);
    const idle = credentials.idle(never).then(() => stored.length);
    await expect.poll(() => failing).toBe(2);
    given.abort(new Error("no longer"));
    expect(await givenUp).toBe(1);
    for (const left of [1, 0, -1]) {
      await expect.poll(() => under.clock.pendingTimers).toBeGreaterThan(0);
      under.clock.advance(60_000);
      await expect.poll(() => failing).toBe(left);
    }
    expect(await idle).toBe(2);
  });

  it("stores one token at a time: no older one comes to lie over a newer", async () => {
    await using under = await emulatorWithApps();
    const offered: PromiseWithResolvers<void>[] = [];
    const { credentials, stored } = await bench(under, {
      store: async (refreshToken) => {
        const answer = Promise.withResolvers<void>();
        offered.push(answer);
        await answer.promise;
        stored.push(refreshToken);
      },
    });
    const first = credentials.token(never);
    await expect.poll(() => offered.length).toBe(1);
    offered[0]?.reject(new TypeError("no apiserver"));
    await expect(first).rejects.toMatchObject({ fault: "unstored" });
    const idle = credentials.idle(never);
    await expect.poll(() => offered.length).toBe(2);
    const token = credentials.token(never);
    await new Promise(setImmediate);
    expect(offered).toHaveLength(2);
    offered[1]?.resolve();
    await Promise.all([idle, token]);
    expect(stored).toHaveLength(2);
  });
});
