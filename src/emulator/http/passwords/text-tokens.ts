import { closingAt, type Escapes, lengthAt, type SqlToken, sqlTokenAt } from "../../postgres/tokens.ts";
import { dueBehind, endsAsPasswordName, isPasswordName, namesPassword } from "./names.ts";

/**
 * Tokens of a text that may be SQL, and as well JSON, a line of a program or of prose with any of them in it. SQL is read by its own rules; beside
 * them strings of JSON and of programs are known, escaped quotes without the ones around them, apostrophes, and the values of connection strings,
 * which have no quotes. Pure. Each token costs its length.
 */
export interface TextToken {
  /** beside those of words: `rest` is what came out of quotes that were taken the wrong way round, beside a name */
  readonly kind: "word" | "string" | "number" | "sign" | "rest";
  readonly start: number;
  readonly end: number;
  /** the same without quotes */
  readonly from: number;
  readonly to: number;
  /** around a string; `$` for those of dollars */
  readonly quote: string;
  readonly escapes: Escapes;
  /** nothing stands before it, neither a blank nor a comment */
  readonly isAttached: boolean;
  readonly isOnNewLine: boolean;
}

export interface Place {
  readonly start: number;
  readonly end: number;
}

export interface TextTokens {
  readonly tokens: readonly TextToken[];
  /** what stands in them */
  readonly comments: readonly Place[];
  /** beginnings of comments that may be a password of a connection string */
  readonly words: readonly Place[];
  /** units that were looked at */
  readonly steps: number;
}

type Read = Pick<TextToken, "kind" | "start" | "end" | "from" | "to" | "quote" | "escapes">;

/** More than SQL takes for one. */
const BLANK = /\s+/y;
/** Between a name and its value. */
const SIGN = /(?:\*\*)?:(?![:=])(?:\*\*(?=\s))?|:=|=>|={1,3}/y;
/** Quotes of what a name stands in, which are escaped or written twice for others around it that are not seen. */
const CLOSERS = /(?:""|''|\\{1,15}["']|\*\*){1,4}(?=\s{0,9}[:=,])/y;
/** Up to a blank, or quotes that end what it stands in. */
const WORD = /(?:\\[^]|[^\s'"\\]|(?<!\()['"]+(?![\s'",;:|)\]}]|$))+/y;
const SLASHES = /\\+/y;
/** A quote right behind a word of prose: an apostrophe, an inch, or one that closes what did not seem open. */
const BEHIND_WORD = /'(?:t|s|re|ve|ll|d|m)(?![\w'])|['"](?=[\s,;:)\]}.?!]|$)/iy;
/** Words of SQL that may have a literal right behind them, which may begin with a blank. */
const BEFORE_LITERAL =
  /^(?:select|values|like|ilike|and|or|not|when|then|else|in|as|notice|warning|exception|execute|return|default|by|to|is)$/i;
/** What stands right behind a closing quote in no language. */
const WITHIN = /[\w\\$\u0080-\uffff]/;
/** In a connection string another setting stands before, without a comma. */
const SETTING_BEFORE = /(?:^|\s)\w+\s*=\s*(?:'[^']*'|\S*[^\s,(])\s+$/;
const LOOKED_BACK = 100;
/** What SQL has not behind its literal, which ends further behind then. */
const OTHER_WORD =
  /\s+(?!(?:where|from|and|or|not|then|else|when|end|as|in|is|like|ilike|at|on|limit|offset|order|group|having|union|except|intersect|returning|collate|uescape|valid|using)\b)\w/iy;

export function textTokens(text: string): TextTokens {
  const reader = new Reader(text);
  while (reader.at < text.length) reader.read();
  return reader;
}

/** Where an unquoted value ends that begins at a place. */
export function wordEnd(text: string, start: number): number {
  return start + lengthAt(WORD, text, start);
}

/** Whether a token is a name that a password may stand behind. */
export function isName(text: string, token: TextToken | undefined): boolean {
  if (token === undefined) return false;
  const content = text.slice(token.from, token.to);
  if (token.kind === "word") return isPasswordName(content);
  return token.kind === "string" && endsAsPasswordName(content);
}

class Reader implements TextTokens {
  readonly tokens: TextToken[] = [];
  readonly comments: Place[] = [];
  readonly words: Place[] = [];
  steps = 0;
  at = 0;
  readonly #text: string;
  /** end of the last word that is a value: no quote within it begins a string */
  #wordEnd = 0;
  #isOnNewLine = false;

  constructor(text: string) {
    this.#text = text;
  }

  read(): void {
    const { at } = this;
    const closers = this.#isBehindName() ? lengthAt(CLOSERS, this.#text, at) : 0;
    if (closers > 0) {
      this.#goTo(at + closers);
      return;
    }
    const own = this.#sign() ?? this.#quoted();
    if (own !== undefined) {
      this.#add(own);
      return;
    }
    const blank = lengthAt(BLANK, this.#text, at);
    if (blank > 0) {
      this.#passBlank(at + blank);
      return;
    }
    const token = sqlTokenAt(this.#text, at, this.#continuesEscapes());
    if (token.kind === "comment") this.#passComment(token);
    else this.#add(asRead(this.#text, token));
  }

  #goTo(end: number): void {
    this.steps += end - this.at;
    this.at = end;
  }

  #passBlank(end: number): void {
    if (/[\n\r]/.test(this.#text.slice(this.at, end))) this.#isOnNewLine = true;
    this.#goTo(end);
  }

  #passComment(token: SqlToken): void {
    this.comments.push({ start: token.from, end: token.to });
    const isWord = this.#isValue() && this.tokens.at(-1)?.end === token.start && token.start >= this.#hiddenTo();
    if (isWord) this.#addWord(token.start);
    this.#goTo(token.end);
  }

  #hiddenTo(): number {
    return this.words.at(-1)?.end ?? 0;
  }

  #addWord(start: number): void {
    const end = wordEnd(this.#text, start);
    this.steps += end - start;
    this.words.push({ start, end });
  }

  #add(read: Read): void {
    const isAttached = this.at === (this.tokens.at(-1)?.end ?? 0);
    const token = { ...read, isAttached, isOnNewLine: this.#isOnNewLine };
    const isValue = this.#isValue() || (this.#isBehindName() && token.kind === "string");
    if (this.#isValue() && token.kind !== "string" && this.at >= this.#wordEnd) this.#beginWord();
    this.tokens.push(token);
    this.#isOnNewLine = false;
    this.#goTo(token.end);
    if (token.kind === "string") this.#addRest(token, isValue);
  }

  /** A quote within a word, right behind a letter, is one of its signs. */
  #beginWord(): void {
    const end = wordEnd(this.#text, this.at);
    this.steps += end - this.at;
    this.#wordEnd = end;
  }

  /** Quotes that were taken the wrong way round leave the password outside of them. */
  #addRest({ from, to, end, quote }: TextToken, isValue: boolean): void {
    const text = this.#text;
    if (quote === "$" || end === to || !WITHIN.test(text.charAt(end))) return;
    const content = text.slice(from, to);
    const isBeside = dueBehind(content) !== "nothing" || (quote === '"' && namesPassword(content));
    if (!isValue && !isBeside) return;
    // an empty one may be a quote that is written twice, for others around it
    const closing = to > from ? quote : quote + quote;
    const restEnd = to > from ? closingAt(text, end, { quote, backslashes: true }) : indexOrEnd(text, closing, end);
    const behind = Math.min(text.length, restEnd + closing.length);
    const rest = { ...bare("rest", end, behind), to: restEnd };
    this.tokens.push({ ...rest, isAttached: true, isOnNewLine: false });
    this.#goTo(behind);
  }

  #isBehindName(): boolean {
    return isName(this.#text, this.tokens.at(-1));
  }

  /** A value of a password comes next: a sign stands behind its name. */
  #isValue(): boolean {
    const sign = this.tokens.at(-1);
    return (
      sign?.kind === "sign" && lengthAt(SIGN, this.#text, sign.start) > 0 && isName(this.#text, this.tokens.at(-2))
    );
  }

  #sign(): Read | undefined {
    const { at } = this;
    if (!this.#isBehindName()) return undefined;
    const length = lengthAt(SIGN, this.#text, at);
    return length === 0 ? undefined : bare("sign", at, at + length);
  }

  #quoted(): Read | undefined {
    const { at } = this;
    const text = this.#text;
    const sign = text.charAt(at);
    const isQuote = sign === "'" || sign === '"';
    const isOfWord = sign === "\\" || (isQuote && WITHIN.test(text.charAt(at - 1)));
    if (isOfWord && at < this.#wordEnd) return bare("sign", at, this.#wordEnd);
    if (isQuote && this.#isOfProse()) return bare("sign", at, at + 1);
    if (sign === '"') return stringOf(text, at);
    if (sign === "\\") return escapedString(text, at);
    if (sign === "`") return inBackticks(text, at);
    return sign === "'" ? this.#literal() : undefined;
  }

  #isOfProse(): boolean {
    const last = this.tokens.at(-1);
    if (last?.end !== this.at || (last.kind !== "word" && last.kind !== "number") || this.#isBehindName()) return false;
    if (BEFORE_LITERAL.test(this.#text.slice(last.start, last.end))) return false;
    return lengthAt(BEHIND_WORD, this.#text, this.at) > 0;
  }

  /** Of SQL, where a backslash is a sign like any and no word comes right behind it, or of a program or a connection string. */
  #literal(): Read {
    const text = this.#text;
    const sign = this.#isValue() ? this.tokens.at(-1) : undefined;
    if (sign !== undefined && this.#escapesBehind(sign)) return stringOf(text, this.at);
    const sql = sqlTokenAt(text, this.at, this.#continuesEscapes());
    const isCut = WITHIN.test(text.charAt(sql.end)) || (sign !== undefined && lengthAt(OTHER_WORD, text, sql.end) > 0);
    if (text.charAt(sql.to - 1) !== "\\" || !isCut) return asRead(text, sql);
    const own = stringOf(text, this.at);
    return own.end > sql.end ? own : asRead(text, sql);
  }

  #escapesBehind(sign: TextToken): boolean {
    const written = this.#text.slice(sign.start, sign.end);
    const start = this.tokens.at(-2)?.start ?? 0;
    const isSetting = SETTING_BEFORE.test(this.#text.slice(Math.max(0, start - LOOKED_BACK), start));
    return written === "=" ? isSetting : written !== ":=" && written !== "=>";
  }

  /** SQL lets a literal go on in another line. */
  #continuesEscapes(): boolean {
    const last = this.tokens.at(-1);
    return this.#isOnNewLine && last?.kind === "string" && last.quote === "'" && last.escapes === "backslashes";
  }
}

function bare(kind: TextToken["kind"], start: number, end: number): Read {
  return { kind, start, end, from: start, to: end, quote: "", escapes: "none" };
}

const KINDS: Readonly<Partial<Record<SqlToken["kind"], TextToken["kind"]>>> = {
  word: "word",
  identifier: "string",
  literal: "string",
  number: "number",
};

function asRead(text: string, { kind, start, end, from, to, escapes }: SqlToken): Read {
  const isString = kind === "identifier" || kind === "literal";
  const opening = escapes === "none" ? "$" : text.charAt(from - 1);
  return { kind: KINDS[kind] ?? "sign", start, end, from, to, quote: isString ? opening : "", escapes };
}

function stringOf(text: string, start: number): Read {
  const quote = text.charAt(start);
  const to = closingAt(text, start + 1, { quote, backslashes: true });
  const end = Math.min(to + 1, text.length);
  return { kind: "string", start, end, from: start + 1, to, quote, escapes: "backslashes" };
}

/** On one line: otherwise it is an accent. */
function inBackticks(text: string, start: number): Read | undefined {
  const to = text.indexOf("`", start + 1);
  if (to === -1 || text.slice(start, to).includes("\n")) return undefined;
  return { kind: "string", start, end: to + 1, from: start + 1, to, quote: "`", escapes: "none" };
}

/**
 * A string within others that have its quotes escaped, and are not seen: of those are so many backslashes. Where a quote with fewer comes first it
 * is none, for that would end the other.
 */
function escapedString(text: string, start: number): Read {
  const slashes = lengthAt(SLASHES, text, start);
  const from = start + slashes + 1;
  if (!/^["']$/.test(text.charAt(from - 1))) return bare("sign", start, from - 1);
  if ((slashes & (slashes + 1)) !== 0) return bare("sign", start, from); // each string around doubles them, and adds one
  const quote = text.charAt(from - 1);
  const string = { kind: "string", start, from, quote, escapes: "none" } as const;
  for (let at = text.indexOf(quote, from); at !== -1; at = text.indexOf(quote, at + 1)) {
    let before = 0;
    while (at - before > from && text.charAt(at - before - 1) === "\\") before += 1;
    if (before < slashes) return bare("sign", start, from);
    if (endsString(before, slashes)) return { ...string, end: at + 1, to: at - slashes };
  }
  return { ...string, end: text.length, to: text.length };
}

function indexOrEnd(text: string, sought: string, from: number): number {
  const index = text.indexOf(sought, from);
  return index === -1 ? text.length : index;
}

/** Each string around has had its half of the backslashes: an even number is left before a quote that is not escaped, in it or in one of those. */
function endsString(before: number, slashes: number): boolean {
  let left = before;
  for (let around = slashes; around > 0 && left % 2 === 1; around = Math.floor((around - 1) / 2)) left = (left - 1) / 2;
  return left % 2 === 0;
}
