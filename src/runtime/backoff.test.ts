import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { backoffMs } from "./backoff.ts";

describe("backoffMs", () => {
  it.each([
    { failures: 1, low: 1_000, high: 2_000 },
    { failures: 2, low: 1_000, high: 4_000 },
    { failures: 5, low: 1_000, high: 32_000 },
    { failures: 9, low: 1_000, high: 300_000 },
    { failures: 5_000, low: 1_000, high: 300_000 },
  ])("spreads failure $failures over $low to $high ms", ({ failures, low, high }) => {
    expect(backoffMs(failures, () => 0)).toBe(low);
    expect(backoffMs(failures, () => 1)).toBe(high);
  });

  it("stays within 1 s and 5 min whatever is drawn", () => {
    fc.assert(
      fc.property(fc.nat(100), fc.double({ min: 0, max: 1, noNaN: true }), (failures, drawn) => {
        const ms = backoffMs(failures, () => drawn);
        expect(ms).toBeGreaterThanOrEqual(1_000);
        expect(ms).toBeLessThanOrEqual(300_000);
      }),
    );
  });
});
