import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cleanMessage } from "./redaction.ts";

const nothing = { secrets: [], ids: [] };

describe("what is left out of a message", () => {
  const cases: readonly {
    readonly why: string;
    readonly text: string;
    readonly secrets?: readonly string[];
    readonly ids?: readonly string[];
    readonly clean: string;
  }[] = [
    { why: "a plain message stays", text: "Project not found", clean: "Project not found" },
    { why: "a secret", text: "bad: hunter2hunter2!", secrets: ["hunter2hunter2"], clean: "bad: [redacted]!" },
    { why: "every one of its places", text: "abcdef abcdef", secrets: ["abcdef"], clean: "[redacted] [redacted]" },
    {
      why: "a secret that the server cut",
      text: "bad: hunter2hun…",
      secrets: ["hunter2hunter2"],
      clean: "bad: [redacted]…",
    },
    {
      why: "a secret quoted as JSON",
      text: String.raw`got "a\"b\\cdef"`,
      secrets: [String.raw`a"b\cdef`],
      clean: 'got "[redacted]"',
    },
    { why: "a secret encoded for a URL", text: "at ?p=a%2Fb%20c", secrets: ["a/b c"], clean: "at ?p=[redacted]" },
    { why: "a short secret, as a word", text: "value 42 of 142", secrets: ["42"], clean: "value [redacted] of 142" },
    {
      why: "the longer of two secrets first",
      text: "pass1234word",
      secrets: ["pass1234", "pass1234word"],
      clean: "[redacted]",
    },
    { why: "an id that the answer told", text: "failed (e-77x)", ids: ["e-77x"], clean: "failed ()" },
    { why: "a labelled request id", text: "internal error (request id: 8f2c-11) retry", clean: "internal error retry" },
    { why: "other labels", text: "oops, traceId=abc123 and error event id 9", clean: "oops, and" },
    { why: "not the words alone", text: "event id is required", clean: "event id is required" },
    { why: "timestamps", text: "down since 2026-01-02T03:04:05.678Z, sorry", clean: "down since , sorry" },
    { why: "control characters and line breaks", text: "a\u0000b\r\nc\u2028d\u001b[31m", clean: "a b c d [31m" },
  ];
  test.each(cases)("$why", ({ text, secrets = [], ids = [], clean }) => {
    expect(cleanMessage(text, { secrets, ids })).toBe(clean);
  });

  test("what is beyond 256 characters", () => {
    expect(cleanMessage("x".repeat(256), nothing)).toHaveLength(256);
    expect(cleanMessage("x".repeat(1000), nothing)).toBe(`${"x".repeat(255)}…`);
    expect(cleanMessage("😀".repeat(200), nothing).isWellFormed()).toBe(true);
  });

  test("what is beyond eight thousand, unread: a hostile server's megabytes cost as little as any message", () => {
    const began = performance.now();
    for (const unit of ["reqid:", "request-id:.", "abcdefgh"]) {
      const clean = cleanMessage(unit.repeat(600_000 / unit.length), { ...nothing, secrets: ["abcdefghijk"] });
      expect(clean.length).toBeLessThanOrEqual(256);
    }
    expect(performance.now() - began).toBeLessThan(2000);
  });

  test("a secret that straddles what is read, though all before it is taken out", () => {
    const text = `${" ".repeat(8192 - 5)}hunter2`;
    expect(cleanMessage(text, { ...nothing, secrets: ["hunter2"] })).toBe("");
  });

  test("a secret with half of a surrogate pair, which has no form in a URL", () => {
    const secret = "\ud800hunter2hunter2";
    expect(cleanMessage(`not ${secret}!`, { ...nothing, secrets: [secret] })).toBe("not [redacted]!");
  });

  test("a secret that would straddle the cut", () => {
    const text = `${"x".repeat(250)}hunter2hunter2`;
    expect(cleanMessage(text, { ...nothing, secrets: ["hunter2hunter2"] })).not.toContain("hunt");
  });
});

test("no secret of eight characters or more survives, wherever it stands", () => {
  const secret = fc.string({ minLength: 8, maxLength: 40 });
  fc.assert(
    fc.property(fc.string(), secret, fc.string(), (before, secret, after) => {
      const clean = cleanMessage(before + secret + after, { ...nothing, secrets: [secret] });
      expect(clean.replaceAll("[redacted]", "")).not.toContain(secret);
    }),
  );
});
