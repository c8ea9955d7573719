import { describe, expect, it } from "vitest";
import { ManualClock } from "../base/manual-clock.ts";
import type { KubeErrorCode } from "./errors.ts";
import { KubeError } from "./errors.ts";
import { withRetries } from "./retry.ts";

type Outcome = KubeError | "ok";

function failure(
  code: KubeErrorCode,
  options: { readonly effect?: "none" | "unknown"; readonly retryAfterMs?: number } = {},
): KubeError {
  return new KubeError(code, code, { effect: options.effect ?? "none", retryAfterMs: options.retryAfterMs });
}

/** Runs through the outcomes, one an attempt; tells at which times attempts were made and what came of it. */
async function play(outcomes: readonly Outcome[], options: { readonly read: boolean; readonly deadlineMs?: number }) {
  const clock = new ManualClock();
  const attempts: number[] = [];
  const attempt = (): Promise<string> => {
    attempts.push(clock.monotonic());
    const outcome = outcomes[attempts.length - 1] ?? "ok";
    return outcome === "ok" ? Promise.resolve("ok") : Promise.reject(outcome);
  };
  const { read, deadlineMs = 30_000 } = options;
  const running = withRetries(attempt, { read, deadlineMs, clock, random: () => 0.5 }).catch((error: unknown) => error);
  await clock.advanceAsync(60_000);
  return { attempts, result: await running };
}

describe("retries of a request", () => {
  it("follow a 429 for writes too, no sooner than asked and a little later", async () => {
    const throttled = failure("TooManyRequests", { retryAfterMs: 2000 });
    const { attempts, result } = await play([throttled, throttled], { read: false });
    expect(result).toBe("ok");
    expect(attempts).toEqual([0, 2250, 4500]);
  });

  it("follow a refused connection for writes too, with growing waits", async () => {
    const refused = failure("Unavailable");
    const { attempts, result } = await play([refused, refused, refused], { read: false });
    expect(result).toBe("ok");
    expect(attempts).toEqual([0, 50, 150, 350]);
  });

  it("end after four attempts that got no answer", async () => {
    const refused = failure("Unavailable");
    const { attempts, result } = await play(
      Array.from({ length: 9 }, () => refused),
      { read: true },
    );
    expect(result).toBe(refused);
    expect(attempts).toHaveLength(4);
  });

  it.each([
    [failure("Unavailable", { effect: "unknown" }), "the answer was lost: it may have happened"],
    [failure("ServerError", { effect: "unknown" }), "it may have happened before it failed"],
    [failure("Timeout", { effect: "unknown" }), "it may still happen"],
    [failure("Conflict"), "sending the same again conflicts again"],
    [failure("NotLeader"), "nothing changes that here"],
  ])("never follow %s for a write: %s", async (error) => {
    const { attempts, result } = await play([error], { read: false });
    expect(result).toBe(error);
    expect(attempts).toHaveLength(1);
  });

  it("follow lost answers and 5xx for reads", async () => {
    const { attempts, result } = await play([failure("Unavailable"), failure("ServerError")], { read: true });
    expect(result).toBe("ok");
    expect(attempts).toHaveLength(3);
  });

  it("are not waited for when the wait would pass the deadline: the error stands at once", async () => {
    const throttled = failure("TooManyRequests", { retryAfterMs: 20_000 });
    const { attempts, result } = await play([throttled], { read: true, deadlineMs: 10_000 });
    expect(result).toBe(throttled);
    expect(attempts).toEqual([0]);
  });

  it("tell each attempt what is left of the deadline", async () => {
    const clock = new ManualClock();
    const left: number[] = [];
    const attempt = (leftMs: number): Promise<never> => {
      left.push(leftMs);
      return Promise.reject(failure("TooManyRequests", { retryAfterMs: 3000 }));
    };
    const options = { read: true, deadlineMs: 10_000, clock, random: () => 0 };
    const running = withRetries(attempt, options).catch((error: unknown) => error);
    await clock.advanceAsync(20_000);
    await running;
    expect(left).toEqual([10_000, 7000, 4000, 1000]);
  });

  it("end with the caller's reason while waiting", async () => {
    const clock = new ManualClock();
    const stop = new AbortController();
    const attempt = (): Promise<never> => Promise.reject(failure("TooManyRequests"));
    const options = { read: true, deadlineMs: 10_000, signal: stop.signal, clock, random: () => 0 };
    const running = withRetries(attempt, options).catch((error: unknown) => error);
    await clock.advanceAsync(500);
    const reason = new Error("shutting down");
    stop.abort(reason);
    expect(await running).toBe(reason);
    expect(clock.pendingTimers).toBe(0);
  });
});
