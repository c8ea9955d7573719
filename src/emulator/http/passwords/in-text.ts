import { namesPassword } from "./names.ts";
import { passwordValues } from "./values.ts";
import { type Place, textTokens, type TextToken } from "./text-tokens.ts";
import { unquoted } from "./unquoted.ts";

/**
 * Passwords in a text by what stands before them: of roles in SQL, of users in connection strings, in JSON, YAML and prose. A text is cut into tokens
 * (text-tokens.ts), of which some are values of names (values.ts); what stands in other quotes and in comments is read as a text of its own.
 * Where two readings are possible more is hidden. Pure.
 */

/** So often a text is read within another; what names a password further within is hidden as a whole. Time is linear in the text, so many times. */
const DEEPEST = 8;

export interface PasswordPlaces {
  /** in order; they may overlap */
  readonly places: readonly Place[];
  /** units that were looked at, of the text and of those within */
  readonly steps: number;
}

/** A text without them; of literals the quotes stay. A text that was cut may have lost those that end one. @param censor stands in their place */
export function withoutPasswords(text: string, censor: string): string {
  let shown = "";
  let done = 0;
  let isBehindCensor = false;
  for (const { start, end } of passwordPlaces(text).places) {
    if (end <= Math.max(start, done)) continue;
    if (start > done || (start === done && !isBehindCensor)) shown += text.slice(done, start) + censor;
    done = end;
    isBehindCensor = true;
  }
  return shown + text.slice(done);
}

/** Where they stand. */
export function passwordPlaces(text: string): PasswordPlaces {
  if (!namesPassword(text)) return { places: [], steps: text.length };
  const { places, steps } = placesWithin(text, DEEPEST);
  return { places: places.toSorted((one, other) => one.start - other.start), steps };
}

/** @param depth how often texts within are read yet */
function placesWithin(text: string, depth: number): PasswordPlaces {
  const read = textTokens(text);
  const values = passwordValues(text, read);
  const places = [...values.places];
  let steps = text.length + read.steps + values.steps;
  const within = (inner: Inner): void => {
    const found = placesOf(text, inner, depth);
    for (const place of found.places) places.push(place);
    steps += found.steps;
  };
  for (const { start, end } of read.comments) within({ from: start, to: end, escapes: "none", quote: "" });
  for (const token of values.others) within(token);
  return { places, steps };
}

type Inner = Pick<TextToken, "from" | "to" | "escapes" | "quote">;

/** Of a text within another, in that one. */
function placesOf(text: string, inner: Inner, depth: number): PasswordPlaces {
  const { from, to } = inner;
  const length = to - from;
  if (!namesPassword(text.slice(from, to))) return { places: [], steps: length };
  if (depth === 0) return { places: [{ start: from, end: to }], steps: length };
  const content = unquoted(text, inner);
  const found = placesWithin(content.text, depth - 1);
  const places = found.places.map(({ start, end }) => ({
    start: content.places[start] ?? to,
    end: content.places[end] ?? to,
  }));
  return { places, steps: length + found.steps };
}
