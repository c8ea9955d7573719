import { describe, expect, test } from "vitest";
import { maintenanceWindow, untilWindowMs } from "./maintenance-window.ts";

/** 2026-01-28 is a Wednesday. */
const at = (text: string): number => Date.parse(`2026-01-${text}:00Z`);
const MINUTE_MS = 60_000;

describe("how long until a maintenance window is open", () => {
  test.each([
    { window: { start: "22:00", duration: "2h" }, now: "28T21:30", minutes: 30, why: "later today" },
    { window: { start: "22:00", duration: "2h" }, now: "28T22:00", minutes: 0, why: "it opens now" },
    { window: { start: "22:00", duration: "2h" }, now: "28T23:59", minutes: 0, why: "it is open still" },
    { window: { start: "22:00", duration: "2h" }, now: "29T00:00", minutes: 22 * 60, why: "it has just closed" },
    { window: { start: "23:00", duration: "3h" }, now: "29T01:59", minutes: 0, why: "it lasts beyond midnight" },
    { window: { start: "00:00", duration: "24h" }, now: "28T12:34", minutes: 0, why: "it never closes" },
    {
      window: { days: ["Sunday"], start: "03:00", duration: "1h" },
      now: "28T03:30",
      minutes: 3 * 1440 + 1410,
      why: "not on a Wednesday",
    },
    {
      window: { days: ["Wednesday"], start: "03:00", duration: "1h" },
      now: "28T03:30",
      minutes: 0,
      why: "on a Wednesday",
    },
    {
      window: { days: ["Wednesday"], start: "03:00", duration: "1h" },
      now: "28T04:00",
      minutes: 7 * 1440 - 60,
      why: "in a week",
    },
    {
      window: { days: ["Tuesday"], start: "23:00", duration: "2h" },
      now: "28T00:30",
      minutes: 0,
      why: "Tuesday's night is not over",
    },
    {
      window: { days: ["Wednesday"], start: "23:00", duration: "2h" },
      now: "28T00:30",
      minutes: 22 * 60 + 30,
      why: "Tuesday's night is none of it",
    },
  ] as const)("$why", ({ window, now, minutes }) => {
    expect(untilWindowMs(window, at(now)) / MINUTE_MS).toBe(minutes);
  });
});

test.each([
  { given: { start: "22:00", duration: "2h", days: ["Monday", "Friday"] }, ok: true, why: "two days" },
  { given: { start: "24:00", duration: "2h" }, ok: false, why: "an hour that there is not" },
  { given: { start: "9:00", duration: "2h" }, ok: false, why: "one digit" },
  { given: { start: "22:00", duration: "25h" }, ok: false, why: "longer than a day" },
  { given: { start: "22:00", duration: "1m" }, ok: false, why: "shorter than an upgrade takes to begin" },
  { given: { start: "22:00", duration: "2h", days: [] }, ok: false, why: "never" },
  { given: { start: "22:00", duration: "2h", days: ["Someday"] }, ok: false, why: "a day that there is not" },
])("a window is accepted, $ok: $why", ({ given, ok }) => {
  expect(maintenanceWindow.safeParse(given).success).toBe(ok);
});
