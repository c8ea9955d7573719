import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SlidingWindow } from "./window.ts";

const MINUTE = 60_000;

describe("a slot", () => {
  test("is held from taking until a minute after the answer, however late that is", () => {
    const window = new SlidingWindow(MINUTE);
    const slot = window.take("change");
    expect(window.held(10 * MINUTE)).toBe(1);
    window.release(slot, 10 * MINUTE);
    expect(window.held(11 * MINUTE)).toBe(1);
    expect(window.held(11 * MINUTE + 100)).toBe(0);
  });

  test("frees at once when nothing was sent", () => {
    const window = new SlidingWindow(MINUTE);
    window.refund(window.take("change"));
    expect(window.held(0)).toBe(0);
  });

  test("is released once: a second release holds nothing", () => {
    const window = new SlidingWindow(MINUTE);
    const slot = window.take("change");
    window.release(slot, 0);
    window.release(slot, MINUTE);
    expect(window.held(MINUTE + 100)).toBe(0);
  });

  test("counts for its lane", () => {
    const window = new SlidingWindow(MINUTE);
    window.release(window.take("drift"), 0);
    window.take("drift");
    window.take("change");
    expect([window.held(1, "drift"), window.held(1, "change"), window.held(1)]).toEqual([2, 1, 3]);
  });
});

describe("when slots come free", () => {
  test("in the order of their answers, those in flight as if answered now", () => {
    const window = new SlidingWindow(MINUTE);
    for (const at of [1000, 2000]) window.release(window.take("change"), at);
    window.take("drift");
    const certain = [1, 2, 3].map((nth) => window.certainlyFreeAt(nth, 3000));
    expect(certain[0]).toBeCloseTo(61_000, -2);
    expect(certain[1]).toBeCloseTo(62_000, -2);
    expect(certain[2]).toBeUndefined();
    expect(window.expectedFree(3000)[2]).toBeCloseTo(63_000, -2);
    expect(window.expectedFree(3000)[3]).toBeUndefined();
    expect(window.certainlyFreeAt(1, 3000, "drift")).toBeUndefined();
  });
});

test("whoever takes a slot only when fewer than the capacity are held has no more arrivals than that in any minute", () => {
  const step = fc.record({
    waitMs: fc.integer({ min: 0, max: 2000 }),
    toServerMs: fc.integer({ min: 0, max: 3000 }),
    backMs: fc.integer({ min: 0, max: 3000 }),
  });
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 50, maxLength: 300 }),
      fc.integer({ min: 1, max: 20 }),
      (steps, capacity) => {
        const window = new SlidingWindow(MINUTE);
        const arrivals: number[] = [];
        const answers: { readonly atMs: number; readonly answer: () => void }[] = [];
        let now = 0;
        for (const { waitMs, toServerMs, backMs } of steps) {
          now += waitMs;
          const due = answers.filter(({ atMs }) => atMs <= now).toSorted((a, b) => a.atMs - b.atMs);
          for (const one of due) {
            one.answer();
            answers.splice(answers.indexOf(one), 1);
          }
          if (window.held(now) >= capacity) continue;
          const slot = window.take("change");
          arrivals.push(now + toServerMs);
          const atMs = now + toServerMs + backMs;
          answers.push({ atMs, answer: () => window.release(slot, atMs) });
        }
        for (const start of arrivals) {
          const within = arrivals.filter((at) => at >= start && at < start + MINUTE);
          expect(within.length).toBeLessThanOrEqual(capacity);
        }
      },
    ),
  );
});
