import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { emulatorUnderTest } from "../support/emulator/api.ts";

/**
 * Limits are never exceeded and never under-used: whatever comes whenever, exactly those requests are refused for which some window that
 * they pass is full. The windows are counted here once more, in the words of behaviour.md, Limits, and facts.md, head.
 */

const REF = "abcdefghijklmnopqrst";
const OTHER = "bcdefghijklmnopqrstu";
const STANDARD = { name: "standard", requests: 6, windowMs: 60_000 };

interface Window {
  readonly name: string;
  readonly requests: number;
  readonly windowMs: number;
}

/** What is asked, for what it counts, and what it passes beside the standard window. */
const ASKED = {
  profile: { path: "/v1/profile", scope: "", windows: [] },
  organization: { path: "/v1/organizations/acme", scope: "acme", windows: [] },
  project: { path: `/v1/projects/${REF}`, scope: REF, windows: [] },
  other: { path: `/v1/projects/${OTHER}/secrets`, scope: OTHER, windows: [] },
  unknown: { path: "/v1/nowhere", scope: "", windows: [] },
  vanity: { path: `/v1/projects/${REF}/vanity-subdomain`, scope: REF, windows: [window("vanity", 10, 60_000)] },
  counts: {
    path: `/v1/projects/${REF}/analytics/endpoints/usage.api-counts`,
    scope: REF,
    windows: [window("counts", 30, 60_000)],
  },
} as const;

function window(name: string, requests: number, windowMs: number): Window {
  return { name, requests, windowMs };
}

const TOKENS = ["a", "a-too", "b"] as const;
const IDENTITY: Readonly<Record<(typeof TOKENS)[number], string>> = { a: "owner", "a-too": "owner", b: "user-2" };

interface Step {
  readonly waitMs: number;
  readonly asked: keyof typeof ASKED;
  readonly token: (typeof TOKENS)[number];
  readonly times: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  waitMs: fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: 0, max: 3000 }) },
    { weight: 1, arbitrary: fc.constantFrom(20_000, 59_999, 60_000) },
  ),
  asked: fc.constantFrom(...(Object.keys(ASKED) as (keyof typeof ASKED)[])), // its own keys
  token: fc.constantFrom(...TOKENS),
  times: fc.integer({ min: 1, max: 20 }),
});

/** Fixed windows that begin at the first request of an identity and scope, and count arrivals, refused ones not. */
class Reference {
  readonly #standard: Window;
  readonly #open = new Map<string, { readonly endsMs: number; used: number }>();

  constructor(standard: Window) {
    this.#standard = standard;
  }

  /** What the next request gets at a time: whether it passes, and what is left of the tightest window. */
  next({ asked, token }: Step, nowMs: number): { readonly passes: boolean; readonly remaining: number } {
    const { scope, windows } = ASKED[asked];
    const passed = [this.#standard, ...windows].map(({ name, requests, windowMs }) => {
      const key = `${IDENTITY[token]} ${scope} ${name}`;
      const known = this.#open.get(key);
      const current = known !== undefined && nowMs < known.endsMs ? known : { endsMs: nowMs + windowMs, used: 0 };
      return { key, requests, current };
    });
    if (passed.some(({ requests, current }) => current.used >= requests)) return { passes: false, remaining: 0 };
    for (const { key, current } of passed) {
      current.used += 1;
      this.#open.set(key, current);
    }
    return { passes: true, remaining: Math.min(...passed.map(({ requests, current }) => requests - current.used)) };
  }
}

describe("limits", () => {
  it.each([
    { standard: STANDARD.requests, because: "the standard window is the tightest" },
    { standard: 25, because: "some classes are tighter" },
  ])("are neither exceeded nor under-used where $because", { timeout: 120_000 }, async ({ standard }) => {
    let refusals = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
        await using under = await emulatorUnderTest({
          tokens: ["a", "b"],
          limits: { requestsPerMinute: standard },
          seed: {
            organizations: [{ slug: "acme", members: { owner: "Owner", "user-2": "Developer" } }],
            tokens: [{ token: "a-too", user: "owner" }],
            projects: [
              { name: "shop", ref: REF },
              { name: "blog", ref: OTHER },
            ],
          },
        });
        const reference = new Reference({ ...STANDARD, requests: standard });
        for (const one of steps) {
          under.clock.advance(one.waitMs);
          for (let time = 0; time < one.times; time += 1) {
            const { status, headers } = await under.call("GET", ASKED[one.asked].path, { token: one.token });
            const expected = reference.next(one, under.clock.monotonic());
            refusals += expected.passes ? 0 : 1;
            expect({ ...one, passes: status !== 429, remaining: headers["x-ratelimit-remaining"] }).toEqual({
              ...one,
              passes: expected.passes,
              remaining: String(expected.remaining),
            });
          }
        }
      }),
      { numRuns: 30 },
    );
    expect(refusals, "some requests have to be refused, or nothing is shown").toBeGreaterThan(100);
  });
});
