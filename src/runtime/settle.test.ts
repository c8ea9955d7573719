import { describe, expect, it } from "vitest";
import { ManualClock } from "../base/manual-clock.ts";
import { settleWithin } from "./settle.ts";

describe("settleWithin", () => {
  it("gives the value of work that ends, also after the abort but in time", async () => {
    const clock = new ManualClock();
    const abort = new AbortController();
    const work = Promise.withResolvers<string>();
    const settled = settleWithin(work.promise, abort.signal, { clock, graceMs: 5_000 });
    abort.abort();
    clock.advance(4_999);
    work.resolve("done");
    expect(await settled).toEqual({ kind: "ended", value: "done" });
    expect(clock.pendingTimers).toBe(0);
  });

  it("leaves work that goes on after the abort, once its time to notice is over", async () => {
    const clock = new ManualClock();
    const abort = new AbortController();
    const settled = settleWithin(new Promise(() => undefined), abort.signal, { clock, graceMs: 5_000 });
    clock.advance(60_000);
    abort.abort();
    clock.advance(5_000);
    expect(await settled).toEqual({ kind: "abandoned" });
  });

  it("counts the time from now for a signal that is aborted already", async () => {
    const clock = new ManualClock();
    const settled = settleWithin(new Promise(() => undefined), AbortSignal.abort(), { clock, graceMs: 0 });
    clock.advance(0);
    expect(await settled).toEqual({ kind: "abandoned" });
  });
});
