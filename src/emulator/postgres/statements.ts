import { isGap, tokensOf } from "./tokens.ts";

/**
 * Where one statement of an SQL text ends and the next begins, by the rules of PostgreSQL's own client: a semicolon ends none within quotes, dollar
 * quotes and comments, in parentheses and in the bodies of SQL-standard functions. What is sent as one text is kept in one transaction by them
 * (within-transaction.ts), so that each statement is to be found which the database would find.
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
  let statement: { readonly start: number; end: number; says: boolean } | undefined;
  let nesting = new Nesting();
  const finish = (): void => {
    if (statement?.says === true) {
      const { start, end } = statement;
      statements.push({ text: sql.slice(start, end), start });
    }
    statement = undefined;
    nesting = new Nesting();
  };
  for (const token of tokensOf(sql)) {
    if (token.kind === "blank") continue;
    const isPlain = token.kind === "word" || token.kind === "sign";
    const word = isPlain ? sql.slice(token.start, token.end).toLowerCase() : "";
    if (word === ";" && nesting.isNone) {
      finish();
      continue;
    }
    statement ??= { start: token.start, end: 0, says: false };
    statement.end = token.end;
    if (isGap(token)) continue;
    statement.says = true;
    nesting.add(word);
  }
  finish();
  return statements;
}

const ROUTINE = /^create (?:or replace )?(?:function|procedure)\b/;

/** What is open in a statement. */
class Nesting {
  #parentheses = 0;
  /** `begin atomic … end` of functions */
  #bodies = 0;
  #previous = "";
  /** its first words */
  readonly #head: string[] = [];

  get isNone(): boolean {
    return this.#parentheses <= 0 && this.#bodies <= 0;
  }

  add(word: string): void {
    if (this.#head.length < 4) this.#head.push(word);
    if (word === "(") this.#parentheses += 1;
    else if (word === ")") this.#parentheses -= 1;
    else if (this.#beginsBody(word)) this.#bodies += 1;
    else if (this.#endsBody(word)) this.#bodies -= 1;
    this.#previous = word;
  }

  #beginsBody(word: string): boolean {
    return word === "atomic" && this.#previous === "begin" && ROUTINE.test(this.#head.join(" "));
  }

  /** A semicolon ends each statement of a body; elsewhere the word ends a `case`, or is a label. */
  #endsBody(word: string): boolean {
    return word === "end" && this.#bodies > 0 && (this.#previous === ";" || this.#previous === "atomic");
  }
}

/** What a text says, and where that begins in it: one blank for all that stands between two tokens, comments too, and none around them. */
export function withoutComments(sql: string): Statement {
  let text = "";
  let start = 0;
  let end = 0;
  for (const token of tokensOf(sql)) {
    if (isGap(token)) continue;
    if (text === "") ({ start } = token);
    else if (token.start > end) text += " ";
    text += sql.slice(token.start, token.end);
    ({ end } = token);
  }
  return { text, start };
}
