import { z } from "zod";
import { durationMs } from "./duration.ts";
import { choice, duration, list, text } from "./fields.ts";

/** When people allow what interrupts a project: a spell of time that comes again every day, or on some days of the week. */

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const;

const timeOfDayPattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$";

/** A window may not be longer than it takes until it opens again. */
const LONGEST = "24h";

export const maintenanceWindow = z
  .object({
    days: list("Days on which it opens, in UTC; every day when omitted.", choice("A day of the week.", weekdays), {
      type: "set",
      max: 7,
      min: 1,
    }).optional(),
    start: text("Time of day at which it opens, UTC, for example 22:00.", {
      max: 5,
      pattern: timeOfDayPattern,
      message: "write a time of day as HH:MM in UTC, such as 22:00",
    }),
    duration: duration("How long it is open, for example 2h; it may last beyond midnight.", {
      atLeast: "15m",
      atMost: LONGEST,
    }),
  })
  .describe(
    "When an upgrade of the database may begin; it may end after the window has closed. At any time when omitted.",
  );

const DAY_MS = 86_400_000;

interface WeeklyWindow {
  readonly days?: readonly (typeof weekdays)[number][] | undefined;
  readonly start: string;
  readonly duration: string;
}

/**
 * How long until a window is open. Pure.
 *
 * @param nowMs milliseconds since the epoch
 * @returns milliseconds; 0 while it is open
 */
export function untilWindowMs({ days, start, duration: length }: WeeklyWindow, nowMs: number): number {
  const [hours = "0", minutes = "0"] = start.split(":");
  const startMs = (Number(hours) * 60 + Number(minutes)) * 60_000;
  const todayMs = Math.floor(nowMs / DAY_MS) * DAY_MS;
  const lengthMs = durationMs(length);
  // Yesterday's may be open still; a week from now it has opened on every day of the week.
  for (let day = -1; day <= 7; day += 1) {
    const opensMs = todayMs + day * DAY_MS + startMs;
    const name = weekdays[new Date(todayMs + day * DAY_MS).getUTCDay()];
    const opens = days === undefined || (name !== undefined && days.includes(name));
    if (opens && nowMs < opensMs + lengthMs) return Math.max(0, opensMs - nowMs);
  }
  return 0; // a window without days is refused
}
