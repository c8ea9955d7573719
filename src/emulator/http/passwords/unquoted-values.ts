import { lengthAt } from "../../postgres/tokens.ts";
import { type Place, type TextToken, wordEnd } from "./text-tokens.ts";

/** Passwords without quotes: of connection strings, environments, YAML and prose. Pure, in time linear in what they take. */

/** What is clearly none. */
const NO_PASSWORD = /(?:null|true|false|default|\$\d+|\?|%(?:\d+\$)?[a-z]?)(?=[\s,;)\]}:'"&]|$)/iy;
/** What begins a line of its own, behind a name without a value. */
const NEXT_SETTING = /(?:-\s|[\w.-]+[:=](?!\S*\())/y;
const JSON_NUMBER = /-?\d[\w.+-]*(?=[\s,\]}\\"']|$)/y;
const IN_BRACKET = /(?:[^)]|\)(?![\s.;,]|$))*/y;
const LINE = /[^\n\r]*/y;
const BEFORE_KEY = /(?:^|[\n\r])[ \t]*(?:-[ \t]+)?[\w.-]*$/;
const LINE_COMMENT = /\s#.*$/;
const BLOCK = /[|>][-+\d]{0,2}[ \t]*(?=[\n\r])/y;
const INDENTED = /\r?\n(?:[ \t]*(?=\r?\n)|([ \t]*)[^\n\r]*)/y;
const LOOKED_BACK = 120;

/** A word, up to a blank. */
export function wordAt(text: string, value: TextToken): Place | undefined {
  if (lengthAt(NO_PASSWORD, text, value.start) > 0) return undefined;
  if (value.isOnNewLine && lengthAt(NEXT_SETTING, text, value.start) > 0) return undefined;
  return { start: value.start, end: wordEnd(text, value.start) };
}

/** The same behind a colon: all of a line, or a block, where it is one of YAML. */
export function wordBehindColon(text: string, name: TextToken, value: TextToken): Place | undefined {
  const place = wordAt(text, value);
  if (place === undefined || value.isOnNewLine || value.isAttached || name.kind === "string") return place;
  const before = text.slice(Math.max(0, name.start - LOOKED_BACK), name.start);
  const isOfLine = BEFORE_KEY.test(name.start > LOOKED_BACK ? `${SOMETHING}${before}` : before);
  if (!isOfLine) return place;
  const block = lengthAt(BLOCK, text, value.start);
  if (block > 0) return { start: value.start + block, end: blockEnd(text, value.start + block, before) };
  const line = text.slice(value.start, value.start + lengthAt(LINE, text, value.start));
  return {
    start: value.start,
    end: Math.max(place.end, value.start + line.replace(LINE_COMMENT, "").trimEnd().length),
  };
}

/** Values in a bracket, which ends before a blank or a point. */
export function valuesAt(text: string, bracket: TextToken): Place {
  return { start: bracket.end, end: bracket.end + lengthAt(IN_BRACKET, text, bracket.end) };
}

/** So that what was cut off is no beginning of a line. */
const SOMETHING = "!";

/** A number of JSON. */
export function numberAt(text: string, value: TextToken): Place | undefined {
  const length = lengthAt(JSON_NUMBER, text, value.start);
  return length === 0 ? undefined : { start: value.start, end: value.start + length };
}

/** Lines that are further in than the one of their name. */
function blockEnd(text: string, start: number, before: string): number {
  const depth = /[ \t]*[^\n\r]*$/.exec(before)?.[0].match(/^[ \t]*/)?.[0].length ?? 0;
  let end = start;
  for (;;) {
    INDENTED.lastIndex = end;
    const line = INDENTED.exec(text);
    if (line === null || (line[1] !== undefined && line[1].length <= depth)) return end;
    end += line[0].length;
  }
}
