import { expect, test } from "vitest";
import { moment } from "./builders.ts";

const schema = moment("at", "A moment.");

function isDay(year: number, month: number, day: number): boolean {
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

test("takes the days that there are, and no other", () => {
  for (const year of [1896, 1900, 1999, 2000, 2023, 2024, 2026, 2100]) {
    for (let month = 0; month <= 13; month += 1) {
      for (let day = 0; day <= 32; day += 1) {
        const text = `${year}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}T12:00:00Z`;
        expect([text, schema.safeParse(text).success]).toEqual([text, isDay(year, month, day)]);
      }
    }
  }
});
