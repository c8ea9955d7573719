/**
 * Where one statement of an SQL text ends and the next begins. Knows of PostgreSQL's lexical rules what a semicolon may be hidden in: quotes,
 * dollar quotes, comments, parentheses and the bodies of SQL-standard functions. Nothing relies on it for safety: a statement that is cut
 * wrongly is refused by the database, which takes one at a time.
 */

export interface Statement {
  /** without the semicolon that ends it */
  readonly text: string;
  /** where it begins in the whole, index of a UTF-16 unit */
  readonly start: number;
}

/** The statements of a text; empty ones and mere comments are left out. */
export function splitStatements(sql: string): readonly Statement[] {
  const statements: Statement[] = [];
  let start = 0;
  let parentheses = 0;
  let blocks = 0;
  let blank = true;
  const finish = (end: number): void => {
    const text = sql.slice(start, end);
    if (!blank) statements.push({ text: text.trim(), start: start + text.length - text.trimStart().length });
    start = end + 1;
    parentheses = 0;
    blocks = 0;
    blank = true;
  };
  for (let at = 0; at < sql.length;) {
    const { kind, length } = tokenAt(sql, at);
    if (kind === "semicolon" && parentheses <= 0 && blocks <= 0) {
      finish(at);
    } else if (kind !== "blank") {
      blank = false;
      if (kind === "(") parentheses += 1;
      else if (kind === ")") parentheses -= 1;
      else if (kind === "begin") blocks += 1;
      else if (kind === "end" && blocks > 0) blocks -= 1;
    }
    at += length;
  }
  finish(sql.length);
  return statements;
}

type TokenKind = "blank" | "semicolon" | "(" | ")" | "begin" | "end" | "other";

interface SqlToken {
  readonly kind: TokenKind;
  /** characters */
  readonly length: number;
}

/** All are sticky: they match where they are told to begin, or not at all. */
const BLANK = /\s+|--[^\n\r]*/y;
const DOLLAR_QUOTE = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;
const WORD = /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y;
/** What hides a semicolon or a dollar quote, in the order in which they are to be tried. */
const WHOLES: readonly RegExp[] = [
  // within E'…' a backslash takes the next character with it
  /[eE]'(?:[^'\\]|''|\\[\s\S])*(?:'|$)/y,
  // a quote is written twice within itself
  /'(?:[^']|'')*(?:'|$)/y,
  /"(?:[^"]|"")*(?:"|$)/y,
  /\d[\w.]*/y,
  /\$\d+/y,
];
const SIGNS: Readonly<Record<string, TokenKind>> = { ";": "semicolon", "(": "(", ")": ")" };

function tokenAt(sql: string, at: number): SqlToken {
  const blank = lengthOf(BLANK, sql, at);
  if (blank > 0) return { kind: "blank", length: blank };
  if (sql.startsWith("/*", at)) return { kind: "blank", length: commentLength(sql, at) };
  const tag = lengthOf(DOLLAR_QUOTE, sql, at);
  if (tag > 0) return { kind: "other", length: dollarQuoteLength(sql, at, tag) };
  for (const pattern of WHOLES) {
    const length = lengthOf(pattern, sql, at);
    if (length > 0) return { kind: "other", length };
  }
  const word = lengthOf(WORD, sql, at);
  if (word > 0) return { kind: kindOfWord(sql, at, word), length: word };
  return { kind: SIGNS[sql.charAt(at)] ?? "other", length: 1 };
}

/** `begin atomic … end` is the body of a function; a `case … end` within it has an end of its own. */
function kindOfWord(sql: string, at: number, length: number): TokenKind {
  const word = sql.slice(at, at + length).toLowerCase();
  if (word === "end") return "end";
  if (word === "case") return "begin";
  const next = at + length + lengthOf(BLANK, sql, at + length);
  return word === "begin" && /^atomic\b/i.test(sql.slice(next, next + 7)) ? "begin" : "other";
}

function lengthOf(pattern: RegExp, sql: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(sql)?.[0].length ?? 0;
}

/** Comments of this form may stand within each other. */
function commentLength(sql: string, at: number): number {
  const marks = /\/\*|\*\//g;
  marks.lastIndex = at;
  let depth = 0;
  for (let mark = marks.exec(sql); mark !== null; mark = marks.exec(sql)) {
    depth += mark[0] === "/*" ? 1 : -1;
    if (depth === 0) return marks.lastIndex - at;
  }
  return sql.length - at;
}

function dollarQuoteLength(sql: string, at: number, tagLength: number): number {
  const tag = sql.slice(at, at + tagLength);
  const end = sql.indexOf(tag, at + tagLength);
  return (end === -1 ? sql.length : end + tagLength) - at;
}
