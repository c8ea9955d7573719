import { describe, expect, test } from "vitest";
import { BLOG, bench, granted, refusal, turnedAway } from "../../../test/support/api-server/pacer-bench.ts";
import type { Labels, Meter } from "../../base/meter.ts";
import { silentMeter } from "../../base/meter.ts";
import type { LimitClass } from "../contract/operation.ts";
import type { ApiLane } from "../lanes.ts";

const HOSTNAME: LimitClass = { name: "hostname", windows: [{ requests: 10, windowMs: 60_000 }] };
const CONTEXT: LimitClass = {
  name: "context",
  windows: [
    { requests: 10, windowMs: 60_000 },
    { requests: 1, windowMs: 1000 },
  ],
};

describe("budgets", () => {
  test("are per identity and per scope: what one spends, another does not miss", async () => {
    const { ask, spend } = bench();
    await spend(120);
    expect(await refusal(ask())).toBeGreaterThan(59_000);
    await spend(1, { scope: BLOG });
    await spend(1, { identity: "bob" });
    await spend(1, { scope: { kind: "organization", id: "shop" } });
  });

  test("a class counts beside the standard budget", async () => {
    const { ask, spend } = bench();
    await spend(10, { limitClass: HOSTNAME });
    expect(await refusal(ask({ limitClass: HOSTNAME }))).toBeGreaterThan(59_000);
    await spend(110);
    await refusal(ask());
  });

  test("a class with two windows is bound by both", async () => {
    const { clock, ask, spend } = bench();
    await spend(1, { limitClass: CONTEXT });
    const second = ask({ limitClass: CONTEXT, maxWaitMs: 2000 });
    expect(await granted(clock, second)).toBe(false);
    await clock.advanceAsync(1100);
    expect(await granted(clock, second)).toBe(true);
  });

  test("a request that waits for the standard budget in vain gives its place in the class back", async () => {
    const { clock, ask, spend } = bench();
    await spend(120);
    for (let n = 0; n < 20; n += 1) await refusal(ask({ limitClass: HOSTNAME }));
    await clock.advanceAsync(61_000);
    await expect(spend(10, { limitClass: HOSTNAME })).resolves.toBeUndefined();
  });

  test("a request that was not sent costs nothing", async () => {
    const { ask, spend } = bench();
    for (let n = 0; n < 500; n += 1) (await ask()).cancel();
    await expect(spend(120)).resolves.toBeUndefined();
  });
});

describe("order and number", () => {
  test("at most sixteen of a scope are in flight; the end of one lets the next go", async () => {
    const { clock, ask, answer } = bench();
    const permits = await Promise.all(Array.from({ length: 16 }, () => ask()));
    const next = ask();
    expect(await granted(clock, next)).toBe(false);
    if (permits[0] !== undefined) answer(permits[0]);
    expect(await granted(clock, next)).toBe(true);
  });

  test("the last quarter of them is for edits", async () => {
    const { clock, ask, answer } = bench();
    const permits = await Promise.all(Array.from({ length: 12 }, () => ask({ lane: "sync" })));
    const waiting = (["sync", "progress", "drift"] as const).map((lane) => ask({ lane }));
    for (const each of waiting) expect(await granted(clock, each)).toBe(false);
    await Promise.all(Array.from({ length: 4 }, () => ask()));
    for (const permit of permits.slice(0, 4)) answer(permit);
    expect(await granted(clock, waiting[0] ?? ask())).toBe(false);
    for (const permit of permits.slice(4, 5)) answer(permit);
    expect(await granted(clock, waiting[0] ?? ask())).toBe(true);
  });

  test("who waits goes by lane, within a lane by age, and a refused one first in its lane", async () => {
    const { clock, ask, answer } = bench();
    const held = await Promise.all(Array.from({ length: 16 }, () => ask()));
    const order: string[] = [];
    const wait = (name: string, lane: ApiLane, reissued = false): void => {
      void ask({ lane, reissued }).then((permit) => {
        order.push(name);
        answer(permit);
      });
    };
    wait("drift", "drift");
    wait("progress", "progress");
    wait("sync", "sync");
    wait("change 1", "change");
    wait("change 2", "change");
    wait("change again", "change", true);
    for (const permit of held) answer(permit);
    await clock.advanceAsync(10);
    expect(order).toEqual(["change again", "change 1", "change 2", "sync", "progress", "drift"]);
  });

  test("a lane without budget does not hold up one that has some", async () => {
    const { clock, ask, spend } = bench();
    await spend(48, { lane: "drift" });
    const drift = ask({ lane: "drift", maxWaitMs: 70_000 });
    await spend(1);
    expect(await granted(clock, drift)).toBe(false);
    await clock.advanceAsync(61_000);
    expect(await granted(clock, drift)).toBe(true);
  });

  test("the last ten slots are for edits", async () => {
    const { ask, spend } = bench();
    await spend(110, { lane: "sync" });
    for (const lane of ["sync", "progress", "drift"] as const) await refusal(ask({ lane }));
    await expect(spend(10)).resolves.toBeUndefined();
  });
});

describe("waiting", () => {
  test("ends at once when it is certain to be too long, with the time at which a slot frees", async () => {
    const { clock, ask, spend } = bench();
    await spend(120);
    clock.advance(20_000);
    const retryAfterMs = await refusal(ask());
    expect(retryAfterMs).toBeGreaterThanOrEqual(40_000);
    expect(retryAfterMs).toBeLessThan(41_000);
  });

  test("ends after its bound when only answers could tell", async () => {
    const { clock, ask } = bench();
    await Promise.all(Array.from({ length: 16 }, () => ask()));
    const turnedAway = refusal(ask());
    await clock.advanceAsync(1000);
    expect(await turnedAway).toBeGreaterThan(0);
  });

  test("gives each who is turned away a turn of its own: 108 of lane sync a minute do not all come back at once", async () => {
    const { clock, ask, spend } = bench();
    for (let n = 0; n < 110; n += 1) {
      await spend(1, { lane: "sync" });
      clock.advance(500);
    }
    const turns: number[] = [];
    for (let n = 0; n < 300; n += 1) turns.push(await refusal(ask({ lane: "sync" })));
    expect(turns).toEqual(turns.toSorted((a, b) => a - b));
    const perMinute = [0, 1, 2].map((minute) => turns.filter((at) => Math.floor(at / 60_000) === minute).length);
    for (const count of perMinute.slice(0, 2)) expect(count).toBeLessThanOrEqual(120);
    expect(Math.max(...turns)).toBeLessThanOrEqual(300_000);
  });

  test("tells for how long the server has answered nothing but 429", async () => {
    const { clock, ask, answer } = bench();
    const refusedFor = async (): Promise<number> => (await turnedAway(ask())).refusedForMs;
    const throttle = async (): Promise<void> => answer(await ask(), { retryAfterMs: 10_000 }, true);
    await throttle();
    expect(await refusedFor()).toBe(0);
    clock.advance(20_000);
    await throttle();
    clock.advance(5000);
    expect(await refusedFor(), "silence is no refusal").toBe(20_000);
    clock.advance(20_000);
    answer(await ask());
    await throttle();
    clock.advance(3000);
    expect(await refusedFor()).toBe(0);
  });

  test("ends with the signal, and leaves nothing behind", async () => {
    const { clock, pacer, ask, spend } = bench();
    await spend(120);
    const stop = new AbortController();
    const asked = ask({ signal: stop.signal, maxWaitMs: 90_000 });
    stop.abort(new Error("shutdown"));
    await expect(asked).rejects.toThrow("shutdown");
    await expect(ask({ signal: stop.signal })).rejects.toThrow("shutdown");
    await clock.advanceAsync(200_000);
    expect(pacer.size).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });
});

describe("what is remembered", () => {
  test("goes when a scope was idle for a while, and the server would not notice", async () => {
    const { clock, pacer, spend } = bench();
    for (let n = 0; n < 200; n += 1) await spend(1, { scope: { kind: "project", id: `p${n}` } });
    expect(pacer.size).toBe(200);
    await clock.advanceAsync(180_000);
    expect(pacer.size).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  test("is thrown away on close, which turns away who waits", async () => {
    const { pacer, ask, spend, clock } = bench();
    await spend(120);
    const asked = ask({ maxWaitMs: 90_000 });
    pacer.close(new Error("closing"));
    await expect(asked).rejects.toThrow("closing");
    expect(clock.pendingTimers).toBe(0);
  });
});

describe("metrics", () => {
  test("tell budget, reset, waiting and refusals per kind of scope and limit, and no refs", async () => {
    const gauges = new Map<string, () => Iterable<{ readonly labels?: Labels; readonly value: number }>>();
    const refused: Labels[] = [];
    const meter: Meter = {
      ...silentMeter,
      counter: () => ({ increment: (labels) => void (labels === undefined || refused.push(labels)) }),
      observableGauge: ({ name }, read) => void gauges.set(name, read),
    };
    const { ask, answer, spend, clock } = bench(meter);
    const read = (name: string): unknown => [...(gauges.get(name)?.() ?? [])];
    const labels = { scope: "project", limit: "standard" };
    await spend(100);
    await spend(10, { scope: BLOG });
    expect(read("baas_api_budget_left")).toEqual([{ labels, value: 20 }]);
    answer(await ask({ scope: BLOG }), { retryAfterMs: 30_000 }, true);
    expect(refused).toEqual([labels]);
    expect(read("baas_api_budget_reset_seconds")).toEqual([{ labels, value: 31 }]);
    void ask({ scope: BLOG, maxWaitMs: 90_000 });
    await clock.advanceAsync(0);
    expect(read("baas_api_requests_waiting")).toEqual([{ labels, value: 1 }]);
  });
});
