import { OwnWords } from "./own-words.ts";
import { endOf, type Place, QUOTE, type Reading, readingsOf, startOf } from "./readings.ts";
import { stretchesOf } from "./stretches.ts";
import { firstBytes, folded, openBytes, RECOGNISABLE, type Value, valuesOf } from "./values.ts";

/** Shorter values, in bytes, are whole words only, and as letters they would be anything. */
const SHORT = 4;
/** Bytes that are compared at most for one text. */
const MOST_COMPARED = 5_000_000;
/** So many bytes are searched for a short value in the time in which one is compared. */
const SEARCHED_AT_ONCE = 32;

/** A place that has a value, or its beginning. */
interface FoundPlace extends Place {
  readonly isWhole: boolean;
  readonly inLetters: boolean;
  /** What the value has after that. */
  readonly rest: string;
}

/** Bytes of a reading that a value has. */
interface Bytes {
  readonly at: number;
  /** So many of them stand in the open. */
  readonly from: number;
  readonly end: number;
  readonly isWhole: boolean;
  readonly endOfText: number;
}

/** What is taken out of a text, and what stays in it, where no more of a secret is there. */
interface Secrets {
  readonly secrets: readonly string[];
  readonly names: readonly string[];
}

/** A text in which values are looked for. */
interface Searched {
  readonly text: string;
  readonly readings: readonly Reading[];
  /** What stands in its readings that a value begins with. */
  readonly beginnings: ReadonlySet<string>;
  /** What its longest reading has. */
  readonly mostBytes: number;
  /** Bytes that may be compared yet. */
  left: number;
}

/**
 * Where secrets stand in a text, in whatever form (readings.ts), from first to last and apart from each other: each of their values as a whole; and where only
 * the beginning of one is there, of eight bytes, all from there to the end of the text, as nobody knows how else the rest is written, unless words of the
 * text's own follow (own-words.ts). Of an opaque piece of one any stretch is (stretches.ts). What of a beginning stands in the open, as other URLs have it
 * too, is left, and so is a part that the request itself names. Letters of ASCII in capitals or not, line breaks as blanks. The text is decoded, not the
 * secrets encoded, as those may be large and many: of each of their lines the beginning is looked up, once.
 *
 * @returns "too many" where so much of the text may be secret that to compare it all would take long
 */
export function placesOf({ secrets, names }: Secrets, text: string): readonly Place[] | "too many" {
  const readings = readingsOf(text).map((reading) => ({ ...reading, bytes: folded(reading.bytes) }));
  const values = valuesOf(secrets, names);
  if (values === "too many") return values;
  const searched: Searched = {
    text,
    readings,
    beginnings: beginningsOf(values, readings),
    mostBytes: Math.max(...readings.map(({ bytes }) => bytes.length)),
    left: MOST_COMPARED,
  };
  const places: Place[] = [];
  const foundOfEach: (readonly FoundPlace[])[] = [];
  for (const value of values) {
    for (const place of placesOfShort(value, searched)) places.push(place);
    const found = foundOf(value, searched);
    if (searched.left < 0) return "too many";
    if (found.length > 0) foundOfEach.push(found);
  }
  if (foundOfEach.length > 0) {
    const own = new OwnWords(text, readings, apart(foundOfEach.flat()));
    for (const found of foundOfEach) for (const place of toItsEnd(found, own, searched)) places.push(place);
  }
  if (searched.left < 0) return "too many";
  const stretches = stretchesOf(values, readings, { names, most: searched.left });
  if (stretches === "too many") return stretches;
  for (const place of stretches) places.push(place);
  return apart(places);
}

/** What goes on as the value does in no reading is up to the end of the text; not so within the value itself, which may repeat its beginning. */
function* toItsEnd(found: readonly FoundPlace[], own: OwnWords, searched: Searched): Generator<Place, void> {
  let endOfWhole = 0;
  for (const { start, end, isWhole, inLetters, rest } of found.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (isWhole) endOfWhole = Math.max(endOfWhole, end);
    const isKnown = end <= endOfWhole;
    if (!isKnown) searched.left -= rest.length;
    if (searched.left < 0) return;
    const place = { start, end: isKnown || (!inLetters && own.follow(end, rest)) ? end : searched.text.length };
    if (place.start < place.end) yield place;
  }
}

/** Which of the beginnings of values there are anywhere in a text's readings. Those are many, so that few of their bytes are made a text of. */
function beginningsOf(values: readonly Value[], readings: readonly Reading[]): ReadonlySet<string> {
  const heads = new Set(values.flatMap((value) => [true, false].map((each) => firstBytes(value, RECOGNISABLE, each))));
  const isHash = new Uint8Array(0x1_00_00);
  for (const head of heads) isHash[hashAt(0, head)] = 1;
  const found = new Set<string>();
  for (const { bytes } of readings) {
    for (let at = 0; at + RECOGNISABLE <= bytes.length; at += 1) {
      if (isHash[hashAt(at, bytes)] === 1) found.add(bytes.slice(at, at + RECOGNISABLE));
    }
  }
  return found;
}

function hashAt(at: number, bytes: string): number {
  let hash = 0;
  for (let n = 0; n < RECOGNISABLE; n += 1) hash = Math.imul(hash, 31) + bytes.charCodeAt(at + n);
  return hash & 0xff_ff;
}

/** Where a text has a value, or its beginning, up to where it goes on as the value does. */
function foundOf(value: Value, searched: Searched): readonly FoundPlace[] {
  const found: FoundPlace[] = [];
  for (const inLetters of [false, true]) {
    if (!searched.beginnings.has(firstBytes(value, RECOGNISABLE, inLetters))) continue;
    const bytes = firstBytes(value, searched.mostBytes, inLetters);
    const open = openBytes(value, inLetters);
    for (const reading of searched.readings.filter((one) => one.inLetters === inLetters)) {
      searched.left -= reading.bytes.length;
      for (const { at, length, isWhole } of alike(bytes, reading)) {
        searched.left -= length;
        if (searched.left < 0) return found;
        if (!isWhole && length < open) continue;
        const from = isWhole ? 0 : open;
        const place = placeOf(value, reading, { at, from, end: at + length, isWhole, endOfText: searched.text.length });
        found.push({ ...place, isWhole, inLetters, rest: bytes.slice(length) });
      }
    }
  }
  return found;
}

/** How much of a value stands where its beginning does, and whether that is all but the blanks at its end. */
function* alike(
  value: string,
  { bytes }: Reading,
): Generator<{ readonly at: number; readonly length: number; readonly isWhole: boolean }, void> {
  let whole = value.length;
  while (value[whole - 1] === " ") whole -= 1;
  for (const at of indexesOf(value.slice(0, RECOGNISABLE), bytes)) {
    let length = RECOGNISABLE;
    while (length < value.length && bytes[at + length] === value[length]) length += 1;
    yield { at, length, isWhole: length >= whole };
  }
}

function* placesOfShort(value: Value, searched: Searched): Generator<Place, void> {
  const { text, readings } = searched;
  for (const inLetters of [false, true]) {
    const bytes = firstBytes(value, RECOGNISABLE, inLetters);
    if (bytes.length >= RECOGNISABLE || bytes.length < (inLetters ? SHORT : 1)) continue;
    for (const reading of readings.filter((one) => one.inLetters === inLetters)) {
      searched.left -= reading.bytes.length / SEARCHED_AT_ONCE;
      if (searched.left < 0) return;
      for (const at of indexesOf(bytes, reading.bytes)) {
        const end = at + bytes.length;
        if (bytes.length < SHORT && isWithin(reading, at, end)) continue;
        yield placeOf(value, reading, { at, from: 0, end, isWhole: true, endOfText: text.length });
      }
    }
  }
}

function* indexesOf(sought: string, bytes: string): Generator<number, void> {
  for (let at = bytes.indexOf(sought); at !== -1; at = bytes.indexOf(sought, at + 1)) yield at;
}

/** Whether a word goes on before a place or after it; what has been left out there ends one. */
function isWithin(reading: Reading, at: number, end: number): boolean {
  return [at, end].some((edge) => {
    const isApart = endOf(reading, edge) !== startOf(reading, edge);
    return !isApart && /\w/.test(reading.bytes.charAt(edge === at ? at - 1 : end));
  });
}

/** The characters of a value in a text, with the quotes that it has at its own ends. */
function placeOf({ text: value }: Value, reading: Reading, found: Bytes): Place {
  const { at, from, end, isWhole, endOfText } = found;
  if (from > 0) return afterOpen(reading, at + from, end);
  const [opens, closes] = [QUOTE.test(value.charAt(0)), isWhole && QUOTE.test(value.charAt(value.length - 1))];
  if (reading.inLetters) return { start: startOf(reading, at), end: endOf(reading, end) };
  const next = end < reading.bytes.length ? startOf(reading, end) : endOfText;
  return { start: opens ? endOf(reading, at) : startOf(reading, at), end: closes ? next : endOf(reading, end) };
}

/** From where what stands in the open ends: of what is in letters, one may be of both. */
function afterOpen(reading: Reading, from: number, end: number): Place {
  const endOfOpen = endOf(reading, from);
  return { start: from < end ? Math.min(endOfOpen, startOf(reading, from)) : endOfOpen, end: endOf(reading, end) };
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
