import { describe, expect, test } from "vitest";
import type { ResponseHeaders } from "../http.ts";
import { readRateHeaders } from "./rate-headers.ts";
import type { RateReading } from "./rate-headers.ts";

const NOW = Date.UTC(2026, 0, 1, 12, 0, 0);

describe("what is believed of the headers", () => {
  const cases: readonly { readonly why: string; readonly headers: ResponseHeaders; readonly reading: RateReading }[] = [
    { why: "nothing where nothing is said", headers: {}, reading: {} },
    {
      why: "the usual ones; seconds become milliseconds",
      headers: { "x-ratelimit-limit": "120", "x-ratelimit-remaining": "7", "x-ratelimit-reset": "42" },
      reading: { limit: 120, remaining: 7, resetMs: 42_000 },
    },
    {
      why: "zero left, zero seconds",
      headers: usual("120", "0", "0"),
      reading: { limit: 120, remaining: 0, resetMs: 0 },
    },
    {
      why: "not more left than the limit",
      headers: usual("120", "121", "10"),
      reading: { limit: 120, resetMs: 10_000 },
    },
    { why: "not a limit of none", headers: usual("0", "0", "10"), reading: { resetMs: 10_000 } },
    { why: "not an absurd limit", headers: usual("99999999", "5", "10"), reading: { resetMs: 10_000 } },
    {
      why: "not an epoch where seconds belong",
      headers: usual("120", "5", "1767268800"),
      reading: { limit: 120, remaining: 5 },
    },
    { why: "not what is past", headers: usual("120", "5", "-3"), reading: { limit: 120, remaining: 5 } },
    { why: "not words", headers: usual("many", "NaN", "soon"), reading: {} },
    { why: "not lists", headers: { "x-ratelimit-limit": ["120", "60"] }, reading: {} },
    { why: "Retry-After in seconds", headers: { "retry-after": "30" }, reading: { retryAfterMs: 30_000 } },
    {
      why: "Retry-After as a date, by the server's own clock",
      headers: { "retry-after": "Thu, 01 Jan 2026 09:00:20 GMT", date: "Thu, 01 Jan 2026 09:00:00 GMT" },
      reading: { retryAfterMs: 20_000 },
    },
    {
      why: "Retry-After as a date, by ours where the server tells no time",
      headers: { "retry-after": "Thu, 01 Jan 2026 12:00:05 GMT" },
      reading: { retryAfterMs: 5000 },
    },
    { why: "not a date that is past", headers: { "retry-after": "Thu, 01 Jan 2026 11:00:00 GMT" }, reading: {} },
    { why: "not a wait of hours", headers: { "retry-after": "86400" }, reading: {} },
  ];
  test.each(cases)("$why", ({ headers, reading }) => {
    expect(readRateHeaders(headers, NOW)).toEqual(reading);
  });
});

function usual(limit: string, remaining: string, reset: string): ResponseHeaders {
  return { "x-ratelimit-limit": limit, "x-ratelimit-remaining": remaining, "x-ratelimit-reset": reset };
}
