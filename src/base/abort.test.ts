import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { childController, deadline, DeadlineError, orAborted, sleep } from "./abort.ts";
import { ManualClock } from "./manual-clock.ts";

const stopped = new Error("stopped");

/** What nobody handled while a test ran. */
const unhandled: unknown[] = [];
const note = (reason: unknown): void => void unhandled.push(reason);
beforeEach(() => {
  unhandled.length = 0;
  process.on("unhandledRejection", note);
});
afterEach(() => {
  process.off("unhandledRejection", note);
});

/** Lets Node.js tell of rejections that nobody handled. */
async function turnOfTheLoop(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

describe("orAborted", () => {
  it("is what the work is, well or not", async () => {
    const { signal } = new AbortController();
    expect(await orAborted(Promise.resolve(7), signal)).toBe(7);
    await expect(orAborted(Promise.reject(stopped), signal)).rejects.toBe(stopped);
  });

  it("ends with the signal's reason while the work goes on", async () => {
    const controller = new AbortController();
    const work = Promise.withResolvers<number>();
    const waiting = orAborted(work.promise, controller.signal);
    controller.abort(stopped);
    await expect(waiting).rejects.toBe(stopped);
    work.resolve(7);
    expect(await work.promise).toBe(7);
  });

  it.each([
    { when: "before", why: "the work was begun for a caller who had left already" },
    { when: "after", why: "the caller left while it waited" },
  ] as const)(
    "leaves no unhandled rejection when the work fails and the signal aborted $when ($why)",
    async ({ when }) => {
      const controller = new AbortController();
      const work = Promise.withResolvers<never>();
      if (when === "before") controller.abort(stopped);
      const waiting = orAborted(work.promise, controller.signal);
      if (when === "after") controller.abort(stopped);
      await expect(waiting).rejects.toBe(stopped);
      work.reject(new Error("too late for anybody"));
      await turnOfTheLoop();
      expect(unhandled).toEqual([]);
    },
  );
});

describe("childController", () => {
  it("aborts with its parent's reason, also where that had aborted before", () => {
    const parent = new AbortController();
    using early = childController(parent.signal);
    parent.abort(stopped);
    using late = childController(parent.signal);
    expect([early.signal.reason, late.signal.reason]).toEqual([stopped, stopped]);
  });

  it("aborts alone, and follows nobody once it is disposed of", () => {
    const parent = new AbortController();
    const child = childController(parent.signal);
    using other = childController(parent.signal);
    other.abort(stopped);
    expect([parent.signal.aborted, child.signal.aborted]).toEqual([false, false]);
    child[Symbol.dispose]();
    parent.abort(stopped);
    expect(child.signal.aborted).toBe(false);
  });
});

describe("deadline", () => {
  it("aborts with a DeadlineError once its time is over, and frees its timer when disposed of", () => {
    const clock = new ManualClock();
    const limit = deadline(clock, 1000);
    clock.advance(999);
    expect(limit.signal.aborted).toBe(false);
    clock.advance(1);
    expect(limit.signal.reason).toBeInstanceOf(DeadlineError);
    const other = deadline(clock, 1000);
    other[Symbol.dispose]();
    expect(clock.pendingTimers).toBe(0);
  });
});

describe("sleep", () => {
  it("ends after its time, or at once with the reason of an abort, and leaves no timer", async () => {
    const clock = new ManualClock();
    const slept = sleep(clock, 500);
    clock.advance(500);
    await slept;
    const controller = new AbortController();
    const cut = sleep(clock, 500, controller.signal);
    controller.abort(stopped);
    await expect(cut).rejects.toBe(stopped);
    expect(clock.pendingTimers).toBe(0);
  });
});
