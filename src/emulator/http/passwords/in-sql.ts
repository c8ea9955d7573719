import { isGap, type SqlToken, tokensOf } from "../../postgres/tokens.ts";

/**
 * SQL without its values, much as pg_stat_statements shows it: no string, quoted name, number or comment is shown, whatever it is for. Words,
 * operators and brackets stay, but for what is given without quotes (`set app.secret to word`). What PostgreSQL may read in another way than it is
 * read here, or not at all, is hidden as a whole: there a value may stand outside of its quotes. Pure, in time linear in the text.
 */

/** Longer texts are hidden as a whole. */
const LONGEST_READ = 100_000;
/** What a statement begins with. */
const COMMANDS: ReadonlySet<string> = new Set(
  (
    "abort alter analyze begin call checkpoint close cluster comment commit copy create deallocate declare delete discard do drop end execute " +
    "explain fetch grant import insert listen lock merge move notify prepare reassign refresh reindex release reset return revoke rollback " +
    "savepoint security select set show start table truncate unlisten update vacuum values with"
  ).split(" "),
);
/** Words and operators behind which a value stands. */
const GIVES = /^(?:to|:)$|=/i;
/** Words behind which whoever makes or changes what has a password writes it, without quotes or in brackets too, which is no SQL. */
const GIVES_PASSWORD: ReadonlySet<string> = new Set(["password", "by"]);
const HAS_PASSWORD: ReadonlySet<string> = new Set("user role group login account server database system".split(" "));
/** Stand before what a statement does, and with what. */
const BEFORE_COMMAND: ReadonlySet<string> = new Set("explain analyze or replace temp temporary".split(" "));
const BRACKET_BEHIND = /\s*\(/y;
const LETTERS: ReadonlySet<string> = new Set(["word", "number", "parameter"]);
const ENDS_GIVEN: ReadonlySet<string> = new Set(["(", ")", "[", "]", ",", ";"]);

/** @param censor stands in the place of each value, or of all of a text */
export function withoutValues(sql: string, censor: string): string {
  if (sql.length > LONGEST_READ) return censor;
  const reader = new Reader(sql, censor);
  for (const token of tokensOf(sql)) {
    if (!reader.take(token)) return censor;
    if (reader.isAtRest) return token.end === sql.length ? reader.shown : `${reader.shown} ${censor}`;
  }
  return reader.shown;
}

class Reader {
  shown = "";
  /** what follows is for psql, or data */
  isAtRest = false;
  readonly #sql: string;
  readonly #censor: string;
  /** beside blanks and comments */
  #last: SqlToken | undefined;
  /** where what was given without quotes ends, or a number */
  #givenEnd = -1;
  #isFirst = true;
  /** the first two words of the statement that say what it does */
  #command: readonly string[] = [];
  #isIdentified = false;
  /** within brackets in which a password stands */
  #isInPassword = false;
  /** what stands behind commas is given as well: a list is set */
  #givesList = false;

  constructor(sql: string, censor: string) {
    this.#sql = sql;
    this.#censor = censor;
  }

  /** @returns whether the text can be read so far */
  take(token: SqlToken): boolean {
    if (this.#isMisread(token)) return false;
    this.shown += this.#shownOf(token);
    if (isGap(token)) return true;
    const text = this.#textOf(token);
    if (this.#isFirst && text !== "(" && text !== ";" && !COMMANDS.has(text.toLowerCase())) return false;
    this.#isFirst = text === ";" || (this.#isFirst && text === "(");
    this.#follow(token.kind, text.toLowerCase());
    this.#last = token;
    this.isAtRest = text === "\\" || text.toLowerCase() === "stdin";
    return true;
  }

  /** What of the statement tells what is given in it. */
  #follow(kind: SqlToken["kind"], text: string): void {
    const last = this.#lastText;
    if (text === ";") {
      this.#command = [];
      this.#givesList = false;
    }
    if (kind === "word" && this.#command.length < 2 && !BEFORE_COMMAND.has(text)) {
      this.#command = [...this.#command, text];
    }
    if (text === "by") this.#isIdentified = last === "identified";
    if (text === "(") this.#isInPassword ||= this.#isBeforePassword(last);
    if (text === ")" || text === ";") this.#isInPassword = false;
    if (GIVES.test(text)) this.#givesList = ["set", "alter"].includes(this.#command[0] ?? "");
  }

  #shownOf(token: SqlToken): string {
    const text = this.#textOf(token);
    if (token.kind === "comment") return "/* … */";
    if (isInQuotes(token)) return text.startsWith("$") ? `$$${this.#censor}$$` : this.#inQuotes(token);
    return token.kind !== "blank" && this.#isGiven(token, text) ? this.#hidden(token) : text;
  }

  #inQuotes({ start, from, end }: SqlToken): string {
    return this.#sql.slice(start, from) + this.#censor + this.#sql.slice(end - 1, end);
  }

  #isGiven({ kind, start, end }: SqlToken, text: string): boolean {
    if (kind === "number") return true;
    if (start === this.#givenEnd) return !ENDS_GIVEN.has(text);
    if (this.#isInPassword) return !ENDS_GIVEN.has(text);
    if (this.#last === undefined || isInQuotes(this.#last)) return false;
    const last = this.#lastText;
    if (this.#isBeforePassword(last)) return !ENDS_GIVEN.has(text) && !this.#isNoPassword(kind, text);
    if (kind !== "word" || (!GIVES.test(last) && !(last === "," && this.#givesList))) return false;
    BRACKET_BEHIND.lastIndex = end;
    return !BRACKET_BEHIND.test(this.#sql);
  }

  #isBeforePassword(word: string): boolean {
    if (!GIVES_PASSWORD.has(word)) return false;
    const [command = "", object = ""] = this.#command;
    const isOfPassword = (command === "create" || command === "alter") && HAS_PASSWORD.has(object);
    return isOfPassword || command === "set" || (word === "by" && this.#isIdentified);
  }

  /** What stands in the place of a password and is none. */
  #isNoPassword(kind: SqlToken["kind"], text: string): boolean {
    if (kind === "parameter" || text.toLowerCase() === "null") return true;
    return this.#command[0] === "set" && (GIVES.test(text) || text.toLowerCase() === "for");
  }

  /** In lower case. */
  get #lastText(): string {
    return this.#last === undefined ? "" : this.#textOf(this.#last).toLowerCase();
  }

  /** Once for all that is written together. */
  #hidden({ start, end }: SqlToken): string {
    const isMore = start === this.#givenEnd;
    this.#givenEnd = end;
    return isMore ? "" : this.#censor;
  }

  /** Whether a quote may be none, or one of another string: it is not closed, or something is written together with it. */
  #isMisread(token: SqlToken): boolean {
    const { kind, start, end, to, escapes } = token;
    const isQuoted = isInQuotes(token);
    if ((isQuoted || this.#sql.startsWith("/*", start)) && to === end) return true;
    // of a session without standard_conforming_strings it is closed elsewhere
    if (isQuoted && escapes !== "backslashes" && this.#sql.charAt(to - 1) === "\\") return true;
    const last = this.#last;
    if (last?.end !== start) return false;
    if (isQuoted) return isInQuotes(last) || LETTERS.has(last.kind);
    return (isInQuotes(last) || last.kind === "parameter") && LETTERS.has(kind);
  }

  #textOf({ start, end }: SqlToken): string {
    return this.#sql.slice(start, end);
  }
}

function isInQuotes({ kind }: SqlToken): boolean {
  return kind === "literal" || kind === "identifier";
}
