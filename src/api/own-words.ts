import type { Place, Reading } from "./readings.ts";
import { startOf } from "./readings.ts";

/** Whether what a text says after the beginning of a value is of its own: secrets may begin as common words do. Pure. */

/** So many letters and digits of the rest of a value tell it from other text; where it has no more than that, they do as a word. */
const TELLING = 4;
/** Letters and digits, as bytes in small letters. What is between them is written in many ways, or left out. */
const WORD = /[a-z\d\u0080-\u00FF]+/g;
/** A word ends, what quotes it too, and another begins: no language escapes anything like that. */
const ANOTHER_WORD = /^["'`)\]]?[,.:;]?\s+([a-z])/i;
/** What stands for another sign in URLs, strings and HTML. */
const ESCAPED = /%[\da-f]{2}|\\[a-z]|&#?\w+;/gi;
const LETTER_OR_DIGIT = /^[a-z\d]/i;

/** What a text shows beside what is taken out of it anyway. */
export class OwnWords {
  readonly #text: string;
  /** Where each piece begins last. */
  readonly #lastOf = new Map<string, number>();

  /** @param readings in small letters */
  constructor(text: string, readings: readonly Reading[], takenOut: readonly Place[]) {
    this.#text = text;
    const isTakenOut = new Uint8Array(text.length);
    for (const { start, end } of takenOut) isTakenOut.fill(1, start, end);
    for (const reading of readings.filter(({ inLetters }) => !inLetters)) {
      const bytes = Buffer.from(reading.bytes, "latin1");
      for (const [at, start] of reading.starts.entries()) if (isTakenOut[start] === 1) bytes.write(" ", at);
      this.#addPieces(bytes.toString("latin1"), reading);
    }
  }

  #addPieces(bytes: string, reading: Reading): void {
    const { letters, places } = lettersOf(bytes);
    const add = (piece: string, at: number): void => {
      this.#lastOf.set(piece, Math.max(startOf(reading, at), this.#lastOf.get(piece) ?? 0));
    };
    for (const { 0: word, index } of bytes.matchAll(WORD)) if (word.length < TELLING) add(word, index);
    for (let n = 0; n + TELLING <= letters.length; n += 1) add(letters.slice(n, n + TELLING), places[n] ?? 0);
  }

  /**
   * Whether words of the text's own follow. In doubt none do: it may be the rest of the value, in a form that nobody knows.
   *
   * @param end of what is as the value's beginning is
   * @param rest of the value, after that, without quotes
   */
  follow(end: number, rest: string): boolean {
    const text = this.#text.slice(end);
    const [, another] = ANOTHER_WORD.exec(text) ?? [];
    if (another === undefined && !this.#beginsWord(end, rest)) return false;
    // Its signs, where it is escaped itself, may be others in the text, or blanks.
    const ways = [rest, rest.replaceAll(ESCAPED, " ")].map((way) => lettersOf(way).letters);
    return ways.every((letters) => {
      const begins = letters === "" || another?.toLowerCase() === letters.charAt(0);
      return !begins && !this.#tells(letters, end);
    });
  }

  /** Whether a word begins there as one does in the value, too: a letter or digit of that stands for itself in every form. */
  #beginsWord(at: number, rest: string): boolean {
    const [before, after] = [this.#text.charAt(at - 1), this.#text.charAt(at)];
    return !LETTER_OR_DIGIT.test(before) && LETTER_OR_DIGIT.test(after) && LETTER_OR_DIGIT.test(rest);
  }

  /** Whether anything that tells the rest of a value stands somewhere after it. */
  #tells(letters: string, end: number): boolean {
    for (let n = 0; n === 0 || n + TELLING <= letters.length; n += 1) {
      if ((this.#lastOf.get(letters.slice(n, n + TELLING)) ?? -1) >= end) return true;
    }
    return false;
  }
}

/** Letters and digits alone, and where each of them is. */
function lettersOf(bytes: string): { readonly letters: string; readonly places: readonly number[] } {
  const found = [...bytes.matchAll(WORD)];
  const places = found.flatMap(({ 0: word, index }) => Array.from(word, (_, n) => index + n));
  return { letters: found.map(([word]) => word).join(""), places };
}
