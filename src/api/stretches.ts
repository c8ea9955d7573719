import { endOf, type Place, QUOTE, type Reading, startOf } from "./readings.ts";
import { firstBytes, type Value } from "./values.ts";

/** Stretches of opaque secrets that stand in a text without their beginning: a server may quote the end of a value, or the middle. Pure. */

/** So many bytes of an opaque value tell it from other text, wherever in it they stand. */
const STRETCH = 12;
/** Words, and names that are made of words, as other texts have them too; a word is no longer than that. */
const WORDS = /^(?:[A-Z]?[a-z]{1,15}|[A-Z]{1,15})?(?:[-_./:@](?:[A-Z]?[a-z]{1,15}|[A-Z]{1,15})?)*$/;
const HASHES = 0x10_00_00;
const FACTOR = 31;
/** What the byte that leaves a stretch has in its hash. */
const LEAVING = Array.from({ length: STRETCH }, () => FACTOR).reduce(
  (product, factor) => Math.imul(product, factor),
  1,
);

/** Blanks, a URL, JSON, or a key and its value: what of these is a secret is a value by itself (parts.ts). */
const MADE_OF_PARTS = /\s|:\/\/|^[[{]|^(?:[A-Z_][A-Z\d_]*|[a-z_.-]+)=/;

/** Whether a value is one that any stretch of gives away: none that is made of words, or of parts that others have too. */
function isOpaque({ text, open }: Value): boolean {
  return text.length > STRETCH && open === 0 && !MADE_OF_PARTS.test(text) && !WORDS.test(text);
}

/** Bytes of the opaque values, as readings have them. */
export function opaqueBytes(values: readonly Value[]): readonly string[] {
  const ways = values.filter(isOpaque).flatMap((value) => {
    const most = 4 * value.text.length;
    const bytes = firstBytes(value, most, false);
    return QUOTE.test(value.text) || value.encoding === "hex" ? [bytes, firstBytes(value, most, true)] : [bytes];
  });
  return [...new Set(ways)];
}

/**
 * Where stretches of them stand in readings of a text. Each byte of both is looked at once or twice, so that large secrets and long texts may meet.
 *
 * @param opaque as `opaqueBytes` has them
 */
export function stretchesIn(opaque: readonly string[], readings: readonly Reading[]): readonly Place[] {
  const inText = new Uint8Array(HASHES);
  for (const { bytes } of readings) eachStretch(bytes, (_, hash) => void (inText[hash] = 1));
  const alike = new Set<string>();
  const isAlike = new Uint8Array(HASHES);
  for (const bytes of opaque) {
    eachStretch(bytes, (at, hash) => {
      if (inText[hash] !== 1) return;
      isAlike[hash] = 1;
      alike.add(bytes.slice(at, at + STRETCH));
    });
  }
  const places: Place[] = [];
  if (alike.size === 0) return places;
  for (const reading of readings) {
    eachStretch(reading.bytes, (at, hash) => {
      if (isAlike[hash] !== 1 || !alike.has(reading.bytes.slice(at, at + STRETCH))) return;
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
