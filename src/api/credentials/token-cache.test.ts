import { describe, expect, test } from "vitest";
import { ManualClock } from "../../base/manual-clock.ts";
import { type TokenLease, TokenCache } from "./token-cache.ts";

const never = new AbortController().signal;

/** A cache whose fetches end when the test says so; tokens are named by their number. */
function bench(lifetimeMs: number, skewMs?: number) {
  const clock = new ManualClock();
  const flights: PromiseWithResolvers<TokenLease>[] = [];
  const fetch = (): Promise<TokenLease> => {
    const flight = Promise.withResolvers<TokenLease>();
    flights.push(flight);
    return flight.promise;
  };
  const cache = new TokenCache({ clock, skewMs, fetch });
  const land = (): void => flights.at(-1)?.resolve({ token: `token-${flights.length}`, lifetimeMs });
  const get = (): Promise<string> => {
    const token = cache.token(never);
    land();
    return token;
  };
  return { clock, cache, flights, land, get };
}

describe("a token that expires", () => {
  test("is fetched once for all who ask at the same time", async () => {
    const { cache, flights, land } = bench(3_600_000);
    const asked = [cache.token(never), cache.token(never), cache.token(never)];
    land();
    expect(await Promise.all(asked)).toEqual(["token-1", "token-1", "token-1"]);
    expect(flights).toHaveLength(1);
  });

  test.each([
    { lifetimeMs: 3_600_000, skewMs: undefined, usedMs: 3_540_000, because: "a minute is left for clocks that differ" },
    { lifetimeMs: 3_600_000, skewMs: 0, usedMs: 3_600_000, because: "nothing is left where nothing is asked for" },
    { lifetimeMs: 60_000, skewMs: undefined, usedMs: 30_000, because: "a short life is used for its half at least" },
  ])("of $lifetimeMs ms is used for $usedMs: $because", async ({ lifetimeMs, skewMs, usedMs }) => {
    const { clock, get } = bench(lifetimeMs, skewMs);
    await get();
    clock.advance(usedMs - 1);
    expect(await get()).toBe("token-1");
    clock.advance(1);
    expect(await get()).toBe("token-2");
  });

  test("counts its life from before it was asked for", async () => {
    const { clock, cache, land, get } = bench(100_000, 0);
    const slow = cache.token(never);
    clock.advance(60_000);
    land();
    await slow;
    clock.advance(40_000);
    expect(await get()).toBe("token-2");
  });

  test("is fetched again when the platform rejected it, and not for the rejection of an older one", async () => {
    const { cache, get } = bench(3_600_000);
    await get();
    cache.drop("token-0");
    expect(await get()).toBe("token-1");
    cache.drop("token-1");
    expect(await get()).toBe("token-2");
  });

  test("is fetched on for the others when one who waits leaves", async () => {
    const { cache, flights, land } = bench(3_600_000);
    const leaver = new AbortController();
    const left = cache.token(leaver.signal);
    const stayed = cache.token(never);
    leaver.abort(new Error("gone"));
    await expect(left).rejects.toThrow("gone");
    land();
    expect(await stayed).toBe("token-1");
    expect(flights).toHaveLength(1);
  });

  test("is asked for anew after a failure, which all who waited see", async () => {
    const { cache, flights, get } = bench(3_600_000);
    const asked = [cache.token(never), cache.token(never)];
    flights[0]?.reject(new Error("down"));
    for (const one of asked) await expect(one).rejects.toThrow("down");
    expect(await get()).toBe("token-2");
  });
});
