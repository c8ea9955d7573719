import { type SqlToken, sqlTokenAt } from "./tokens.ts";

/**
 * Where one statement of an SQL text ends and the next begins. A semicolon ends none within quotes, dollar quotes and comments, in parentheses and in
 * the bodies of SQL-standard functions. Nothing relies on it for safety: a statement that is cut wrongly is refused by the database, which takes one
 * at a time.
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
  let previous = "";
  let last: SqlToken | undefined;
  for (let at = 0; at < sql.length;) {
    const token = sqlTokenAt(sql, at, goesOn(sql, at, last));
    at = token.end;
    if (token.kind === "blank" || token.kind === "comment") continue;
    last = token;
    const text = token.kind === "word" || token.kind === "sign" ? sql.slice(token.start, at).toLowerCase() : "";
    if (text === ";" && parentheses <= 0 && blocks <= 0) {
      finish(token.start);
    } else {
      blank = false;
      if (text === "(") parentheses += 1;
      else if (text === ")") parentheses -= 1;
      else if (text === "end" && blocks > 0) blocks -= 1;
      else if (beginsBlock(text, previous)) blocks += 1;
    }
    previous = text;
  }
  finish(sql.length);
  return statements;
}

/** A literal goes on in another line as it began. */
function goesOn(sql: string, at: number, last: SqlToken | undefined): boolean {
  if (last?.escapes !== "backslashes" || sql.charAt(at) !== "'") return false;
  return /[\n\r]/.test(sql.slice(last.end, at));
}

/** `begin atomic … end` is the body of a function; a `case … end` within it has an end of its own. */
function beginsBlock(word: string, previous: string): boolean {
  return word === "case" || (word === "atomic" && previous === "begin");
}
