import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { KubeErrorCode } from "./errors.ts";
import { KubeError } from "./errors.ts";
import { defaultTuning, jittered, recoveryFrom } from "./reflector-recovery.ts";

const half = (): number => 0.5;

function recover(code: KubeErrorCode, failures: number, retryAfterMs?: number) {
  const error = new KubeError(code, code, { effect: "none", retryAfterMs });
  return recoveryFrom(error, { tuning: defaultTuning, failures, random: half });
}

describe("pauses of a reflector", () => {
  it("double up to half a minute, at least half of them certain", () => {
    expect([0, 1, 2, 3, 4, 5, 6, 50].map((failures) => jittered(defaultTuning, failures, half))).toEqual([
      600, 1200, 2400, 4800, 9600, 19_200, 22_500, 22_500,
    ]);
  });

  it("are never too short or too long, whatever the random number", () => {
    fc.assert(
      fc.property(fc.nat(2000), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (failures, random) => {
        const pauseMs = jittered(defaultTuning, failures, () => random);
        expect(pauseMs).toBeGreaterThanOrEqual(defaultTuning.firstPauseMs / 2);
        expect(pauseMs).toBeLessThanOrEqual(defaultTuning.longestPauseMs);
      }),
    );
  });
});

describe("recovery", () => {
  it.each([
    { code: "Gone", failures: 0, pauseMs: 0, relist: true, reason: "gone", why: "the usual end of a long absence" },
    { code: "Gone", failures: 1, pauseMs: 1200, relist: true, reason: "gone", why: "no hot loop of lists" },
    {
      code: "NotFound",
      failures: 0,
      pauseMs: 600,
      relist: true,
      reason: "refused",
      why: "the kind may come back as another",
    },
    {
      code: "TooManyRequests",
      failures: 0,
      pauseMs: 600,
      relist: false,
      reason: "throttled",
      why: "from the last version",
    },
    { code: "ServerError", failures: 2, pauseMs: 2400, relist: false, reason: "error", why: "from the last version" },
    { code: "Unavailable", failures: 0, pauseMs: 600, relist: false, reason: "error", why: "from the last version" },
    { code: "Timeout", failures: 0, pauseMs: 600, relist: false, reason: "silent", why: "from the last version" },
    {
      code: "UnexpectedResponse",
      failures: 0,
      pauseMs: 600,
      relist: false,
      reason: "unreadable",
      why: "it may be cut off",
    },
    { code: "Forbidden", failures: 0, pauseMs: 600, relist: false, reason: "refused", why: "rights may be given back" },
    {
      code: "Unauthorized",
      failures: 0,
      pauseMs: 600,
      relist: false,
      reason: "refused",
      why: "a token may be renewed",
    },
  ] as const)("from $code after $failures failures: $why", ({ code, failures, pauseMs, relist, reason }) => {
    expect(recover(code, failures)).toEqual({ pauseMs, relist, reason, smallerPages: false });
  });

  it("waits at least as long as the server asked, and then spreads", () => {
    expect(recover("TooManyRequests", 0, 5000).pauseMs).toBe(5300);
    expect(recover("Gone", 0, 5000).pauseMs).toBe(5300);
  });

  it("does not believe that it should wait for hours", () => {
    expect(recover("ServerError", 0, 86_400_000).pauseMs).toBe(300_300);
  });

  it("asks for smaller pages when one was too large to read", () => {
    const error = new KubeError("UnexpectedResponse", "large", { effect: "unknown", reason: "ResponseTooLarge" });
    expect(recoveryFrom(error, { tuning: defaultTuning, failures: 0, random: half }).smallerPages).toBe(true);
  });

  it("treats what is no KubeError as any failure: nothing ends the loop", () => {
    expect(recoveryFrom(new TypeError("bug"), { tuning: defaultTuning, failures: 1, random: half })).toEqual({
      pauseMs: 1200,
      relist: false,
      reason: "error",
      smallerPages: false,
    });
  });
});
