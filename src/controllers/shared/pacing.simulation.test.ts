import { describe, expect, test } from "vitest";
import { SimulatedOperator, type Step } from "../../../test/support/api-server/simulated-operator.ts";
import {
  SimulatedPlatform,
  type Refusal,
  type SimulatedPlatformOptions,
  type Tamper,
} from "../../../test/support/api-server/simulated-platform.ts";
import type { ResponseHeaders } from "../../api/http.ts";
import { sleep } from "../../base/abort.ts";
import { ManualClock } from "../../base/manual-clock.ts";
import { seededRandom } from "../../base/random.ts";

/**
 * The whole way of a request, from a key in the queue to a strict server: real queue, workers, client and pacer on a driven clock
 * (engine.md §1 and §2). Each world is drawn from a seed, which its failure names.
 */

const REF = "abcdefghijklmnopqrst";
const MINUTE = 60_000;
const USER = "ada";
/** Thousands of requests, on a machine that has other work. */
const LONG = { timeout: 120_000 };
const SCOPE = `projects/${REF}`;
/** How many may be in flight once others were seen to spend (engine.md §2), and before that. */
const SEEN = 4;
const UNSEEN = 16;

const list: Step = (client, options) => client.functions.list({ ref: REF }, options);
const listOf =
  (ref: string): Step =>
  (client, options) =>
    client.secrets.list({ ref }, options);
const inOrganization: Step = (client, options) => client.organizations.members({ slug: "acme" }, options);

/** A digit as a letter: refs have no digits. */
function letter(digit: string): string {
  return "bcdefghijk"[Number(digit)] ?? "";
}

type WorldOptions = Partial<SimulatedPlatformOptions> & { readonly seed: number };

/** A platform, and operators on it that share one user: tokens `t1`, `t2`. */
function worldOf({ seed, ...options }: WorldOptions): {
  readonly clock: ManualClock;
  readonly platform: SimulatedPlatform;
  readonly operator: (token?: string) => SimulatedOperator;
} {
  const clock = new ManualClock();
  const users = { t1: USER, t2: USER, human: USER };
  const platform = new SimulatedPlatform({
    clock,
    random: seededRandom(seed),
    users,
    latencyMs: [10, 300],
    ...options,
  });
  return {
    clock,
    platform,
    operator: (token = "t1") => new SimulatedOperator(platform, { clock, token, seed: seed + 1 }),
  };
}

/** Functions, each looked up, deployed and read, and half as many secrets, all in one project. */
function fillProject(operator: SimulatedOperator, wasReady: boolean, functions = 1000): void {
  const options = { lane: "change", wasReady, group: "shop" } as const;
  for (let n = 0; n < functions; n += 1) operator.ask(`function-${n}`, { steps: [list, list, list] }, options);
  for (let n = 0; n < functions / 2; n += 1) operator.ask(`secret-${n}`, { steps: [list] }, options);
}

/** Arrivals of ours in the project that were let through, per minute from `from` to `to`. */
function perMinute(platform: SimulatedPlatform, [from, to]: readonly [number, number], payer = USER): number {
  const { accepted } = platform.server(SCOPE, payer);
  const ours = accepted.filter(({ by, atMs }) => by !== "human" && atMs >= from * MINUTE && atMs < to * MINUTE);
  return ours.length / (to - from);
}

describe("a project with 1,000 functions and 500 secrets, alone on its identity", () => {
  interface Case extends WorldOptions {
    readonly why: string;
    /** how long is looked: after five minutes those come back who were told the longest time */
    readonly minutes?: number;
    readonly payer?: string;
  }
  /** Whatever it says, a window is 120 a minute. */
  const misled = (why: string, seed: number, tamper: Tamper): Case => ({ why, seed, tamper });
  const cases: readonly Case[] = [
    { why: "fixed windows, as the platform has", seed: 101 },
    { why: "answers that take two seconds", seed: 102, latencyMs: [100, 2000], minutes: 12 },
    { why: "a window that slides", seed: 103, latencyMs: [10, 1000], server: { counting: "sliding" } },
    { why: "a bucket of tokens", seed: 104, latencyMs: [10, 1000], server: { counting: "bucket" } },
    { why: "a server that counts each token by itself", seed: 105, countsBy: "token", payer: "t1" },
    { why: "no headers at all", seed: 106, server: { headers: false } },
    misled("a reset that has passed", 107, pastReset),
    misled("a reset in seconds of the epoch", 108, (headers) => ({ ...headers, "x-ratelimit-reset": "1767225600" })),
    misled("more left than there is", 109, (headers) => ({ ...headers, "x-ratelimit-remaining": "9999" })),
    misled("words for numbers", 110, () => ({ "x-ratelimit-limit": "many", "x-ratelimit-remaining": "some" })),
    misled("the limit of a longer window", 111, (headers) => ({ ...headers, "x-ratelimit-limit": "7200" })),
    { why: "a clock an hour ahead that runs faster", seed: 112, skew: { offsetMs: 3_600_000, ppm: 100 } },
    { why: "a clock an hour behind that runs slower", seed: 113, skew: { offsetMs: -3_600_000, ppm: -100 } },
  ];

  test.each(cases)(
    "is answered no 429, and uses 95 of 100 slots while edits wait: $why (seed $seed)",
    LONG,
    async (one) => {
      const { payer = USER, minutes = 6, why: _why, ...options } = one;
      const { clock, platform, operator } = worldOf(options);
      const ours = operator();
      fillProject(ours, true);
      await clock.advanceAsync(minutes * MINUTE);
      await ours.stop();
      expect(platform.refusals).toEqual([]);
      expect(perMinute(platform, [0, minutes], payer)).toBeGreaterThanOrEqual(120 * 0.95);
    },
  );

  test(
    "as first syncs leaves the last ten slots, and uses the others to the end of the work (seed 114)",
    LONG,
    async () => {
      const { clock, platform, operator } = worldOf({ seed: 114 });
      const ours = operator();
      fillProject(ours, false);
      await clock.advanceAsync(30 * MINUTE);
      const { accepted } = platform.server(SCOPE, USER);
      for (let minute = 0; minute < 30; minute += 1) {
        expect(perMinute(platform, [minute, minute + 1])).toBeLessThanOrEqual(110);
      }
      expect(perMinute(platform, [0, 30])).toBeGreaterThanOrEqual(110 * 0.95);
      await clock.advanceAsync(5 * MINUTE);
      await ours.stop();
      expect([ours.doneAtMs.size, accepted.length, platform.refusals.length]).toEqual([1500, 3500, 0]);
    },
  );
});

test(
  "1,000 projects with ten objects each under one token: no 429, and the organization's budget decides (seed 201)",
  { timeout: 60_000 },
  async () => {
    const { clock, platform, operator } = worldOf({ seed: 201 });
    const ours = operator();
    const refs = Array.from({ length: 1000 }, (_, n) => String(n).padStart(20, "a").replaceAll(/\d/g, letter));
    for (const ref of refs) {
      const steps = [inOrganization, listOf(ref)];
      ours.ask(`project-${ref}`, { steps }, { lane: "change", group: ref });
      for (let n = 0; n < 9; n += 1) {
        ours.ask(`${n}-${ref}`, { steps: [listOf(ref)] }, { lane: "change", group: ref });
      }
    }
    // The organization's budget alone needs nine minutes; the workers are busy with the projects' own for the first three.
    await clock.advanceAsync(13 * MINUTE);
    await ours.stop();
    expect(platform.refusals).toEqual([]);
    expect(ours.doneAtMs.size).toBe(10_000);
    // From the second time on that its slots are taken, when the workers have nothing else to do: nobody comes later than a slot is free.
    const { accepted } = platform.server("organizations/acme", USER);
    const after = accepted.filter(({ atMs }) => atMs >= MINUTE);
    const tookMs = (after.at(-1)?.atMs ?? Infinity) - (after[0]?.atMs ?? 0);
    expect(after.length).toBe(1000 - 110);
    expect((after.length * MINUTE) / tookMs).toBeGreaterThanOrEqual(110 * 0.95);
  },
);

/**
 * Refusals of one token, each with those that were sent before it was heard of: what is sent after that begins the next burst. Nothing is to be
 * sent before the time that the first one of a burst told is over.
 */
function bursts(refusals: readonly Refusal[], token: string): readonly (readonly [Refusal, ...Refusal[]])[] {
  const found: [Refusal, ...Refusal[]][] = [];
  for (const refusal of refusals.filter((one) => one.token === token)) {
    const last = found.at(-1);
    if (last !== undefined && refusal.sentAtMs <= last[0].receivedAtMs) last.push(refusal);
    else found.push([refusal]);
  }
  return found;
}

/**
 * A burst is what was in flight when its first was refused, so that it is bounded by how much may be; and nothing follows before the time that the first one told,
 * or a minute where it told none.
 *
 * @param first most of the first burst: headers show what others spend before anything is refused
 */
function keepsPromise(refusals: readonly Refusal[], token: string, first = SEEN): void {
  const all = bursts(refusals, token);
  const excess = all.filter((burst, n) => burst.length > (n === 0 ? first : SEEN));
  const early = all.slice(1).filter(([next], n) => {
    const told = all[n]?.[0];
    return told !== undefined && next.sentAtMs < told.receivedAtMs + (told.toldMs ?? MINUTE);
  });
  expect({ excess, early }).toEqual({ excess: [], early: [] });
}

describe("two operators and a human on one user", () => {
  /**
   * `used`: the least that both use together of 120 a minute. A refusal that tells no time says that a window is spent, not when it began: the
   * first moment that is certainly in the next one is a minute later. What is spent within s seconds is thus 118 in 60 + s; asking any earlier
   * would be another 429 wherever it is too early (docs/adr/0008). Of a bucket the headers tell when it is full again, which is later than when it
   * has anything.
   */
  const cases: readonly (WorldOptions & { readonly why: string; readonly used: number; readonly first?: number })[] = [
    { why: "fixed windows", seed: 301, used: 114 },
    { why: "Retry-After", seed: 302, used: 114, server: { retryAfter: true, rounding: "down" } },
    { why: "a window that slides", seed: 303, used: 114, server: { counting: "sliding" } },
    { why: "a bucket of tokens", seed: 304, used: 108, server: { counting: "bucket" } },
    { why: "no headers", seed: 305, used: 96, first: UNSEEN, server: { headers: false } },
    { why: "a reset that has passed", seed: 306, used: 93, tamper: pastReset },
    { why: "Retry-After as a date of the past", seed: 307, used: 114, tamper: pastRetryAfter },
  ];

  test.each(cases)(
    "get at most as many 429 as they had in flight at the first: $why (seed $seed)",
    LONG,
    async (one) => {
      const { used, first, why: _why, ...options } = one;
      const { clock, platform, operator } = worldOf({ latencyMs: [10, 600], ...options });
      const random = seededRandom(one.seed);
      const stop = new AbortController();
      const operators = ["t1", "t2"].map((token) => operator(token));
      for (const ours of operators) fillProject(ours, true, 300);
      const human = (async () => {
        for (;;) {
          await sleep(clock, random() * 20_000, stop.signal);
          platform.arrive(`/v1/${SCOPE}`, "human");
        }
      })().catch(() => undefined);
      await clock.advanceAsync(6 * MINUTE);
      stop.abort();
      await Promise.all([human, ...operators.map((ours) => ours.stop())]);
      expect(platform.refusals).not.toEqual([]);
      for (const token of ["t1", "t2"]) keepsPromise(platform.refusals, token, first);
      expect(perMinute(platform, [1, 6])).toBeGreaterThanOrEqual(used);
    },
  );
});

describe("an operator whose budget others spend too, at a steady rate", () => {
  const cases: readonly (WorldOptions & { readonly why: string; readonly others: number })[] = [
    { why: "60 of 120, fixed windows", seed: 311, others: 60 },
    { why: "100 of 120, fixed windows", seed: 312, others: 100 },
    { why: "60 of 120, a window that slides", seed: 313, others: 60, server: { counting: "sliding" } },
    { why: "100 of 120, a window that slides", seed: 314, others: 100, server: { counting: "sliding" } },
  ];

  test.each(cases)(
    "is answered at most as many 429 as it had in flight at the first: $why (seed $seed)",
    async (one) => {
      const { others, why: _why, ...options } = one;
      const { clock, platform, operator } = worldOf({ latencyMs: [10, 600], ...options });
      const random = seededRandom(one.seed);
      const stop = new AbortController();
      const ours = operator();
      fillProject(ours, true, 300);
      const human = (async () => {
        for (;;) {
          await sleep(clock, (random() * 2 * MINUTE) / others, stop.signal);
          platform.arrive(`/v1/${SCOPE}`, "human");
        }
      })().catch(() => undefined);
      await clock.advanceAsync(6 * MINUTE);
      stop.abort();
      await Promise.all([human, ours.stop()]);
      keepsPromise(platform.refusals, "t1");
      const { accepted } = platform.server(SCOPE, USER);
      expect(accepted.filter(({ atMs }) => atMs >= MINUTE && atMs < 6 * MINUTE).length).toBeGreaterThanOrEqual(114 * 5);
    },
  );
});

function pastReset(headers: ResponseHeaders): ResponseHeaders {
  return { ...headers, "x-ratelimit-reset": "-30" };
}

function pastRetryAfter(headers: ResponseHeaders): ResponseHeaders {
  return { ...headers, "retry-after": "Thu, 01 Jan 2015 00:00:00 GMT" };
}
