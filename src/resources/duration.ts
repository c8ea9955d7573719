/** Durations as people write them in a spec: the whole-unit subset of Go's format, "72h", "30m", "1h30m", "45s". */

const unitMs = { h: 3_600_000, m: 60_000, s: 1_000 } as const;

/** What a duration looks like, for both regular expression engines (JavaScript's and the apiserver's RE2). Units descend, each at most once. */
export const durationPattern = "^([0-9]{1,6}h([0-9]{1,6}m)?([0-9]{1,6}s)?|[0-9]{1,6}m([0-9]{1,6}s)?|[0-9]{1,6}s)$";

const wholeDuration = new RegExp(durationPattern);

/** The longest text that the pattern admits. */
export const durationMaxLength = 21;

/** Whether `text` is a duration. */
export function isDuration(text: string): boolean {
  return wholeDuration.test(text);
}

/**
 * The milliseconds that a duration stands for.
 *
 * @throws RangeError for text that is no duration; a parsed spec never holds one.
 */
export function durationMs(text: string): number {
  if (!isDuration(text)) throw new RangeError("not a duration such as 30m, 72h or 1h30m");
  let total = 0;
  for (const [, count, unit] of text.matchAll(/([0-9]+)([hms])/g)) {
    if (unit === "h" || unit === "m" || unit === "s") total += Number(count) * unitMs[unit];
  }
  return total;
}

/**
 * The shortest text for a whole number of seconds: `formatDuration(5_400_000)` is "1h30m".
 *
 * @param ms milliseconds, at least 0; parts of a second are dropped
 */
export function formatDuration(ms: number): string {
  const seconds = Math.floor(ms / unitMs.s);
  const parts = [
    { count: Math.floor(seconds / 3600), unit: "h" },
    { count: Math.floor(seconds / 60) % 60, unit: "m" },
    { count: seconds % 60, unit: "s" },
  ];
  const text = parts
    .filter(({ count }) => count > 0)
    .map(({ count, unit }) => `${count}${unit}`)
    .join("");
  return text === "" ? "0s" : text;
}
