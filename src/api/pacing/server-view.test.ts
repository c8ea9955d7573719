import { describe, expect, test } from "vitest";
import { ServerView } from "./server-view.ts";
import type { RateReading } from "./rate-headers.ts";

const MINUTE = 60_000;

/** A view that took in readings, each as `[sent, received, reading, arrivals of ours that it can count]`. */
function viewOf(
  ...readings: (readonly [sentAtMs: number, receivedAtMs: number, reading: RateReading, ours: number])[]
): ServerView {
  const view = new ServerView(120, MINUTE);
  for (const [sentAtMs, receivedAtMs, reading, ours] of readings) {
    view.observe(reading, { sentAtMs, receivedAtMs }, () => ours);
  }
  return view;
}

describe("others", () => {
  test("are not there as long as the server counts no more than we sent", () => {
    expect(viewOf([0, 50, { limit: 120, remaining: 117, resetMs: MINUTE }, 3]).othersSpend(100)).toBe(false);
  });

  test("are there once it counts more, and are reckoned with for half an hour", () => {
    const view = viewOf([0, 50, { limit: 120, remaining: 116, resetMs: MINUTE }, 3]);
    expect(view.othersSpend(29 * MINUTE)).toBe(true);
    expect(view.othersSpend(31 * MINUTE)).toBe(false);
  });

  test("are not told from a predecessor by what was spent before this process began, and a refusal is none of theirs for long", () => {
    const view = new ServerView(120, MINUTE, 10_000);
    const spent = { limit: 120, remaining: 20, resetMs: 30_000 };
    view.observe(spent, { sentAtMs: 10_000, receivedAtMs: 10_100 }, () => 1);
    expect(view.othersSpend(10_200)).toBe(false);
    view.noteRefusal(20_000);
    expect([view.othersSpend(20_100), view.othersSpend(20_000 + 2 * MINUTE)]).toEqual([true, false]);
    view.observe(spent, { sentAtMs: 140_000, receivedAtMs: 140_100 }, () => 1);
    expect(view.othersSpend(140_200)).toBe(true);
  });

  test("are looked for since the beginning of the server's window only", () => {
    const view = new ServerView(120, MINUTE);
    let asked = 0;
    view.observe(
      { limit: 120, remaining: 119, resetMs: 50_000 },
      { sentAtMs: 100_000, receivedAtMs: 100_100 },
      (since) => {
        asked = since;
        return 1;
      },
    );
    expect(asked).toBe(100_000 + 50_000 - 1000 - MINUTE);
  });
});

describe("what is left", () => {
  test("is what the server says less what is in flight, until its window is certainly over", () => {
    const view = viewOf([0, 100, { limit: 120, remaining: 20, resetMs: 30_000 }, 0]);
    expect(view.allowance(200, 3)).toBe(17);
    expect(view.endsAt(200)).toBe(31_100);
    expect(view.allowance(31_099, 0)).toBe(20);
    expect(view.allowance(31_100, 0)).toBeUndefined();
  });

  test("is the least said within one window: answers overtake each other", () => {
    const early: RateReading = { limit: 120, remaining: 20, resetMs: 30_000 };
    const late: RateReading = { limit: 120, remaining: 19, resetMs: 30_000 };
    expect(viewOf([0, 100, late, 0], [0, 110, early, 0]).allowance(200, 0)).toBe(19);
    expect(viewOf([0, 100, early, 0], [0, 110, late, 0]).allowance(200, 0)).toBe(19);
  });

  test("is said anew in the next window; a late answer of the last one changes nothing", () => {
    const view = viewOf(
      [0, 100, { limit: 120, remaining: 2, resetMs: 10_000 }, 0],
      [12_000, 12_100, { limit: 120, remaining: 110, resetMs: 58_000 }, 0],
      [8000, 12_200, { limit: 120, remaining: 1, resetMs: 2000 }, 0],
    );
    expect(view.allowance(12_300, 0)).toBe(110);
  });

  test("is less by one for each answer that says nothing", () => {
    const view = viewOf([0, 100, { limit: 120, remaining: 20, resetMs: 30_000 }, 0]);
    view.observeSilence();
    expect(view.allowance(200, 0)).toBe(19);
  });

  test("is unknown after an answer that took so long that it may speak of two windows", () => {
    expect(viewOf([0, MINUTE, { limit: 120, remaining: 5, resetMs: 30_000 }, 0]).allowance(MINUTE, 0)).toBeUndefined();
  });
});

describe("the limit", () => {
  const said = (limit: number, atMs: number): readonly [number, number, RateReading, number] => [
    atMs,
    atMs,
    { limit },
    0,
  ];

  test("is the contract's until the server says less", () => {
    expect(viewOf().capacity()).toBe(120);
    expect(viewOf(said(60, 0)).capacity()).toBe(60);
  });

  test("is never raised: a greater number may belong to a longer window", () => {
    expect(viewOf(said(6000, 0)).capacity()).toBe(120);
  });

  test("is not lowered by one answer among others: it may speak of a window that the contract does not list", () => {
    expect(viewOf(said(120, 0), said(10, 1000)).capacity()).toBe(120);
    expect(viewOf(said(10, 0), said(120, 1000)).capacity()).toBe(120);
  });

  test("is lowered when nothing else was said for a minute", () => {
    expect(viewOf(said(120, 0), said(60, 61_000)).capacity()).toBe(60);
  });
});
