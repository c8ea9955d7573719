import { describe, expect, test } from "vitest";
import { StrictServer } from "../../../test/support/api-server/strict-server.ts";
import { BLOG, bench, granted, refusal, turnedAway } from "../../../test/support/api-server/pacer-bench.ts";
import type { LimitClass } from "../contract/operation.ts";
import type { RateReading } from "./rate-headers.ts";
import { readRateHeaders } from "./rate-headers.ts";

const HOSTNAME: LimitClass = { name: "hostname", windows: [{ requests: 10, windowMs: 60_000 }] };

describe("a 429", () => {
  const reset: RateReading = { limit: 120, remaining: 0, resetMs: 30_000 };

  test.each([
    { why: "Retry-After first", reading: { ...reset, retryAfterMs: 5000 }, afterMs: 5000 },
    { why: "else the reset", reading: reset, afterMs: 30_000 },
    { why: "else the rest of the minute", reading: {}, afterMs: 60_000 },
    { why: "the jitter is drawn by chance", reading: reset, afterMs: 30_500, drawn: 0.5 },
  ])("closes the scope until its time and a jitter of a second at least: $why", async ({ reading, afterMs, drawn }) => {
    const { clock, ask, answer, spend } = bench(undefined, drawn);
    answer(await ask(), reading, true);
    const asked = ask({ maxWaitMs: 100_000 });
    await spend(1, { scope: BLOG });
    await clock.advanceAsync(afterMs + 999);
    expect(await granted(clock, asked)).toBe(false);
    await clock.advanceAsync(1);
    expect(await granted(clock, asked)).toBe(true);
  });

  test("lets one request at a time try, until an answer tells what is left", async () => {
    const { clock, ask, answer } = bench();
    answer(await ask(), { retryAfterMs: 1000 }, true);
    const first = ask({ maxWaitMs: 9000 });
    const second = ask({ maxWaitMs: 9000 });
    await clock.advanceAsync(3000);
    const permit = await first;
    expect(await granted(clock, second)).toBe(false);
    answer(permit, { limit: 120, remaining: 50, resetMs: 50_000 });
    expect(await granted(clock, second)).toBe(true);
  });

  test("of a class closes the class alone when the limit in the headers is the class's", async () => {
    const { ask, answer, spend } = bench();
    answer(await ask({ limitClass: HOSTNAME }), { limit: 10, remaining: 0, resetMs: 50_000 }, true);
    await refusal(ask({ limitClass: HOSTNAME }));
    await expect(spend(1)).resolves.toBeUndefined();
  });

  test("of a class without headers closes both: either may be spent", async () => {
    const { ask, answer } = bench();
    answer(await ask({ limitClass: HOSTNAME }), {}, true);
    await refusal(ask({ limitClass: HOSTNAME }));
    expect(await refusal(ask())).toBeGreaterThan(0);
  });
});

describe("once others are seen to spend", () => {
  test("at most four of a scope are in flight, and no more than the server says are left", async () => {
    const { clock, ask, answer, spend } = bench();
    await spend(1, {}, { limit: 120, remaining: 6, resetMs: 40_000 });
    const permits = await Promise.all(Array.from({ length: 4 }, () => ask()));
    const fifth = ask({ maxWaitMs: 90_000 });
    const sixth = ask({ maxWaitMs: 90_000 });
    const seventh = ask({ maxWaitMs: 90_000 });
    expect(await granted(clock, fifth)).toBe(false);
    for (const [index, permit] of permits.entries()) {
      answer(permit, { limit: 120, remaining: 5 - index, resetMs: 40_000 });
    }
    expect([await granted(clock, fifth), await granted(clock, sixth), await granted(clock, seventh)]).toEqual([
      true,
      true,
      false,
    ]);
  });

  test("and the last of the four is for an edit", async () => {
    const { clock, ask, spend } = bench();
    await spend(1, {}, { limit: 120, remaining: 60, resetMs: 40_000 });
    await Promise.all(Array.from({ length: 3 }, () => ask({ lane: "sync" })));
    expect(await granted(clock, ask({ lane: "sync", maxWaitMs: 90_000 }))).toBe(false);
    expect(await granted(clock, ask({ maxWaitMs: 90_000 }))).toBe(true);
  });

  test("a class's smaller window says nothing of the standard budget", async () => {
    const { spend } = bench();
    await spend(1, { limitClass: HOSTNAME }, { limit: 10, remaining: 0, resetMs: 50_000 });
    await expect(spend(100)).resolves.toBeUndefined();
  });
});

describe("identities", () => {
  test("that turn out to be one share one budget: what was spent, what is in flight, who waits", async () => {
    const { clock, pacer, ask, answer, spend } = bench();
    await spend(60, { identity: "token 1" });
    const inFlight = await ask({ identity: "token 1" });
    await spend(59, { identity: "token 2" });
    pacer.merge("token 1", "ada");
    const waiting = ask({ identity: "token 2", maxWaitMs: 90_000 });
    pacer.merge("token 2", "ada");
    await waiting.then((permit) => answer(permit));
    await refusal(ask({ identity: "ada" }));
    await refusal(ask({ identity: "token 1" }));
    answer(inFlight);
    await clock.advanceAsync(61_000);
    await expect(spend(120, { identity: "ada" })).resolves.toBeUndefined();
  });

  test("a request that waits when they merge goes on waiting, in the common queue", async () => {
    const { clock, pacer, ask, answer, spend } = bench();
    await spend(120, { identity: "token 1" });
    const waiting = ask({ identity: "token 1", maxWaitMs: 90_000 });
    pacer.merge("token 1", "ada");
    expect(await granted(clock, waiting)).toBe(false);
    await clock.advanceAsync(61_000);
    expect(await granted(clock, waiting)).toBe(true);
    answer(await waiting);
  });

  test("stay closed after a 429 that came before they merged, and find out with one request what is left", async () => {
    const { clock, pacer, ask, answer } = bench();
    answer(await ask({ identity: "token 1" }), { retryAfterMs: 30_000 }, true);
    pacer.merge("token 1", "ada");
    expect(await refusal(ask())).toBeGreaterThan(29_000);
    await clock.advanceAsync(32_000);
    const probe = await ask();
    const next = ask({ maxWaitMs: 90_000 });
    expect(await granted(clock, next)).toBe(false);
    answer(probe, { retryAfterMs: 30_000 }, true);
    expect((await turnedAway(ask())).refusedForMs).toBe(32_000);
    await clock.advanceAsync(32_000);
    answer(await next);
    expect(await granted(clock, ask())).toBe(true);
  });

  test("an answer to what was sent before they merged wakes who waits after", async () => {
    const { clock, pacer, ask, spend } = bench();
    await spend(119, { identity: "token 1" });
    const flying = await ask({ identity: "token 1" });
    pacer.merge("token 1", "ada");
    const waiting = ask({ identity: "ada", maxWaitMs: 90_000 });
    expect(await granted(clock, waiting)).toBe(false);
    flying.cancel();
    expect(await granted(clock, waiting)).toBe(true);
  });
});

test("the server that tests pace against is strict: the 121st arrival of a window is refused, the first of the next is not", () => {
  const server = new StrictServer({ limit: 120, windowMs: 60_000 });
  for (let n = 0; n < 120; n += 1) expect(server.arrive(1000 + n, "x").status).toBe(200);
  const refused = server.arrive(60_999, "x");
  expect([refused.status, readRateHeaders(refused.headers, 0)]).toEqual([
    429,
    { limit: 120, remaining: 0, resetMs: 1000 },
  ]);
  expect(server.arrive(61_000, "x").status).toBe(200);
});
