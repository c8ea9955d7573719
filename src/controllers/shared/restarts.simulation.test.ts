import { describe, expect, test } from "vitest";
import { SimulatedOperator, type Step } from "../../../test/support/api-server/simulated-operator.ts";
import {
  SimulatedPlatform,
  type SimulatedPlatformOptions,
} from "../../../test/support/api-server/simulated-platform.ts";
import { ManualClock } from "../../base/manual-clock.ts";
import { seededRandom } from "../../base/random.ts";

/** Restarts and changes of leaders: what the one before spent in the running window, the one after cannot remember (engine.md §2). */

const REF = "abcdefghijklmnopqrst";
const MINUTE = 60_000;

const list: Step = (client, options) => client.functions.list({ ref: REF }, options);

function fill(operator: SimulatedOperator): void {
  for (let n = 0; n < 400; n += 1) {
    operator.ask(`function-${n}`, { steps: [list, list, list] }, { lane: "change", wasReady: true, group: "shop" });
  }
}

describe("operators that follow each other within a minute, alone on their identity", () => {
  const cases: readonly (Partial<SimulatedPlatformOptions> & {
    readonly seed: number;
    readonly why: string;
    /** for how long each but the last one is at work */
    readonly lastsMs: readonly number[];
    /** most answers of 429; default: none */
    readonly refused?: number;
    readonly used?: number;
  })[] = [
    { why: "one restart, when the budget is spent", seed: 221, lastsMs: [30_000] },
    { why: "one restart, while it is being spent", seed: 222, lastsMs: [1500] },
    { why: "three starts within a minute", seed: 223, lastsMs: [20_000, 15_000] },
    { why: "four starts within a minute", seed: 228, lastsMs: [15_000, 15_000, 15_000], refused: 1 },
    { why: "five starts within a minute", seed: 229, lastsMs: [10_000, 10_000, 10_000, 10_000], refused: 2 },
    { why: "answers that take two seconds", seed: 224, lastsMs: [40_000], latencyMs: [100, 2000], used: 108 },
    { why: "a window that slides", seed: 225, lastsMs: [30_000], server: { counting: "sliding" } },
    { why: "seconds rounded down", seed: 226, lastsMs: [30_000], server: { rounding: "down" } },
    {
      why: "no headers: as many as are in flight",
      seed: 227,
      lastsMs: [30_000],
      server: { headers: false },
      refused: 4,
    },
    {
      why: "no headers, and five starts within a minute",
      seed: 230,
      lastsMs: [10_000, 10_000, 10_000, 10_000],
      server: { headers: false },
      refused: 8,
    },
    {
      why: "a reset that has passed: as many as are in flight",
      seed: 231,
      lastsMs: [30_000],
      tamper: (headers) => ({ ...headers, "x-ratelimit-reset": "-30" }),
      refused: 4,
    },
  ];

  test.each(cases.map((one) => ({ refused: 0, ...one })))(
    "are answered 429 at most $refused times, and the last one soon uses all: $why (seed $seed)",
    { timeout: 120_000 },
    async ({ lastsMs, refused, used = 114, why: _why, seed, ...options }) => {
      const clock = new ManualClock();
      const users = { token: "ada" };
      const platform = new SimulatedPlatform({
        clock,
        random: seededRandom(seed),
        users,
        latencyMs: [10, 300],
        ...options,
      });
      const operator = (): SimulatedOperator =>
        new SimulatedOperator(platform, { clock, token: "token", seed: seed + 1 });
      for (const lastMs of lastsMs) {
        const former = operator();
        fill(former);
        await clock.advanceAsync(lastMs);
        await former.stop();
      }
      const last = operator();
      fill(last);
      const fromMs = clock.monotonic();
      await clock.advanceAsync(5 * MINUTE);
      await last.stop();
      expect(platform.refusals.length).toBeLessThanOrEqual(refused);
      const { accepted } = platform.server(`projects/${REF}`, "ada");
      const counted = accepted.filter(({ atMs }) => atMs >= fromMs + 2 * MINUTE && atMs < fromMs + 5 * MINUTE);
      expect(counted.length / 3).toBeGreaterThanOrEqual(used);
    },
  );
});
