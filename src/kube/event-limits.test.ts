import { describe, expect, it } from "vitest";
import { EventLimits } from "./event-limits.ts";

describe("EventLimits", () => {
  it("lets a burst through, then one as often as it refills, for each object by itself", () => {
    const limits = new EventLimits({ burst: 3, refillMs: 1000 });
    const take = (key: string, times: number, nowMs: number): number =>
      Array.from({ length: times }, () => limits.take(key, nowMs)).filter(Boolean).length;
    expect(take("a", 10, 0)).toBe(3);
    expect(take("b", 10, 0)).toBe(3);
    expect(take("a", 10, 999)).toBe(0);
    expect(take("a", 10, 1000)).toBe(1);
    expect(take("a", 10, 100_000)).toBe(3);
  });

  it("does not grow with the number of objects that are quiet again", () => {
    const limits = new EventLimits({ burst: 1, refillMs: 10 });
    for (let i = 0; i < 20_000; i++) limits.take(`object-${i}`, i * 10);
    expect(limits.size).toBeLessThanOrEqual(4096);
  });

  it("costs no more for each event when there are many objects that tell at once", () => {
    let looks = 0;
    const limit = {
      burst: 25,
      get refillMs() {
        looks += 1;
        return 60_000;
      },
    };
    const limits = new EventLimits(limit);
    const objects = 6000;
    for (let i = 0; i < 2 * objects; i++) limits.take(`object-${i % objects}`, i);
    expect(looks).toBeLessThan(10 * objects);
    limits.take("another", 200_000);
    expect(limits.size).toBe(1);
  });
});
