import type { TextToken } from "./text-tokens.ts";
import { compares } from "./value-signs.ts";
import type { Words } from "./words.ts";

/**
 * Passwords that stand before their name, and those that are the value of a field beside the one with their name: of JSON, YAML and XML, as
 * `{"name": "password", "value": "…"}`, and of rows, as `value = '…' where key = 'password'`. Pure.
 */

const KEYS = new Set(["name", "key", "option", "variable", "field", "label"]);
const VALUES = new Set(["value", "default", "val", "content"]);
const FIELD_SIGNS = new Set([":", "="]);
const BETWEEN_FIELDS = new Set([",", "and", "where"]);

/** Which token names the value of a name, with its sign behind it. */
export function fieldBehind(words: Words, name: number): number | undefined {
  if (!isOfKey(words, name)) return undefined;
  const next = name + (BETWEEN_FIELDS.has(words.at(name + 1)) ? 2 : 1);
  return isField(words, next) ? next : undefined;
}

/** Strings that are compared with the name, or called so, and those of a field before it. */
export function valuesBefore(words: Words, tokens: readonly TextToken[], name: number): readonly TextToken[] {
  const sign = words.chainStart(name) - 1;
  const isCompared = tokens[name]?.quote !== "'" && (compares(words.at(sign)) || words.at(sign) === "as");
  if (isCompared && tokens[sign - 1]?.quote !== '"') return tokens.slice(stringStart(tokens, sign), sign);
  const end = name - 3;
  if (!isOfKey(words, name) || !BETWEEN_FIELDS.has(words.at(end))) return [];
  const start = stringStart(tokens, end);
  return isField(words, start - 2) ? tokens.slice(start, end) : [];
}

/** Whether a literal goes on here, in another line. */
export function continues(tokens: readonly TextToken[], index: number): boolean {
  const [before, token] = [tokens[index - 1], tokens[index]];
  return token?.isOnNewLine === true && token.quote === "'" && before?.quote === "'";
}

function isOfKey(words: Words, name: number): boolean {
  return FIELD_SIGNS.has(words.at(name - 1)) && KEYS.has(words.contentAt(name - 2));
}

function isField(words: Words, index: number): boolean {
  return VALUES.has(words.contentAt(index)) && FIELD_SIGNS.has(words.at(index + 1));
}

/** Where a string begins that ends before a token; there where none does. */
function stringStart(tokens: readonly TextToken[], end: number): number {
  if (tokens[end - 1]?.kind !== "string") return end;
  let start = end - 1;
  while (continues(tokens, start)) start -= 1;
  return start;
}
