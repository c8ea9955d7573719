import { describe, expect, test } from "vitest";
import { decideRetry, provesNoEffect } from "./retry.ts";
import type { AttemptFailure } from "./retry.ts";

const refused: AttemptFailure = { kind: "notSent", permanent: false };
const untrusted: AttemptFailure = { kind: "notSent", permanent: true };
const status = (status: number, retryAfterMs?: number): AttemptFailure => ({
  kind: "status",
  status,
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
});

describe("which failures are repeated", () => {
  type Verdict = readonly [read: boolean, idempotent: boolean, once: boolean];
  const cases: readonly { readonly why: string; readonly failure: AttemptFailure; readonly repeated: Verdict }[] = [
    { why: "no connection proves that nothing happened", failure: refused, repeated: [true, true, true] },
    { why: "a certificate does not become trusted", failure: untrusted, repeated: [false, false, false] },
    { why: "a reset connection proves nothing", failure: { kind: "lost" }, repeated: [true, true, false] },
    { why: "silence proves nothing", failure: { kind: "timedOut" }, repeated: [true, true, false] },
    { why: "502 comes from a proxy: the server may have worked", failure: status(502), repeated: [true, true, false] },
    { why: "503", failure: status(503), repeated: [true, true, false] },
    { why: "504", failure: status(504), repeated: [true, true, false] },
    { why: "500 is the answer", failure: status(500), repeated: [false, false, false] },
    { why: "544 is slow already", failure: status(544), repeated: [false, false, false] },
    { why: "400 stays 400", failure: status(400), repeated: [false, false, false] },
    { why: "404 stays 404", failure: status(404), repeated: [false, false, false] },
  ];
  test.each(cases)("$why", ({ failure, repeated }) => {
    const decisions = (["read", "idempotent", "once"] as const).map((safety) =>
      decideRetry(safety, 1, failure, () => 0.5),
    );
    expect(decisions.map(({ action }) => action === "wait")).toEqual(repeated);
  });

  test("once means: only where nothing can have happened", () => {
    const repeatedOnce = cases.filter(({ repeated }) => repeated[2]);
    expect(repeatedOnce.map(({ failure }) => provesNoEffect(failure))).toEqual(repeatedOnce.map(() => true));
  });
});

describe("the wait", () => {
  test("is uniform up to a bound that doubles to at most three seconds", () => {
    const bounds = [1, 2, 3].map((attempt) => decideRetry("read", attempt, status(503), () => 1));
    expect(bounds).toEqual([200, 400, 800].map((waitMs) => ({ action: "wait", waitMs })));
    expect(decideRetry("read", 1, status(503), () => 0)).toEqual({ action: "wait", waitMs: 0 });
  });

  test("is as long as the server asks", () => {
    expect(decideRetry("read", 1, status(503, 7000), () => 0.5)).toEqual({ action: "wait", waitMs: 7000 });
  });

  test("ends after the fourth sending", () => {
    expect(decideRetry("read", 3, status(503), () => 0)).toEqual({ action: "wait", waitMs: 0 });
    expect(decideRetry("read", 4, status(503), () => 0)).toEqual({ action: "stop" });
  });
});
