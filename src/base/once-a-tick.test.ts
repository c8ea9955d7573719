import { describe, expect, it } from "vitest";
import { onceATick } from "./once-a-tick.ts";

describe("onceATick", () => {
  it("reads once for all who ask in the same tick, and anew in the next", async () => {
    let reads = 0;
    const read = onceATick(() => ++reads);
    expect([read(), read()]).toEqual([1, 1]);
    await Promise.resolve();
    expect(read()).toBe(2);
  });
});
