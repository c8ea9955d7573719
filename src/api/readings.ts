/** What a text says, as it stands and decoded, so that a value is found in it in whatever form a server quotes it. Pure. */

/** Bytes that stand in a text, one character of a reading for each (Latin-1). */
export interface Reading {
  readonly bytes: string;
  /** Where in the text the characters of each byte begin. */
  readonly starts: readonly number[];
  /** Where they end. */
  readonly ends: readonly number[];
  /** Whether the text has its bytes as letters, in base64 or hexadecimal: there a byte or two may be anything. */
  readonly inLetters: boolean;
}

const NAMES = new Map([
  ["amp", "&"],
  ["apos", "'"],
  ["gt", ">"],
  ["lt", "<"],
  ["quot", '"'],
]);

/** How bytes are written as letters; bytes begin at one letter of so many. */
const BASE64 = { runs: /([\w+/-]+)={0,2}/g, bits: 6, beginsAtOneOf: 4, encoding: "base64" } as const;
const HEXADECIMAL = { runs: /([0-9a-f]+)/gi, bits: 4, beginsAtOneOf: 2, encoding: "hex" } as const;

const JSON_ESCAPE = /\\u([dD][89abAB][\da-fA-F]{2})\\u([dD][c-fC-F][\da-fA-F]{2})|\\u([\da-fA-F]{4})|\\["\\/bfnrt]/g;

/** A text in UTF-8; half of a surrogate pair, which JSON takes, as U+FFFD. */
export function bytesOf(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

/**
 * The readings of a text: as it stands; with what JSON, URLs, forms and HTML escape; and each of these with its base64 and its hexadecimal as bytes, from
 * any of their letters on, since the value may follow others within. None has more bytes than the text has in UTF-8. What is escaped twice is not
 * looked for.
 */
export function readingsOf(text: string): readonly Reading[] {
  const plain = asItStands(text);
  const unescaped = [
    unescape(plain, JSON_ESCAPE, inJson),
    unescape(plain, /%([0-9a-f]{2})/gi, inUrl),
    unescape(plain, /%([0-9a-f]{2})|\+/gi, inUrl),
    unescape(plain, /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(amp|apos|gt|lt|quot));/gi, inHtml),
  ];
  const different = [
    plain,
    ...unescaped.filter(({ bytes }) => bytes.length < plain.bytes.length || bytes !== plain.bytes),
  ];
  return different.flatMap((reading) => [reading, ...lettersIn(reading, BASE64), ...lettersIn(reading, HEXADECIMAL)]);
}

/** Gathers a reading, byte by byte. */
class Gathered {
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  readonly inLetters: boolean;
  bytes = "";

  constructor(inLetters: boolean) {
    this.inLetters = inLetters;
  }

  add(bytes: string, start: number, end: number): void {
    this.bytes += bytes;
    for (let count = 0; count < bytes.length; count += 1) {
      this.starts.push(start);
      this.ends.push(end);
    }
  }

  /** Bytes of another reading, as they stand there. */
  copy(from: Reading, first: number, end: number): void {
    for (let at = first; at < end; at += 1) this.add(from.bytes.charAt(at), startOf(from, at), endOf(from, at + 1));
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
  const reading = new Gathered(false);
  let at = 0;
  for (const character of text) {
    const end = at + character.length;
    reading.add(bytesOf(character), at, end);
    at = end;
  }
  return reading;
}

function unescape(from: Reading, escape: RegExp, bytesFor: (match: RegExpExecArray) => string): Reading {
  const reading = new Gathered(false);
  let at = 0;
  for (const match of from.bytes.matchAll(escape)) {
    const end = match.index + match[0].length;
    reading.copy(from, at, match.index);
    reading.add(bytesFor(match), startOf(from, match.index), endOf(from, end));
    at = end;
  }
  reading.copy(from, at, from.bytes.length);
  return reading;
}

function inJson([escape, high, low, unit]: RegExpExecArray): string {
  if (high !== undefined && low !== undefined) return bytesOf(units(high, low));
  return unit === undefined ? String(JSON.parse(`"${escape}"`)) : bytesOf(units(unit));
}

function units(...hexadecimal: readonly string[]): string {
  return String.fromCharCode(...hexadecimal.map((unit) => Number.parseInt(unit, 16)));
}

function inUrl([, byte]: RegExpExecArray): string {
  return byte === undefined ? " " : units(byte);
}

function inHtml([escape, hexadecimal, decimal, name = ""]: RegExpExecArray): string {
  if (hexadecimal === undefined && decimal === undefined) return NAMES.get(name.toLowerCase()) ?? escape;
  const point = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16);
  return point > 0x10_ff_ff ? escape : bytesOf(String.fromCodePoint(point));
}

/** One for each letter that the bytes may begin with. What stands between runs of letters is left out, as the line breaks of a mail are. */
function lettersIn(from: Reading, how: typeof BASE64 | typeof HEXADECIMAL): readonly Reading[] {
  const { bits, beginsAtOneOf, encoding } = how;
  const runs = [...from.bytes.matchAll(how.runs)];
  return Array.from({ length: beginsAtOneOf }, (_, skipped) => {
    const reading = new Gathered(true);
    for (const { index, 0: run, 1: letters = "" } of runs) {
      const bytes = Buffer.from(letters.slice(skipped), encoding).toString("latin1");
      for (let at = 0; at < bytes.length; at += 1) {
        const first = skipped + Math.floor((8 * at) / bits);
        const end = skipped + Math.ceil((8 * (at + 1)) / bits);
        // what fills base64 up goes with its last letter
        const filled = end === letters.length ? run.length : end;
        reading.add(bytes.charAt(at), startOf(from, index + first), endOf(from, index + filled));
      }
    }
    return reading;
  });
}
