import { isUrl, openOf, partsOf } from "./parts.ts";
import { bytesOf, withoutQuotes } from "./readings.ts";

/** So many bytes of the beginning of a value tell it from other text: servers cut the values that they quote. */
export const RECOGNISABLE = 8;

/** A text that gives a secret away, or what it stands for. */
export interface Value {
  readonly text: string;
  readonly encoding: "utf8" | "hex";
  /** so many characters of its beginning do not give it away; what is longer does */
  readonly open: number;
}

/** Upper case as lower case, so that %2f is %2F and 0a is 0A; letters of ASCII alone, as others would be other bytes. Line breaks and tabs as blanks. */
export function folded(bytes: string): string {
  return bytes.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase()).replaceAll(/[\t\n\r]/g, " ");
}

/** As it is, or as JSON and environment files write it. */
const LINE_BREAK = /(?:[\r\n]|\\[rn])+/u;
/** Parts of secrets that are looked for in one text at most. */
const MOST_PARTS = 2000;

/**
 * Values that give a secret away: itself, without the blanks and line breaks around it that a file has, each of its lines that is long enough to tell, as
 * of a key in PEM, and what of it is a credential by itself (parts.ts). What is hexadecimal gives away what it stands for.
 *
 * @param names that no part gives away
 * @returns "too many" where to look for all parts would take long
 */
export function valuesOf(secrets: readonly string[], names: readonly string[]): readonly Value[] | "too many" {
  const values: Value[] = [];
  let left = MOST_PARTS;
  for (const secret of secrets) {
    const lines = secret.split(LINE_BREAK).map((line) => line.trim());
    const long = lines.filter((line) => line.length >= RECOGNISABLE);
    const openOfEach = new Map([secret, secret.trim(), ...long].map((text) => [text, openOf(text)]));
    for (const whole of new Set([secret, ...lines.filter(isUrl)])) {
      for (const { text, open } of partsOf(whole)) {
        left -= 1;
        if (left < 0) return "too many";
        if (names.includes(text)) continue;
        openOfEach.set(text, Math.min(open, openOfEach.get(text) ?? open));
      }
    }
    for (const [text, open] of openOfEach) values.push(...inEncodings(text, open));
  }
  return values;
}

/** A text, and what it stands for where it is hexadecimal. */
export function* inEncodings(text: string, open: number): Generator<Value, void> {
  yield { text, encoding: "utf8", open };
  if (text.length >= 2 * RECOGNISABLE && /^[0-9a-f]+$/i.test(text)) yield { text, encoding: "hex", open };
}

/** The first bytes of a value, so many at most, as readings have them: in letters all that there are, else without quotes. */
export function firstBytes(value: Value, count: number, inLetters: boolean): string {
  for (let read = count; ; read *= 2) {
    const all = beginningOf(value, read);
    const bytes = inLetters ? all : withoutQuotes(all);
    if (bytes.length >= count || all.length < read) return folded(bytes.slice(0, count));
  }
}

/** How many of the bytes that a reading has of a value stand in the open. */
export function openBytes(value: Value, inLetters: boolean): number {
  if (value.open === 0) return 0;
  const open = { ...value, text: value.text.slice(0, value.open) };
  return firstBytes(open, value.open, inLetters).length;
}

function beginningOf({ text, encoding }: Value, count: number): string {
  if (encoding === "hex") return Buffer.from(text.slice(0, 2 * count), "hex").toString("latin1");
  const beginning = text.slice(0, count + 1); // one more than there are bytes: the cut may go through a character
  return bytesOf(beginning).slice(0, count);
}
