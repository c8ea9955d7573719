import { HTML_NAMES } from "./html-names.ts";

/** What a text says, as it stands and decoded, so that a value is found in it in whatever form a server quotes it. Pure. */

/** Characters of a text, from `start` to before `end`. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/** Bytes that stand in a text, one character of a reading for each (Latin-1). */
export interface Reading {
  readonly bytes: string;
  /** Where in the text the characters of each byte begin. */
  readonly starts: Uint32Array;
  /** Where they end. */
  readonly ends: Uint32Array;
  /** Whether the text has its bytes as letters, in base64 or hexadecimal, or as numbers: there a byte or two may be anything, and quotes are among them. */
  readonly inLetters: boolean;
}

/** Left out where text is compared: to write a quote each language has its own way, which is quotes and backslashes, too. */
export const QUOTE = /['"`\\]/;
const QUOTES = /['"`\\]+/g;

/** How bytes are written as letters; bytes begin at one letter of so many. */
const BASE64 = { runs: /([\w+/-]+)={0,2}/g, bits: 6, beginsAtOneOf: 4, encoding: "base64" } as const;
const HEXADECIMAL = { runs: /([0-9a-f]+)/gi, bits: 4, beginsAtOneOf: 2, encoding: "hex" } as const;

/** Bytes as numbers, signed or not; an object's keys, which count them, are none. */
const NUMBERS = /0x([0-9a-f]{1,2})\b|((?<!\d)-)?(?<!\d)(\d{1,3})(?!\d|"\s*:)/gi;

/** After backslashes: what JSON escapes, and JavaScript, Python and C. */
const BACKSLASH =
  /\\u([dD][89abAB][\da-fA-F]{2})\\u([dD][c-fC-F][\da-fA-F]{2})|\\(?:u([\da-fA-F]{4})|u\{([\da-fA-F]{1,6})\}|U([\da-fA-F]{8})|x([\da-fA-F]{2})|([0-3][0-7]{2})|([^]))/g;
const AFTER_BACKSLASH = new Map([
  ["0", "\0"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
]);

/** A text in UTF-8; half of a surrogate pair, which JSON takes, as U+FFFD. */
export function bytesOf(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

/** Bytes of a value, to be found in readings of a text that are not in letters. */
export function withoutQuotes(bytes: string): string {
  return bytes.replaceAll(QUOTES, "");
}

/**
 * The readings of a text: as it stands; with what JSON, other languages, URLs, forms, HTML and mails escape; each of these without quotes and backslashes,
 * so that SQL's doubled ones and what a shell makes of them are read as well; and its base64, its hexadecimal and its numbers as bytes, of letters from any of
 * them on, since the value may follow others within. None has more bytes than the text has in UTF-8. Beside these, and a URL within another,
 * what is escaped twice is not looked for.
 */
export function readingsOf(text: string): readonly Reading[] {
  const plain = asItStands(text);
  const escaped = [
    plain,
    unescape(plain, BACKSLASH, (match) => afterBackslash(match, fromHexadecimal)),
    unescape(plain, BACKSLASH, (match) => afterBackslash(match, (byte) => bytesOf(fromHexadecimal(byte)))),
    unescape(plain, /%([0-9a-f]{2})/gi, inUrl),
    unescape(plain, /%([0-9a-f]{2})|\+/gi, inUrl),
    unescape(plain, /%(?:25)?([0-9a-f]{2})/gi, inUrl),
    unescape(plain, /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z][a-z\d]{1,7}));/gi, inHtml),
    unescape(plain, /=(?:([0-9a-f]{2})|\r?\n)/gi, inMail),
  ];
  const different = escaped.filter(({ bytes }, n) => escaped.findIndex((other) => other.bytes === bytes) === n);
  return different.flatMap((reading) => [
    unescape(reading, QUOTES, () => ""),
    ...lettersIn(reading, BASE64),
    ...lettersIn(reading, HEXADECIMAL),
    numbersIn(reading),
  ]);
}

/** Gathers a reading. */
class Gathered {
  readonly #bytes: Buffer;
  readonly #starts: Uint32Array;
  readonly #ends: Uint32Array;
  #length = 0;

  constructor(mostBytes: number) {
    this.#bytes = Buffer.allocUnsafe(mostBytes);
    this.#starts = new Uint32Array(mostBytes);
    this.#ends = new Uint32Array(mostBytes);
  }

  add(byte: number, start: number, end: number): void {
    this.#bytes[this.#length] = byte;
    this.#starts[this.#length] = start;
    this.#ends[this.#length] = end;
    this.#length += 1;
  }

  /** Bytes that are from the same characters. */
  addAll(bytes: string, start: number, end: number): void {
    for (let at = 0; at < bytes.length; at += 1) this.add(bytes.charCodeAt(at), start, end);
  }

  /** Bytes of another reading, as they stand there. */
  copy(from: Reading, first: number, end: number): void {
    this.#bytes.write(from.bytes.slice(first, end), this.#length, "latin1");
    this.#starts.set(from.starts.subarray(first, end), this.#length);
    this.#ends.set(from.ends.subarray(first, end), this.#length);
    this.#length += end - first;
  }

  reading(inLetters: boolean): Reading {
    const bytes = this.#bytes.toString("latin1", 0, this.#length);
    const [starts, ends] = [this.#starts.subarray(0, this.#length), this.#ends.subarray(0, this.#length)];
    return { bytes, starts, ends, inLetters };
  }
}

/** Where the character of a text begins that a place of a reading comes from. */
export function startOf({ starts }: Reading, at: number): number {
  return starts[at] ?? 0;
}

/** Where the last character of a text ends before a place of a reading. */
export function endOf({ ends }: Reading, at: number): number {
  return ends[at - 1] ?? 0;
}

function asItStands(text: string): Reading {
  const reading = new Gathered(Buffer.byteLength(text, "utf8"));
  let at = 0;
  for (const character of text) {
    const end = at + character.length;
    reading.addAll(bytesOf(character), at, end);
    at = end;
  }
  return reading.reading(false);
}

function unescape(from: Reading, escape: RegExp, bytesFor: (match: RegExpExecArray) => string): Reading {
  const reading = new Gathered(from.bytes.length);
  let at = 0;
  for (const match of from.bytes.matchAll(escape)) {
    const end = match.index + match[0].length;
    reading.copy(from, at, match.index);
    reading.addAll(bytesFor(match), startOf(from, match.index), endOf(from, end));
    at = end;
  }
  if (at === 0) return from;
  reading.copy(from, at, from.bytes.length);
  return reading.reading(false);
}

/** @param bytesOfByte what a byte stands for: itself, or the character of its number, as languages differ */
function afterBackslash(match: RegExpExecArray, bytesOfByte: (hexadecimal: string) => string): string {
  const [escape, high, low, unit, inBraces, eight, byte, octal, sign = ""] = match;
  if (high !== undefined && low !== undefined) return bytesOf(fromHexadecimal(high, low));
  if (unit !== undefined) return bytesOf(fromHexadecimal(unit));
  const point = inBraces ?? eight;
  if (point !== undefined) return ofCodePoint(Number.parseInt(point, 16)) ?? escape;
  if (octal !== undefined) return bytesOfByte(Number.parseInt(octal, 8).toString(16));
  return byte === undefined ? (AFTER_BACKSLASH.get(sign) ?? sign) : bytesOfByte(byte);
}

function fromHexadecimal(...units: readonly string[]): string {
  return String.fromCharCode(...units.map((unit) => Number.parseInt(unit, 16)));
}

function ofCodePoint(point: number): string | undefined {
  return point > 0x10_ff_ff ? undefined : bytesOf(String.fromCodePoint(point));
}

function inUrl([, byte]: RegExpExecArray): string {
  return byte === undefined ? " " : fromHexadecimal(byte);
}

/** A line that goes on ends in a sign of its own. */
function inMail([, byte]: RegExpExecArray): string {
  return byte === undefined ? "" : fromHexadecimal(byte);
}

function inHtml([escape, hexadecimal, decimal, name = ""]: RegExpExecArray): string {
  if (hexadecimal === undefined && decimal === undefined) {
    const named = HTML_NAMES.get(name) ?? HTML_NAMES.get(name.toLowerCase());
    return named === undefined ? escape : bytesOf(named);
  }
  return ofCodePoint(hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16)) ?? escape;
}

/** One for each letter that the bytes may begin with. What stands between runs of letters is left out, as the line breaks of a mail are. */
function lettersIn(from: Reading, how: typeof BASE64 | typeof HEXADECIMAL): readonly Reading[] {
  const { bits, beginsAtOneOf, encoding } = how;
  const runs = [...from.bytes.matchAll(how.runs)];
  return Array.from({ length: beginsAtOneOf }, (_, skipped) => {
    const reading = new Gathered(from.bytes.length);
    for (const { index, 0: run, 1: letters = "" } of runs) {
      const bytes = Buffer.from(letters.slice(skipped), encoding);
      for (const [at, byte] of bytes.entries()) {
        const first = skipped + Math.floor((8 * at) / bits);
        const end = skipped + Math.ceil((8 * (at + 1)) / bits);
        // what fills base64 up goes with its last letter
        const filled = end === letters.length ? run.length : end;
        reading.add(byte, startOf(from, index + first), endOf(from, index + filled));
      }
    }
    return reading.reading(true);
  });
}

/** What stands between numbers is left out. */
function numbersIn(from: Reading): Reading {
  const reading = new Gathered(from.bytes.length);
  for (const { index, 0: written, 1: hexadecimal, 2: minus, 3: decimal } of from.bytes.matchAll(NUMBERS)) {
    const size = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16);
    const number = minus === undefined ? size : 0x1_00 - size;
    if (number < 0 || number > 0xff) continue;
    reading.add(number, startOf(from, index), endOf(from, index + written.length));
  }
  return reading.reading(true);
}
