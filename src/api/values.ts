import { bytesOf, withoutQuotes } from "./readings.ts";

/** So many bytes of the beginning of a value tell it from other text: servers cut the values that they quote. */
export const RECOGNISABLE = 8;

/** A text that gives a secret away, or what it stands for. */
export interface Value {
  readonly text: string;
  readonly encoding: "utf8" | "hex";
}

/** Upper case as lower case, so that %2f is %2F and 0a is 0A; letters of ASCII alone, as others would be other bytes. Line breaks and tabs as blanks. */
export function folded(bytes: string): string {
  return bytes.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase()).replaceAll(/[\t\n\r]/g, " ");
}

/**
 * Values that give a secret away: itself, without the blanks and line breaks around it that a file has, and each of its lines that is long enough to
 * tell, as of a key in PEM. What is hexadecimal gives away what it stands for.
 */
export function* valuesOf(secrets: readonly string[]): Generator<Value, void> {
  for (const secret of secrets) {
    const lines = secret.split(/[\r\n]+/u).map((line) => line.trim());
    const texts = new Set([secret, secret.trim(), ...lines.filter((line) => line.length >= RECOGNISABLE)]);
    for (const text of texts) {
      yield { text, encoding: "utf8" };
      if (text.length >= 2 * RECOGNISABLE && /^[0-9a-f]+$/i.test(text)) yield { text, encoding: "hex" };
    }
  }
}

/** The first bytes of a value, so many at most, as readings have them: in letters all that there are, else without quotes. */
export function firstBytes(value: Value, count: number, inLetters: boolean): string {
  for (let read = count; ; read *= 2) {
    const all = beginningOf(value, read);
    const bytes = inLetters ? all : withoutQuotes(all);
    if (bytes.length >= count || all.length < read) return folded(bytes.slice(0, count));
  }
}

function beginningOf({ text, encoding }: Value, count: number): string {
  if (encoding === "hex") return Buffer.from(text.slice(0, 2 * count), "hex").toString("latin1");
  const beginning = text.slice(0, count + 1); // one more than there are bytes: the cut may go through a character
  return bytesOf(beginning).slice(0, count);
}
