/**
 * Lexical rules of PostgreSQL (its manual, chapter 4.1), without any grammar: where comments, quotes and words of a text begin and end, as its
 * scanner has it (scan.l). Operators end where the scanner lets them end, but for signs of numbers: `+-1` is two tokens here, and three there. Pure,
 * and each token costs its length. Never fails: what is not closed lasts to the end of the text, and a sign that the language does not know is a
 * token as well.
 */

export type SqlTokenKind =
  | "blank"
  | "comment"
  | "word"
  | "identifier"
  | "literal"
  | "number"
  | "parameter"
  | "operator"
  | "sign";

/** How a sign is written that would mean something else in the quotes: the quote twice, anything behind a backslash, code points behind one. */
export type Escapes = "none" | "quotes" | "backslashes" | "code points";

export interface SqlToken {
  readonly kind: SqlTokenKind;
  /** index of the first UTF-16 unit, and of the one behind the last */
  readonly start: number;
  readonly end: number;
  /** the same without quotes, prefix or the marks of a comment */
  readonly from: number;
  readonly to: number;
  readonly escapes: Escapes;
}

/** All but the last are sticky: they match where they are told to begin, or not at all. Other blanks are letters, as is all beyond ASCII. */
const BLANK = /[ \t\n\v\f\r]+/y;
const LINE = /[^\n\r]*/y;
const PREFIX = /(?:u&|[benx])(?=')|u&(?=")/iy;
const DOLLARS = /\$(?:[a-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/iy;
const WORD = /[a-z_\u0080-\uffff][\w$\u0080-\uffff]*/iy;
const NUMBER = /0x[\da-f_]+|(?:\d[\d_]*\.?|\.\d)[\d_]*(?:e[+-]?\d+)?/iy;
const PARAMETER = /\$\d+/y;
const COLONS = /::|:=|\.\./y;
/** The end of a run of signs, as long as it is: PostgreSQL seeks comments in all of it before it says that an operator is too long. */
const NO_OPERATOR = /[^-+*/<>=~!@#%^&|`?]|--|\/\*|$/g;

/** All of a text, one behind the other. */
export function* tokensOf(sql: string): Generator<SqlToken, void> {
  let last: SqlToken | undefined;
  for (let at = 0; at < sql.length;) {
    const token = sqlTokenAt(sql, at, goesOn(sql, at, last));
    yield token;
    at = token.end;
    if (!isGap(token)) last = token;
  }
}

/** Whether it says nothing. */
export function isGap({ kind }: SqlToken): boolean {
  return kind === "blank" || kind === "comment";
}

/** A literal goes on in another line as it began. */
function goesOn(sql: string, at: number, last: SqlToken | undefined): boolean {
  if (last?.escapes !== "backslashes" || sql.charAt(at) !== "'") return false;
  return /[\n\r]/.test(sql.slice(last.end, at));
}

/** @param continued an escape string goes on here, behind a line break */
export function sqlTokenAt(sql: string, at: number, continued = false): SqlToken {
  const blank = lengthAt(BLANK, sql, at);
  if (blank > 0) return plain("blank", at, blank);
  if (sql.startsWith("--", at)) {
    const end = at + lengthAt(LINE, sql, at);
    return { kind: "comment", start: at, end, from: at + 2, to: end, escapes: "none" };
  }
  if (sql.startsWith("/*", at)) return blockComment(sql, at);
  const prefix = lengthAt(PREFIX, sql, at);
  const quote = sql.charAt(at + prefix);
  if (quote === "'" || quote === '"') return quoted(sql, at, { prefix, continued });
  const dollars = lengthAt(DOLLARS, sql, at);
  if (dollars > 0) return dollarQuoted(sql, at, dollars);
  for (const [kind, pattern] of UNQUOTED) {
    const length = lengthAt(pattern, sql, at);
    if (length > 0) return plain(kind, at, length);
  }
  const operator = operatorLength(sql, at);
  return operator > 0 ? plain("operator", at, operator) : plain("sign", at, 1);
}

const UNQUOTED: readonly (readonly [SqlTokenKind, RegExp])[] = [
  ["word", WORD],
  ["number", NUMBER],
  ["parameter", PARAMETER],
  ["operator", COLONS],
];

/** How much of a text a sticky pattern matches at a place. */
function lengthAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}

function plain(kind: SqlTokenKind, start: number, length: number): SqlToken {
  const end = start + length;
  return { kind, start, end, from: start, to: end, escapes: "none" };
}

/** Comments of this form may stand within each other. */
function blockComment(sql: string, start: number): SqlToken {
  const marks = /\/\*|\*\//g;
  marks.lastIndex = start;
  let depth = 0;
  for (let mark = marks.exec(sql); mark !== null; mark = marks.exec(sql)) {
    depth += mark[0] === "/*" ? 1 : -1;
    if (depth === 0) {
      return { kind: "comment", start, end: marks.lastIndex, from: start + 2, to: mark.index, escapes: "none" };
    }
  }
  return { kind: "comment", start, end: sql.length, from: start + 2, to: sql.length, escapes: "none" };
}

function quoted(
  sql: string,
  start: number,
  { prefix, continued }: { readonly prefix: number; readonly continued: boolean },
): SqlToken {
  const from = start + prefix + 1;
  const quote = sql.charAt(from - 1);
  const letter = prefix === 0 ? "" : sql.charAt(start).toLowerCase();
  const escapes = escapesBy(letter, continued);
  const to = closingAt(sql, from, { quote, backslashes: escapes === "backslashes" });
  const kind = quote === '"' ? "identifier" : "literal";
  return { kind, start, end: Math.min(to + 1, sql.length), from, to, escapes };
}

function escapesBy(letter: string, continued: boolean): Escapes {
  if (letter === "u") return "code points";
  return letter === "e" || (letter === "" && continued) ? "backslashes" : "quotes";
}

/** Where the quote stands that closes what begins at a place, or the end of the text. */
function closingAt(
  text: string,
  from: number,
  { quote, backslashes }: { readonly quote: string; readonly backslashes: boolean },
): number {
  let at = from;
  while (at < text.length) {
    const sign = text.charAt(at);
    if (sign === quote && text.charAt(at + 1) !== quote) return at;
    at += sign === quote || (backslashes && sign === "\\") ? 2 : 1;
  }
  return text.length;
}

function dollarQuoted(sql: string, start: number, tagLength: number): SqlToken {
  const from = start + tagLength;
  const closing = sql.indexOf(sql.slice(start, from), from);
  const [to, end] = closing === -1 ? [sql.length, sql.length] : [closing, closing + tagLength];
  return { kind: "literal", start, end, from, to, escapes: "none" };
}

/**
 * A comment ends an operator; a sign of a number is none of it, unless it holds one that no number has before it. Signs of numbers alone are taken
 * together, so that a run of them is walked once.
 */
function operatorLength(sql: string, at: number): number {
  NO_OPERATOR.lastIndex = at;
  const operator = sql.slice(at, NO_OPERATOR.exec(sql)?.index);
  if (/[~!@#%^&|`?]/.test(operator)) return operator.length;
  let { length } = operator;
  while (length > 0 && /[-+]/.test(operator.charAt(length - 1))) length -= 1;
  return length === 0 ? operator.length : length;
}
