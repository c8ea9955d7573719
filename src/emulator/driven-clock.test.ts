import { describe, expect, it } from "vitest";
import { ManualClock } from "../base/manual-clock.ts";
import { DrivenClock } from "./driven-clock.ts";

describe("a driven clock", () => {
  it("runs with the clock below it and stays ahead of it once pushed", () => {
    const base = new ManualClock(1000);
    const driven = new DrivenClock(base);
    driven.advance(500);
    base.advance(20);
    expect([driven.now(), driven.monotonic()]).toEqual([1520, 520]);
  });

  it("fires what became due by a push, in order of due time, and leaves the rest waiting", () => {
    const base = new ManualClock();
    const driven = new DrivenClock(base);
    const fired: string[] = [];
    driven.setTimer(300, () => fired.push("300"));
    driven.setTimer(100, () => fired.push("100"));
    driven.setTimer(900, () => fired.push("900"));
    driven.advance(400);
    expect(fired).toEqual(["100", "300"]);
    base.advance(499);
    expect(fired).toHaveLength(2);
    base.advance(1);
    expect(fired).toEqual(["100", "300", "900"]);
  });

  it("fires a timer once, whether time came by itself or by a push", () => {
    const base = new ManualClock();
    const driven = new DrivenClock(base);
    let fired = 0;
    driven.setTimer(100, () => (fired += 1));
    base.advance(100);
    driven.advance(1000);
    expect([fired, base.pendingTimers]).toEqual([1, 0]);
  });

  it("does not fire a timer that was cancelled, also by a callback of the same push", () => {
    const driven = new DrivenClock(new ManualClock());
    const fired: string[] = [];
    const later = driven.setTimer(200, () => fired.push("later"));
    driven.setTimer(100, () => later.cancel());
    driven.advance(1000);
    expect(fired).toEqual([]);
  });

  it("never goes backwards", () => {
    const driven = new DrivenClock(new ManualClock(0));
    driven.advance(-5000);
    expect(driven.now()).toBe(0);
  });
});
