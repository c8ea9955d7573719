import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type LimitClass, STANDARD_LIMIT } from "../../api/contract/operation.ts";
import { createLimiter } from "./limits.ts";

const three: LimitClass = { name: "three", windows: [{ requests: 3, windowMs: 60_000 }] };
const slow: LimitClass = {
  name: "slow",
  windows: [
    { requests: 10, windowMs: 60_000 },
    { requests: 1, windowMs: 1000 },
  ],
};

describe("the limiter", () => {
  it("admits as many as the limit and refuses the rest of the window", () => {
    const limiter = createLimiter();
    const admitted = [0, 1, 2, 3, 4].map((nowMs) => limiter.admit("a", [three], nowMs).admitted);
    expect(admitted).toEqual([true, true, true, false, false]);
    expect(limiter.refusals).toBe(2);
  });

  it("begins a window at the first request, not at a full minute", () => {
    const limiter = createLimiter();
    for (const nowMs of [50_000, 50_001, 50_002]) limiter.admit("a", [three], nowMs);
    expect(limiter.admit("a", [three], 60_001).admitted).toBe(false);
    expect(limiter.admit("a", [three], 109_999).admitted).toBe(false);
    expect(limiter.admit("a", [three], 110_000)).toEqual({ admitted: true, limit: 3, remaining: 2, resetSeconds: 60 });
  });

  it("tells limit, what is left, and whole seconds until the window ends", () => {
    const limiter = createLimiter();
    expect(limiter.admit("a", [three], 0)).toEqual({ admitted: true, limit: 3, remaining: 2, resetSeconds: 60 });
    expect(limiter.admit("a", [three], 30_500)).toEqual({ admitted: true, limit: 3, remaining: 1, resetSeconds: 30 });
  });

  it("tells of the window that refused", () => {
    const limiter = createLimiter();
    limiter.admit("a", [STANDARD_LIMIT, slow], 0);
    expect(limiter.admit("a", [STANDARD_LIMIT, slow], 400)).toEqual({
      admitted: false,
      limit: 1,
      remaining: 0,
      resetSeconds: 1,
    });
  });

  it("tells of the tightest window that the request passed", () => {
    const limiter = createLimiter();
    for (let nowMs = 0; nowMs < 5000; nowMs += 1000) limiter.admit("a", [STANDARD_LIMIT, slow], nowMs);
    const verdict = limiter.admit("a", [STANDARD_LIMIT], 5000);
    expect(verdict).toEqual({ admitted: true, limit: 120, remaining: 114, resetSeconds: 55 });
  });

  it("counts a refused request in none of its windows", () => {
    const limiter = createLimiter();
    limiter.admit("a", [STANDARD_LIMIT, slow], 0);
    for (let index = 0; index < 50; index += 1) limiter.admit("a", [STANDARD_LIMIT, slow], 1);
    expect(limiter.admit("a", [STANDARD_LIMIT], 2).remaining).toBe(118);
  });

  it("keeps subjects apart", () => {
    const limiter = createLimiter();
    for (const nowMs of [0, 1, 2]) limiter.admit("a", [three], nowMs);
    expect(limiter.admit("b", [three], 3).admitted).toBe(true);
  });

  it("never admits more than the limit in a window, and never refuses in one that is not full", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(40_000), { maxLength: 60 }), (gaps) => {
        const limiter = createLimiter();
        let nowMs = 0;
        let window = { beganMs: -Infinity, admitted: 0 };
        for (const gap of gaps) {
          nowMs += gap;
          if (nowMs >= window.beganMs + 60_000) window = { beganMs: nowMs, admitted: 0 };
          const { admitted } = limiter.admit("a", [three], nowMs);
          expect(admitted).toBe(window.admitted < 3);
          if (admitted) window.admitted += 1;
        }
      }),
    );
  });
});
