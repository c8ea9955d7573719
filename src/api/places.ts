import { bytesOf, endOf, type Reading, readingsOf, startOf } from "./readings.ts";

/** So many bytes of the beginning of a value tell it from other text: servers cut the values that they quote. */
const RECOGNISABLE = 8;
/** Shorter values, in bytes, are whole words only, and as letters they would be anything. */
const SHORT = 4;
/** Bytes that are compared at most for one text. */
const MOST_COMPARED = 5_000_000;

/** Characters of a text, from `start` to before `end`. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/** A place that has a value, or its beginning. */
interface Found extends Place {
  readonly isWhole: boolean;
}

/** A text that gives a secret away, or what it stands for. */
interface Value {
  readonly text: string;
  readonly encoding: "utf8" | "hex";
}

/**
 * Where secrets stand in a text, in whatever form (readings.ts), from first to last and apart from each other: each of their values as a whole; and where only
 * the beginning of one is there, of eight bytes, all from there to the end of the text, as nobody knows how else the rest is written. Letters of ASCII in
 * capitals or not, line breaks as blanks. The text is decoded, not the secrets encoded, as those may be large and many: of each of their lines
 * the beginning is looked up, once.
 *
 * @returns "too many" where so much of the text may be secret that to compare it all would take long
 */
export function placesOf(secrets: readonly string[], text: string): readonly Place[] | "too many" {
  const readings = readingsOf(text).map((reading) => ({ ...reading, bytes: folded(reading.bytes) }));
  const beginnings = beginningsOf(readings);
  const atMost = readings[0]?.bytes.length ?? 0;
  const places: Place[] = [];
  let compared = 0;
  for (const value of valuesOf(secrets)) {
    const head = bytesIn(value, RECOGNISABLE);
    for (const reading of readings) if (head.length < RECOGNISABLE) places.push(...placesOfShort(head, reading));
    if (!beginnings.has(head)) continue;
    const bytes = bytesIn(value, atMost);
    const found: Found[] = [];
    for (const reading of readings) {
      for (const { at, end, isWhole } of alike(bytes, reading)) {
        found.push({ start: startOf(reading, at), end: endOf(reading, end), isWhole });
        compared += end - at;
        if (compared > MOST_COMPARED) return "too many";
      }
      compared += reading.bytes.length;
    }
    for (const place of toItsEnd(found, text.length)) places.push(place);
  }
  return apart(places);
}

/** What goes on as the value does in no reading is up to the end of the text; not so within the value itself, which may repeat its beginning. */
function* toItsEnd(found: readonly Found[], endOfText: number): Generator<Place, void> {
  let endOfWhole = 0;
  for (const { start, end, isWhole } of found.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (isWhole) endOfWhole = Math.max(endOfWhole, end);
    yield { start, end: end <= endOfWhole ? end : endOfText };
  }
}

/** Upper case as lower case, so that %2f is %2F and 0a is 0A; letters of ASCII alone, as others would be other bytes. Line breaks and tabs as blanks. */
function folded(bytes: string): string {
  return bytes.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase()).replaceAll(/[\t\n\r]/g, " ");
}

/**
 * Values that give a secret away: itself, without the blanks and line breaks around it that a file has, and each of its lines that is long enough to
 * tell, as of a key in PEM. What is hexadecimal gives away what it stands for.
 */
function* valuesOf(secrets: readonly string[]): Generator<Value, void> {
  for (const secret of secrets) {
    const lines = secret.split(/[\r\n]+/u).map((line) => line.trim());
    const texts = new Set([secret, secret.trim(), ...lines.filter((line) => line.length >= RECOGNISABLE)]);
    for (const text of texts) {
      yield { text, encoding: "utf8" };
      if (text.length >= 2 * RECOGNISABLE && /^[0-9a-f]+$/i.test(text)) yield { text, encoding: "hex" };
    }
  }
}

/** The first bytes of a value, so many at most. */
function bytesIn({ text, encoding }: Value, count: number): string {
  if (encoding === "hex") return folded(Buffer.from(text.slice(0, 2 * count), "hex").toString("latin1"));
  const beginning = text.slice(0, count + 1); // one more than there are bytes: the cut may go through a character
  return folded(bytesOf(beginning).slice(0, count));
}

/** All of a text's readings at each of their places, as far as tells a value from other text. */
function beginningsOf(readings: readonly Reading[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { bytes } of readings) {
    for (let at = 0; at + RECOGNISABLE <= bytes.length; at += 1) found.add(bytes.slice(at, at + RECOGNISABLE));
  }
  return found;
}

/** Where a reading has a value's beginning, up to where it goes on as the value does, and whether that is all but the blanks at its end. */
function* alike(
  value: string,
  { bytes }: Reading,
): Generator<{ readonly at: number; readonly end: number; readonly isWhole: boolean }, void> {
  const head = value.slice(0, RECOGNISABLE);
  let whole = value.length;
  while (value[whole - 1] === " ") whole -= 1;
  for (let at = bytes.indexOf(head); at !== -1; at = bytes.indexOf(head, at + 1)) {
    let length = RECOGNISABLE;
    while (length < value.length && bytes[at + length] === value[length]) length += 1;
    yield { at, end: at + length, isWhole: length >= whole };
  }
}

function placesOfShort(value: string, reading: Reading): readonly Place[] {
  const { bytes, inLetters } = reading;
  if (value === "" || (value.length < SHORT && inLetters)) return [];
  const places: Place[] = [];
  for (let at = bytes.indexOf(value); at !== -1; at = bytes.indexOf(value, at + 1)) {
    const end = at + value.length;
    const within = /\w/.test(bytes.charAt(at - 1)) || /\w/.test(bytes.charAt(end));
    if (value.length >= SHORT || !within) places.push({ start: startOf(reading, at), end: endOf(reading, end) });
  }
  return places;
}

/** The same characters, from first to last, with what meets as one. */
function apart(places: readonly Place[]): readonly Place[] {
  const found: Place[] = [];
  for (const { start, end } of places.toSorted((a, b) => a.start - b.start)) {
    const last = found.at(-1);
    if (last === undefined || last.end < start) found.push({ start, end });
    else found[found.length - 1] = { start: last.start, end: Math.max(last.end, end) };
  }
  return found;
}
