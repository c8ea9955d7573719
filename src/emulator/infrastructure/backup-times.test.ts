import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DAY_MS } from "../state/spans.ts";
import { backupTimes } from "./backup-times.ts";

const at = (text: string): number => Date.parse(`${text}Z`);
const texts = (times: readonly number[]): readonly string[] =>
  times.map((time) => new Date(time).toISOString().slice(0, 19));

describe("daily backups", () => {
  it.each([
    {
      why: "at the platform's own time where none was set",
      changes: [],
      span: ["2026-01-01T00:00:00", "2026-01-03T03:00:00"],
      made: ["2026-01-01T03:00:00", "2026-01-02T03:00:00"],
    },
    {
      why: "the first one only after the beginning",
      changes: [],
      span: ["2026-01-01T03:00:01", "2026-01-02T03:00:01"],
      made: ["2026-01-02T03:00:00"],
    },
    {
      why: "a time that has not passed today is used today",
      changes: [{ scheduleFor: "18:00:00", atMs: at("2026-01-02T12:00:00") }],
      span: ["2026-01-01T00:00:00", "2026-01-04T00:00:00"],
      made: ["2026-01-01T03:00:00", "2026-01-02T03:00:00", "2026-01-02T18:00:00", "2026-01-03T18:00:00"],
    },
    {
      why: "a time that has passed today is used from the next day on",
      changes: [{ scheduleFor: "06:00:00", atMs: at("2026-01-02T12:00:00") }],
      span: ["2026-01-02T00:00:00", "2026-01-04T00:00:00"],
      made: ["2026-01-02T03:00:00", "2026-01-03T06:00:00"],
    },
    {
      why: "of two changes on one day the later one holds",
      changes: [
        { scheduleFor: "18:00:00", atMs: at("2026-01-02T12:00:00") },
        { scheduleFor: "20:30:15", atMs: at("2026-01-02T13:00:00") },
      ],
      span: ["2026-01-02T04:00:00", "2026-01-03T00:00:00"],
      made: ["2026-01-02T20:30:15"],
    },
    { why: "none in no time", changes: [], span: ["2026-01-01T03:00:00", "2026-01-01T03:00:00"], made: [] },
  ])("are made $why", ({ changes, span: [from = "", to = ""], made }) => {
    expect(texts(backupTimes({ changes }, { fromMs: at(from), toMs: at(to) }))).toEqual(made);
  });

  it("are one in each 24 hours while nobody changes the time, in order, within the span", () => {
    const moment = fc.integer({ min: 0, max: 400 * DAY_MS });
    fc.assert(
      fc.property(moment, fc.integer({ min: 0, max: 40 }), moment, (fromMs, days, setMs) => {
        const scheduleFor = new Date(setMs).toISOString().slice(11, 19);
        const toMs = fromMs + days * DAY_MS;
        const times = backupTimes({ changes: [{ scheduleFor, atMs: -1 }] }, { fromMs, toMs });
        expect(times).toHaveLength(days);
        expect(times.every((time, index) => index === 0 || time - (times[index - 1] ?? 0) === DAY_MS)).toBe(true);
        expect(times.every((time) => time >= fromMs && time < toMs)).toBe(true);
      }),
    );
  });
});
