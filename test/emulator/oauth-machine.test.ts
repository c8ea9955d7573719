import { deepStrictEqual } from "node:assert/strict";
import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EmulatorUnderTest, Received } from "../support/emulator/api.ts";
import {
  aCode,
  askToken,
  CALLBACK,
  CLIENT,
  emulatorWithApps,
  OTHER_CLIENT,
  refresh,
  tokensOf,
} from "../support/emulator/oauth.ts";

/**
 * Families of codes and tokens (behaviour.md, Authentication 5): a code is good once and for ten minutes, a refresh token once, an access
 * token for an hour; whoever uses a code or a refresh token a second time ends the whole family (RFC 6749 §4.1.2, RFC 9700 §4.14.2), and so
 * does revoke. No family is touched by what is done to another.
 */

const MINUTE_MS = 60_000;
const CODE_MS = 10 * MINUTE_MS;
const ACCESS_MS = 60 * MINUTE_MS;
const VERIFIER = "verifier-".repeat(6);
const CHALLENGE = createHash("sha256").update(VERIFIER).digest("base64url");

interface Family {
  readonly code: string;
  readonly codeEndsMs: number;
  readonly pkce: boolean;
  isAlive: boolean;
  isCodeUsed: boolean;
  /** oldest first; all but the last one were used */
  readonly refreshTokens: string[];
  readonly accessTokens: { readonly text: string; readonly endsMs: number }[];
}

const nth = fc.nat(2);
const step = fc.oneof(
  { weight: 2, arbitrary: fc.record({ approve: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({ exchange: nth, by: fc.constantFrom("app", "app", "app", "other", "no verifier") }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      refresh: nth,
      back: fc.constantFrom(0, 0, 0, 0, 1, 2),
      by: fc.constantFrom("app", "app", "app", "other"),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ revoke: nth, back: fc.constantFrom(0, 1), by: fc.constantFrom("app", "other") }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ waitMs: fc.constantFrom(1, MINUTE_MS, CODE_MS - 1, CODE_MS, ACCESS_MS - 1, ACCESS_MS) }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** The way through everything that can become of a family, whatever chance adds to it. */
const EVERY_END: readonly Step[] = [
  { approve: true },
  { exchange: 0, by: "other" },
  { exchange: 0, by: "no verifier" },
  { exchange: 0, by: "app" },
  { refresh: 0, back: 0, by: "other" },
  { refresh: 0, back: 0, by: "app" },
  { refresh: 0, back: 0, by: "app" },
  { refresh: 0, back: 2, by: "app" }, // the oldest once more
  { refresh: 0, back: 0, by: "app" },
  { approve: false },
  { exchange: 1, by: "app" },
  { exchange: 1, by: "app" },
  { refresh: 1, back: 0, by: "app" },
  { approve: false },
  { exchange: 2, by: "app" },
  { waitMs: ACCESS_MS - 1 },
  { waitMs: 1 },
  { revoke: 2, back: 0, by: "other" },
  { refresh: 2, back: 0, by: "app" },
  { revoke: 2, back: 1, by: "app" }, // a used one still names its family
  { refresh: 2, back: 0, by: "app" },
];
const LATE_CODE: readonly Step[] = [{ approve: false }, { waitMs: CODE_MS }, { exchange: 0, by: "app" }];

type CodeOutcome = "passes" | "second" | "late" | "unproved" | "foreign or dead";

/** What an exchange of a family's code comes to. */
function codeOutcome({ isAlive, isCodeUsed, codeEndsMs, pkce }: Family, by: string, nowMs: number): CodeOutcome {
  if (by === "other" || !isAlive) return "foreign or dead";
  if (isCodeUsed) return "second";
  if (nowMs >= codeEndsMs) return "late";
  return pkce && by === "no verifier" ? "unproved" : "passes";
}

/** The families of one run, and what became of them. */
class Families {
  readonly #under: EmulatorUnderTest;
  readonly #all: Family[] = [];
  readonly #outcomes: Set<string>;

  constructor(under: EmulatorUnderTest, outcomes: Set<string>) {
    this.#under = under;
    this.#outcomes = outcomes;
  }

  async take(one: Step): Promise<void> {
    if ("waitMs" in one) this.#under.clock.advance(one.waitMs);
    if ("approve" in one) await this.#approve(one.approve);
    if ("exchange" in one) await this.#exchange(this.#all[one.exchange], one.by);
    if ("refresh" in one) await this.#refresh(this.#all[one.refresh], one);
    if ("revoke" in one) await this.#revoke(this.#all[one.revoke], one);
    await this.#expectAccess(one);
  }

  async #approve(pkce: boolean): Promise<void> {
    const challenge = pkce ? ({ codeChallenge: CHALLENGE, codeChallengeMethod: "S256" } as const) : {};
    const code = await aCode(this.#under, challenge);
    const codeEndsMs = this.#under.clock.now() + CODE_MS;
    const none = { refreshTokens: [], accessTokens: [] };
    this.#all.push({ code, codeEndsMs, pkce, isAlive: true, isCodeUsed: false, ...none });
  }

  async #exchange(family: Family | undefined, by: string): Promise<void> {
    if (family === undefined) return;
    const grant = { grant_type: "authorization_code", code: family.code, redirect_uri: CALLBACK };
    const proof = family.pkce && by !== "no verifier" ? { code_verifier: VERIFIER } : {};
    const received = await askToken(this.#under, { ...(by === "other" ? OTHER_CLIENT : CLIENT), ...grant, ...proof });
    const outcome = codeOutcome(family, by, this.#under.clock.now());
    this.#expectOutcome(received, `code ${outcome}`, outcome === "passes");
    if (outcome === "second") family.isAlive = false;
    if (outcome !== "passes") return;
    family.isCodeUsed = true;
    this.#issued(family, received);
  }

  async #refresh(
    family: Family | undefined,
    { back, by }: { readonly back: number; readonly by: string },
  ): Promise<void> {
    const text = family?.refreshTokens.at(-1 - back);
    if (family === undefined || text === undefined) return;
    const received = await refresh(this.#under, text, by === "other" ? OTHER_CLIENT : {});
    const isOwn = by !== "other";
    const passes = isOwn && family.isAlive && back === 0;
    const isSecond = isOwn && family.isAlive && back > 0;
    this.#expectOutcome(received, `refresh ${passes ? "passes" : isSecond ? "second" : "foreign or dead"}`, passes);
    if (isSecond) family.isAlive = false;
    if (passes) this.#issued(family, received);
  }

  /** Says 204 whatever it is of (RFC 7009 §2.2). */
  async #revoke(
    family: Family | undefined,
    { back, by }: { readonly back: number; readonly by: string },
  ): Promise<void> {
    const text = family?.refreshTokens.at(-1 - back);
    if (family === undefined || text === undefined) return;
    const body = { ...(by === "other" ? OTHER_CLIENT : CLIENT), refresh_token: text };
    const { status } = await this.#under.call("POST", "/v1/oauth/revoke", { token: null, body });
    deepStrictEqual(status, 204);
    this.#outcomes.add(`revoke by ${by}`);
    if (by === "app") family.isAlive = false;
  }

  #issued(family: Family, received: Received): void {
    const { access_token: text, refresh_token: next, expires_in: seconds } = tokensOf(received);
    deepStrictEqual(seconds, ACCESS_MS / 1000);
    family.refreshTokens.push(next);
    family.accessTokens.push({ text, endsMs: this.#under.clock.now() + ACCESS_MS });
  }

  #expectOutcome({ status, text }: Received, outcome: string, passes: boolean): void {
    deepStrictEqual({ outcome, status, text }, { outcome, status: passes ? 200 : 400, text });
    this.#outcomes.add(outcome);
  }

  /** Each access token, of every family, holds as long as it and its family do: a refresh ends none of those before it. */
  async #expectAccess(one: Step): Promise<void> {
    for (const [index, { isAlive, accessTokens }] of this.#all.entries()) {
      for (const { text, endsMs } of accessTokens) {
        const { status } = await this.#under.call("GET", "/v1/organizations", { token: text });
        const holds = isAlive && this.#under.clock.now() < endsMs;
        deepStrictEqual({ ...one, index, status }, { ...one, index, status: holds ? 200 : 401 });
        this.#outcomes.add(holds ? "access" : isAlive ? "access late" : "access dead");
      }
    }
  }
}

describe("a family of OAuth tokens", () => {
  it("lives and dies as a whole, and no other with it", async () => {
    const outcomes = new Set<string>();
    const play = async (steps: readonly Step[]): Promise<void> => {
      await using under = await emulatorWithApps({ limits: { requestsPerMinute: 0 } });
      const families = new Families(under, outcomes);
      for (const one of steps) await families.take(one);
    };
    await play(EVERY_END);
    await play(LATE_CODE);
    const codes = ["code passes", "code second", "code late", "code foreign or dead", "code unproved"];
    const refreshes = ["refresh passes", "refresh second", "refresh foreign or dead"];
    const rest = ["revoke by app", "revoke by other", "access", "access late", "access dead"];
    expect([...outcomes].toSorted()).toEqual([...codes, ...refreshes, ...rest].toSorted());
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 40, size: "max" }), play), { numRuns: 30 });
  });
});
