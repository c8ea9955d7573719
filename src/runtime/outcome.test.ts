import { describe, expect, it } from "vitest";
import { DeadlineError } from "../base/abort.ts";
import { classify, disposition, type Outcome, TerminalError, TransientError, WaitingError } from "./outcome.ts";

/** An error as another room throws it: told by its fields, of a class that this room does not know. */
function foreign(fields: Readonly<Record<string, unknown>>): Error {
  return Object.assign(new Error("words of its own"), fields);
}

function aborted(reason: unknown): AbortSignal {
  return AbortSignal.abort(reason);
}

describe("classify", () => {
  const cases: readonly { readonly error: unknown; readonly outcome: Outcome; readonly why: string }[] = [
    {
      error: new TerminalError("InvalidSpec", "name the region"),
      outcome: { kind: "terminal", reason: "InvalidSpec", message: "name the region" },
      why: "the user must act",
    },
    {
      error: new TerminalError("PlanRequired", "upgrade the plan", { recheckAfterMs: 60_000 }),
      outcome: { kind: "terminal", reason: "PlanRequired", message: "upgrade the plan", recheckAfterMs: 60_000 },
      why: "the user must act where no watch sees it",
    },
    {
      error: new WaitingError("ComingUp", "the project starts", 20_000),
      outcome: { kind: "waiting", reason: "ComingUp", message: "the project starts", retryAfterMs: 20_000 },
      why: "a known time",
    },
    {
      error: new WaitingError("Deploying", "others go first", 5_000, { untold: true }),
      outcome: { kind: "waiting", reason: "Deploying", message: "others go first", retryAfterMs: 5_000, untold: true },
      why: "a known time, and nothing to tell",
    },
    {
      error: new TransientError("Unreachable", "no route"),
      outcome: { kind: "transient", reason: "Unreachable", message: "no route" },
      why: "it passes by itself",
    },
    { error: foreign({ code: "Conflict", status: 409 }), outcome: { kind: "conflict" }, why: "a stale write" },
    {
      error: foreign({ code: "BUDGET", effect: "none", retryAfterMs: 4_200 }),
      outcome: { kind: "rateLimited", message: "words of its own", retryAfterMs: 4_200 },
      why: "no budget, with its time",
    },
    {
      error: foreign({ code: "BUDGET" }),
      outcome: { kind: "rateLimited", message: "words of its own", retryAfterMs: 1_000 },
      why: "no budget, without a time",
    },
    { error: foreign({ code: "NotLeader", effect: "none" }), outcome: { kind: "aborted" }, why: "a request not sent" },
    {
      error: foreign({ code: "NOT_STARTED", effect: "none" }),
      outcome: { kind: "aborted" },
      why: "a call not started",
    },
    { error: foreign({ code: "ABORTED", effect: "unknown" }), outcome: { kind: "aborted" }, why: "a call cut off" },
    ...["ABORTED", "NOT_STARTED"].map((code) => ({
      error: foreign({ code, effect: "none", cause: foreign({ code: "CLIENT_CLOSED" }) }),
      outcome: {
        kind: "transient",
        reason: "ConnectionNotReady",
        message: "the connection was opened anew meanwhile, with another credential",
      } as const,
      why: `a call of a client that was closed, the run itself going on: ${code}`,
    })),
    {
      error: new DeadlineError(30_000),
      outcome: { kind: "deadline", message: "no result within 30000 ms" },
      why: "a deadline within the run",
    },
    {
      error: foreign({ code: "Forbidden", reason: "Forbidden", effect: "none" }),
      outcome: { kind: "transient", reason: "KubernetesError", message: "words of its own" },
      why: "what the apiserver calls a failure is no reason of ours, though one of ours has the same name",
    },
    {
      error: foreign({ code: "CONNECT_FAILED", effect: "none" }),
      outcome: { kind: "transient", reason: "ServerUnavailable", message: "words of its own" },
      why: "a code in capitals is of the Management API's client",
    },
    {
      error: foreign({ code: "TooManyRequests", effect: "none", retryAfterMs: 9_000 }),
      outcome: { kind: "transient", reason: "KubernetesError", message: "words of its own", retryAfterMs: 9_000 },
      why: "a server that says when to come back",
    },
    {
      error: foreign({ code: "ECONNREFUSED" }),
      outcome: { kind: "unexpected" },
      why: "a system error: its text has addresses",
    },
    { error: new TypeError("x is undefined"), outcome: { kind: "unexpected" }, why: "a bug" },
    { error: "a string", outcome: { kind: "unexpected" }, why: "a thrown string" },
    { error: undefined, outcome: { kind: "unexpected" }, why: "nothing thrown" },
    { error: null, outcome: { kind: "unexpected" }, why: "null thrown" },
    { error: foreign({ code: 11, reason: 12 }), outcome: { kind: "unexpected" }, why: "a code that is no string" },
  ];

  it.each(cases)("tells an error by its code: $why", ({ error, outcome }) => {
    expect(classify(error)).toEqual(outcome);
  });

  const stop = new Error("the operator stops");
  it.each([
    { error: stop, why: "the signal's reason itself" },
    { error: new Error("fetch failed", { cause: stop }), why: "the reason as a cause" },
    { error: new DOMException("aborted", "AbortError"), why: "the platform's AbortError" },
    { error: foreign({ code: "ABORTED" }), why: "a client's word for it" },
    {
      error: foreign({ code: "ABORTED", cause: foreign({ code: "CLIENT_CLOSED" }) }),
      why: "of a client closed at the end",
    },
  ])("takes an abort that comes back for what it is: $why", ({ error }) => {
    expect(classify(error, aborted(stop))).toEqual({ kind: "aborted" });
    const late = new DeadlineError(120_000);
    const cause = error === stop ? late : Object.assign(new Error("failed", { cause: late }), { code: "ABORTED" });
    expect(classify(cause, aborted(late))).toEqual({ kind: "deadline", message: "no result within 120000 ms" });
  });

  it("keeps an error that only happened while the signal was aborted, and an AbortError without an abort of ours", () => {
    expect(classify(new TerminalError("InvalidSpec", "m"), aborted(stop)).kind).toBe("terminal");
    expect(classify(new DOMException("aborted", "AbortError"), new AbortController().signal).kind).toBe("unexpected");
  });
});

describe("disposition", () => {
  const shown = (type: string, reason: string) => ({ type, status: "True", reason, message: "m" });
  it.each([
    {
      outcome: { kind: "done", result: {} },
      expected: { requeue: { kind: "never" }, metric: "done", logLevel: "debug" },
      why: "quiet, and no look until something changes",
    },
    {
      outcome: { kind: "done", result: { requeueAfterMs: 600_000 } },
      expected: { requeue: { kind: "after", afterMs: 600_000, lane: "drift" }, metric: "done", logLevel: "debug" },
      why: "a look at the drift interval",
    },
    {
      outcome: { kind: "done", result: { requeueAfterMs: 5_000, lane: "progress" } },
      expected: { requeue: { kind: "after", afterMs: 5_000, lane: "progress" }, metric: "done", logLevel: "debug" },
      why: "something under way is polled",
    },
    {
      outcome: { kind: "done", result: { requeueAfterMs: 0 } },
      expected: { requeue: { kind: "after", afterMs: 100, lane: "drift" }, metric: "done", logLevel: "debug" },
      why: "no hot loop",
    },
    {
      outcome: { kind: "conflict" },
      expected: { requeue: { kind: "backoff" }, metric: "conflict", logLevel: "debug" },
      why: "a stale write is a quiet requeue",
    },
    {
      outcome: { kind: "aborted" },
      expected: { requeue: { kind: "backoff" }, metric: "aborted", logLevel: "debug" },
      why: "nothing is lost when leadership was uncertain for a moment only",
    },
    {
      outcome: { kind: "waiting", reason: "ComingUp", message: "m", retryAfterMs: 20_000 },
      expected: {
        requeue: { kind: "after", afterMs: 20_000, lane: "progress" },
        condition: shown("Reconciling", "ComingUp"),
        event: "Normal",
        metric: "waiting",
        logLevel: "debug",
      },
      why: "a known time is used as told",
    },
    {
      outcome: { kind: "waiting", reason: "Deploying", message: "m", retryAfterMs: 5_000, untold: true },
      expected: {
        requeue: { kind: "after", afterMs: 5_000, lane: "progress" },
        metric: "waiting",
        logLevel: "debug",
      },
      why: "what is over in a moment is not told",
    },
    {
      outcome: { kind: "rateLimited", message: "m", retryAfterMs: 4_200 },
      expected: {
        requeue: { kind: "after", afterMs: 4_200, lane: "same" },
        condition: shown("Reconciling", "RateLimited"),
        metric: "rateLimited",
        logLevel: "debug",
      },
      why: "told by a condition, no event: it is daily life",
    },
    {
      outcome: { kind: "terminal", reason: "InvalidSpec", message: "m" },
      expected: {
        requeue: { kind: "never" },
        condition: shown("Stalled", "InvalidSpec"),
        event: "Warning",
        metric: "terminal",
        logLevel: "warn",
      },
      why: "no retry until something changes",
    },
    {
      outcome: { kind: "terminal", reason: "PlanRequired", message: "m", recheckAfterMs: 600_000 },
      expected: {
        requeue: { kind: "after", afterMs: 600_000, lane: "drift" },
        condition: shown("Stalled", "PlanRequired"),
        event: "Warning",
        metric: "terminal",
        logLevel: "warn",
      },
      why: "a slow look where no watch would tell",
    },
    {
      outcome: { kind: "transient", reason: "Unavailable", message: "m" },
      expected: {
        requeue: { kind: "backoff" },
        condition: shown("Reconciling", "Unavailable"),
        event: "Warning",
        metric: "transient",
        logLevel: "warn",
      },
      why: "backoff",
    },
    {
      outcome: { kind: "transient", reason: "Unavailable", message: "m", retryAfterMs: 9_000 },
      expected: {
        requeue: { kind: "after", afterMs: 9_000, lane: "same", failed: true },
        condition: shown("Reconciling", "Unavailable"),
        event: "Warning",
        metric: "transient",
        logLevel: "warn",
      },
      why: "a failure with a known time still counts as one",
    },
    {
      outcome: { kind: "deadline", message: "m" },
      expected: {
        requeue: { kind: "backoff" },
        condition: shown("Reconciling", "DeadlineExceeded"),
        event: "Warning",
        metric: "deadline",
        logLevel: "warn",
      },
      why: "a run that took too long",
    },
  ] satisfies readonly { readonly outcome: Outcome; readonly expected: object; readonly why: string }[])(
    "$outcome.kind: $why",
    ({ outcome, expected }) => {
      expect(disposition(outcome)).toEqual(expected);
    },
  );

  it("shows nothing of an unexpected error's own text", () => {
    const next = disposition(classify(new Error("password=hunter2 at 10.0.0.7")));
    expect(JSON.stringify(next)).not.toContain("hunter2");
    expect(next).toMatchObject({
      requeue: { kind: "backoff" },
      condition: { type: "Reconciling", reason: "UnexpectedError" },
      logLevel: "error",
    });
  });
});
