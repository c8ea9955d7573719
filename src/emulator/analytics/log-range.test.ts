import { describe, expect, it } from "vitest";
import type { Plan } from "../../api/contract/operation.ts";
import { ApiFailure } from "../failure.ts";
import { logRange } from "./log-range.ts";

const NOW = Date.parse("2026-01-10T12:00:20Z");

function asked(start?: string, end?: string, plan: Plan = "pro"): readonly string[] | string {
  const query = {
    ...(start === undefined ? {} : { iso_timestamp_start: start }),
    ...(end === undefined ? {} : { iso_timestamp_end: end }),
  };
  try {
    const { fromMs, untilMs } = logRange(query, plan, NOW);
    return [fromMs, untilMs].map((ms) => new Date(ms).toISOString().replace(".000Z", "Z"));
  } catch (error) {
    if (error instanceof ApiFailure) return `${error.status} ${error.message}`;
    throw error;
  }
}

describe("the range of a log query", () => {
  it.each([
    {
      start: undefined,
      end: undefined,
      range: ["2026-01-10T11:59:20Z", "2026-01-10T12:00:20.001Z"],
      because: "the last minute is the default, what happens in this millisecond included",
    },
    {
      start: "2026-01-10T11:00:00Z",
      end: "2026-01-10T12:00:00Z",
      range: ["2026-01-10T11:00:00Z", "2026-01-10T12:00:00Z"],
      because: "whole minutes stay",
    },
    {
      start: "2026-01-10T11:00:29.999Z",
      end: "2026-01-10T11:30:30Z",
      range: ["2026-01-10T11:00:00Z", "2026-01-10T11:31:00Z"],
      because: "others are rounded to the nearest one",
    },
    {
      start: "2026-01-10T13:00:00+02:00",
      end: "2026-01-10T12:00:00",
      range: ["2026-01-10T11:00:00Z", "2026-01-10T12:00:00Z"],
      because: "an offset counts, and without one it is UTC",
    },
    {
      start: "2026-01-10T11:00:00Z",
      end: undefined,
      range: ["2026-01-10T11:00:00Z", "2026-01-10T12:00:00Z"],
      because: "it ends now",
    },
    {
      start: undefined,
      end: "2026-01-10T11:00:00Z",
      range: ["2026-01-10T10:59:00Z", "2026-01-10T11:00:00Z"],
      because: "it begins a minute earlier",
    },
    {
      start: "2026-01-09T12:00:00Z",
      end: "2026-01-10T12:00:00Z",
      range: ["2026-01-09T12:00:00Z", "2026-01-10T12:00:00Z"],
      because: "24 hours are allowed",
    },
  ])("from $start until $end is $range: $because", ({ start, end, range }) => {
    expect(asked(start, end)).toEqual(range);
  });

  it.each([
    {
      start: "2026-01-09T12:00:00Z",
      end: "2026-01-10T12:00:01Z",
      plan: "pro",
      says: /^400 .*24 hours/,
      because: "it is longer than 24 hours",
    },
    {
      start: "2026-01-09T11:00:00Z",
      end: undefined,
      plan: "pro",
      says: /^400 .*24 hours/,
      because: "until now it is longer than 24 hours",
    },
    {
      start: "2026-01-10T12:00:00Z",
      end: "2026-01-10T11:59:59Z",
      plan: "pro",
      says: /^400 iso_timestamp_end/,
      because: "it ends before it begins",
    },
    {
      start: "2026-01-09T12:00:19Z",
      end: "2026-01-09T13:00:00Z",
      plan: "free",
      says: /^402 .*1 day/,
      because: "the plan keeps one day",
    },
    {
      start: "2026-01-03T12:00:19Z",
      end: "2026-01-03T13:00:00Z",
      plan: "pro",
      says: /^402 .*7 day/,
      because: "the plan keeps a week",
    },
  ] as const)("from $start until $end is refused on the plan $plan: $because", ({ start, end, plan, says }) => {
    expect(asked(start, end, plan)).toMatch(says);
  });

  it("goes further back on a higher plan", () => {
    const range = ["2026-01-02T12:00:00Z", "2026-01-02T13:00:00Z"] as const;
    expect(asked(...range, "team")).toEqual(range);
  });
});
