import { isOpenKey, partsOf } from "./parts.ts";
import { endOf, type Place, QUOTE, type Reading, startOf } from "./readings.ts";
import { parseJson } from "./json.ts";
import { firstBytes, inEncodings, type Value } from "./values.ts";

/** Stretches of opaque pieces of secrets that stand in a text without their beginning: a server may quote the end of a value, or the middle. Pure. */

/** So many bytes of an opaque piece tell it from other text, wherever in it they stand. */
const STRETCH = 12;
/** What stands apart in a secret: by blanks, and by what pairs of a key and a value stand apart by. */
const APART = /\s+|[;,&](?=[\w.-]{1,64}=["'`]?[^\s=,;.:&?#|@"'`)\]}>])/;
/** The key of a pair, which has a value: what base64 is filled up with at its end is none, nor what stands behind that. */
const KEY = /^[\w.-]{1,64}(?==["'`]?\w)/;
const SIGNS = /([./:@=,;'"`{}[\]()<>&?#|\\]+)/;
const JOINTS = /[-_+]/;
/** Of names that are made of such words, as other texts have them too; a word is no longer than that. */
const WORD = /^(?:[A-Z]?[a-z]{1,15}\d?|[A-Z]?[a-z]{3,15}\d\d|[A-Z]{1,15}\d?|\d{1,5})?$/;
/** What keys are called. */
const KEY_WORD = /^[A-Za-z]?[a-z]{1,15}(?:[A-Z][a-z]{2,15}){1,8}\d?$/;
/** Shorter words may be anything within what is drawn at random. */
const APART_BY_WORDS = 4;
const SCHEME = /[a-z][a-z\d+.-]{0,30}$/i;
const LONGEST_SCHEME = 31;
const HASHES = 0x10_00_00;
const FACTOR = 31;
/** What the byte that leaves a stretch has in its hash. */
const LEAVING = Array.from({ length: STRETCH }, () => FACTOR).reduce(
  (product, factor) => Math.imul(product, factor),
  1,
);

/** Of each hash: whether a stretch of the text has it, and one of a secret as well. For each message anew; so large, it is made once. */
const marks = new Uint8Array(HASHES);
const IN_TEXT = 1;
const ALIKE = 2;

/**
 * Where stretches of opaque pieces of values stand in readings of a text.
 *
 * @param names what a request itself names is no such piece
 * @param most so many bytes of values are looked at
 * @returns "too many" where there are more
 */
export function stretchesOf(
  values: readonly Value[],
  readings: readonly Reading[],
  { names, most }: { readonly names: readonly string[]; readonly most: number },
): readonly Place[] | "too many" {
  if (readings.every(({ bytes }) => bytes.length < STRETCH)) return [];
  const texts = new Set(values.filter(({ encoding }) => encoding === "utf8").map(({ text }) => text.trim()));
  let left = most;
  for (const { length } of texts) left -= length;
  if (left < 0) return "too many";
  const pieces = new Set<string>();
  const named = new Set(names);
  for (const text of texts) {
    if (text.length < STRETCH || isJson(text)) continue;
    for (const piece of opaqueIn(text, named)) if (piece.length >= STRETCH) pieces.add(piece);
  }
  return pieces.size === 0 ? [] : stretchesIn(bytesOfEach(pieces), readings);
}

/** Of JSON each string is a value by itself (parts.ts). */
function isJson(text: string): boolean {
  return /^[{[]/.test(text) && parseJson(text) !== undefined;
}

/** Pieces of a text that are not made of words; of a URL those of its parts that may be secret, of a key and a value none where that is shown. */
function* opaqueIn(text: string, names: ReadonlySet<string>): Generator<string, void> {
  for (const token of text.split(APART)) {
    const [key = ""] = KEY.exec(token) ?? [];
    const url = urlAt(token);
    if (url < token.length || !isOpenKey(key)) yield* opaqueBetweenSigns(token.slice(0, url), names);
    for (const part of partsOf(token.slice(url))) yield* opaqueBetweenSigns(part.text, names);
  }
}

/** Where a token's first URL begins, or its end. */
function urlAt(token: string): number {
  const end = token.indexOf("://");
  const [scheme = ""] = end === -1 ? [] : (SCHEME.exec(token.slice(Math.max(0, end - LONGEST_SCHEME), end)) ?? []);
  return scheme === "" ? token.length : end - scheme.length;
}

/** Signs may be in what is drawn at random, too: pieces go together where no word is between them, or a name. */
function* opaqueBetweenSigns(token: string, names: ReadonlySet<string>): Generator<string, void> {
  const parts = token.split(SIGNS);
  let [together, isOpaque] = ["", false];
  for (let n = 0; n < parts.length; n += 2) {
    const [sign = "", piece = "", next = ""] = [parts[n - 1], parts[n], parts[n + 1]];
    const isKey = endsKey(next, parts[n + 2]) && KEY_WORD.test(piece);
    const isWords = isKey || piece.split(JOINTS).every((word) => WORD.test(word) || names.has(word));
    if (isWords && piece.length >= APART_BY_WORDS) {
      if (isOpaque) yield together;
      [together, isOpaque] = ["", false];
    } else if (piece !== "") {
      together += together === "" ? piece : sign + piece;
      isOpaque ||= !isWords;
    }
  }
  if (isOpaque) yield together;
}

/** Whether signs that come after a piece are those after a key, and not what base64 is filled up with. */
function endsKey(signs: string, after: string | undefined): boolean {
  return /^["']?:/.test(signs) || (after !== "" && /^["']?=["'`]?$/.test(signs));
}

/** As readings have them. */
function bytesOfEach(pieces: ReadonlySet<string>): ReadonlySet<string> {
  const found = new Set<string>();
  for (const piece of pieces) {
    for (const value of inEncodings(piece, 0)) {
      const most = 4 * piece.length;
      found.add(firstBytes(value, most, false));
      if (QUOTE.test(piece) || value.encoding === "hex") found.add(firstBytes(value, most, true));
    }
  }
  return found;
}

/** Each byte of both is looked at once or twice, so that large secrets and long texts may meet. */
function stretchesIn(opaque: ReadonlySet<string>, readings: readonly Reading[]): readonly Place[] {
  marks.fill(0);
  for (const { bytes } of readings) eachStretch(bytes, (_, hash) => void (marks[hash] = IN_TEXT));
  const alike = new Set<string>();
  for (const bytes of opaque) {
    eachStretch(bytes, (at, hash) => {
      if (marks[hash] === 0) return;
      marks[hash] = ALIKE;
      alike.add(bytes.slice(at, at + STRETCH));
    });
  }
  const places: Place[] = [];
  if (alike.size === 0) return places;
  for (const reading of readings) {
    eachStretch(reading.bytes, (at, hash) => {
      if (marks[hash] !== ALIKE || !alike.has(reading.bytes.slice(at, at + STRETCH))) return;
      places.push({ start: startOf(reading, at), end: endOf(reading, at + STRETCH) });
    });
  }
  return places;
}

/** Tells where each stretch begins, and its hash. */
function eachStretch(bytes: string, visit: (at: number, hash: number) => void): void {
  let hash = 0;
  for (let end = 0; end < bytes.length; end += 1) {
    hash = Math.imul(hash, FACTOR) + bytes.charCodeAt(end);
    if (end >= STRETCH) hash -= Math.imul(LEAVING, bytes.charCodeAt(end - STRETCH));
    hash |= 0;
    if (end + 1 >= STRETCH) visit(end + 1 - STRETCH, (hash ^ (hash >>> 15)) & (HASHES - 1));
  }
}
