import { Brackets, type HiddenWithin } from "./brackets.ts";
import { continues, fieldBehind, valuesBefore } from "./field-values.ts";
import { dueBehind, hasPasswordPlaceholder, isOneWord } from "./names.ts";
import { isName, type Place, type TextToken, type TextTokens } from "./text-tokens.ts";
import { numberAt, valuesAt, wordAt, wordBehindColon } from "./unquoted-values.ts";
import { isTypeName, signBehind, type ValueSign } from "./value-signs.ts";
import { Words } from "./words.ts";

export interface PasswordValues {
  readonly places: readonly Place[];
  /** strings of which nothing is known yet: they may hold a text with passwords of its own */
  readonly others: readonly TextToken[];
  /** units that were looked at */
  readonly steps: number;
}

/** Where the tokens of a text have passwords, told by names before them. Pure; few tokens are looked at around each. */
export function passwordValues(text: string, read: TextTokens): PasswordValues {
  const walk = new Walk(text, read);
  walk.all();
  return walk;
}

/** What may be a password at a place, beside a literal. */
interface Expected {
  /** a word, as in connection strings */
  readonly words: boolean;
  /** what is in double quotes, where no list and no other name comes */
  readonly names: boolean;
  readonly numbers: boolean;
}

const LITERAL: Expected = { words: false, names: false, numbers: false };
const ARGUMENT: Expected = { words: false, names: false, numbers: true };
const TERM: Expected = { words: false, names: true, numbers: false };
const ANY: Expected = { words: true, names: true, numbers: true };
/** Behind them an identifier with a list of columns is none that is called. */
const DEFINING = new Set(["into", "table", "on", "index", "references", "update", "using", "key", "unique", "view"]);
const LISTS = new Set(["in", "enum"]);
/** What goes on with a text in which a password stood, and is none of it. */
const GOES_ON = /^[\s'"\\]/;
const LOOKED_BACK = 40;

class Walk implements PasswordValues {
  readonly places: Place[];
  readonly others: TextToken[] = [];
  steps = 0;
  readonly #text: string;
  readonly #tokens: readonly TextToken[];
  readonly #words: Words;
  readonly #brackets = new Brackets();
  /** tokens that are passwords */
  readonly #values = new Set<number>();
  /** tokens that open a bracket, or a case, with passwords in it */
  readonly #openings = new Map<number, HiddenWithin>();
  /** which columns of the rows that come are passwords */
  #columns: ReadonlySet<number> = new Set();
  /** where the last bracket closes that has names of passwords in it */
  #namesEnd = -1;
  /** end of the last word that is hidden */
  #wordsTo = 0;
  /** the last value is an operand of a text, not of a password */
  #isOfText = false;

  constructor(text: string, { tokens, words }: TextTokens) {
    this.#text = text;
    this.#tokens = tokens;
    this.#words = new Words(text, tokens);
    this.places = [...words];
  }

  all(): void {
    for (const [index, token] of this.#tokens.entries()) this.#visit(index, token);
  }

  #visit(index: number, token: TextToken): void {
    const isValue = this.#values.has(index);
    if (token.kind === "rest") this.#hide(token);
    else if (token.kind === "sign") this.#sign(index);
    else if (token.kind === "word") this.#word(index);
    else if (token.kind === "number") {
      if (isValue || this.#brackets.innermost.isHidden) this.#hide(token);
    } else if (isValue || (this.#brackets.innermost.isHidden && this.#words.at(index + 1) !== ":")) {
      this.#hide(token);
      if (isValue) this.#continued(index + 1);
      return;
    } else this.#string(index, token);
    if (isName(this.#text, token)) this.#name(index, token);
  }

  #hide({ from, to }: TextToken): void {
    this.places.push({ start: from, end: to });
  }

  #sign(index: number): void {
    const sign = this.#words.at(index);
    if (sign === ";") {
      this.#brackets.closeAll();
      this.#columns = new Set();
    } else if (sign === ",") {
      this.#brackets.separate();
      this.#item(index + 1);
    } else if (sign === "(" || sign === "[" || sign === "{") this.#open(index, sign);
    else this.#close(index, sign);
  }

  #open(index: number, opening: string): void {
    const before = this.#words.at(index - 1);
    if (opening === "(" && before === "=" && index - 2 === this.#namesEnd) this.#valuesOfNames(index);
    const isNextRow = before === "," && this.#words.at(index - 2) === ")";
    this.#brackets.open(opening, {
      hides: this.#openings.get(index),
      isList: LISTS.has(before),
      ofColumns: opening === "(" && this.#isInto(index - 1),
    });
    if (before !== "values" && !isNextRow) return;
    this.#brackets.innermost.rowOf = this.#columns;
    this.#item(index + 1);
  }

  #close(index: number, closing: string): void {
    const closed = this.#brackets.close(closing);
    if (closed?.isNamed === true) this.#namesEnd = index;
    if (closed?.columns !== undefined) this.#columns = new Set(closed.columns);
    if (closed?.hides !== undefined) this.#continued(index + 1);
  }

  /** Of `(a, password) = ('…', '…')`, and of `Key (password)=(…) already exists.`, as errors tell it without quotes. */
  #valuesOfNames(bracket: number): void {
    this.#openings.set(bracket, "all");
    const [sign, token] = [this.#tokens[bracket - 1], this.#tokens[bracket]];
    if (token === undefined || sign?.isAttached !== true || !token.isAttached) return;
    this.#unquoted(token, () => valuesAt(this.#text, token));
  }

  /** An item begins, which may be a password of a row. */
  #item(index: number): void {
    const { rowOf, item } = this.#brackets.innermost;
    if (rowOf?.has(item) === true) this.#operand(index, ARGUMENT);
  }

  /** Whether a table's name ends here, into which rows are inserted. */
  #isInto(index: number): boolean {
    return this.#words.at(this.#words.chainStart(index) - 1) === "into";
  }

  #word(index: number): void {
    const word = this.#words.at(index);
    if (word === "case" && this.#openings.has(index)) {
      this.#brackets.open(word, { hides: this.#openings.get(index), isList: false, ofColumns: false });
    } else if (word === "end") this.#close(index, word);
    else if (word === "select" && this.#columns.size > 0) {
      const { innermost } = this.#brackets;
      [innermost.rowOf, innermost.item, this.#columns] = [this.#columns, 0, new Set()];
      this.#item(index + 1);
    } else if (word === "from") this.#brackets.innermost.rowOf = undefined;
    else if (word === "crypt" && this.#words.at(index + 1) === "(") this.#openings.set(index + 1, "first");
  }

  #string(index: number, token: TextToken): void {
    this.others.push(token);
    const content = this.#text.slice(token.from, token.to);
    this.steps += content.length;
    const isOfPrograms = token.quote === '"' || token.quote === "`";
    const next = this.#words.at(index + 1);
    const due = dueBehind(content);
    const isAdded = next === "||" || next === "+";
    const isArgument = next === "," && !isOfPrograms;
    if ((isAdded && due !== "nothing") || (isArgument && due === "password")) {
      this.#isOfText = true;
      this.#operand(index + 2, ARGUMENT);
    }
    const { innermost } = this.#brackets;
    const takesArguments = next === "using" || (next === "," && /^\(?$/.test(innermost.opening));
    if (takesArguments && hasPasswordPlaceholder(content)) innermost.isHidden = true;
  }

  /** A string goes on in another line, or behind an operator. */
  #continued(index: number): void {
    if (continues(this.#tokens, index)) this.#values.add(index);
    const next = this.#words.at(index) === "::" ? index + 2 : index;
    const sign = this.#words.at(next);
    if (sign !== "||" && sign !== "+") return;
    const operand = this.#tokens[next + 1];
    const goesOn = this.#isOfText && operand?.kind === "string" && GOES_ON.test(this.#text.charAt(operand.from));
    if (!goesOn) this.#operand(next + 1, ARGUMENT);
  }

  #name(index: number, token: TextToken): void {
    const { innermost } = this.#brackets;
    innermost.isNamed = true;
    innermost.columns?.push(innermost.item);
    this.#isOfText = false;
    for (const value of valuesBefore(this.#words, this.#tokens, index)) this.#hide(value);
    const field = fieldBehind(this.#words, index);
    if (field !== undefined) this.#behindColon(field, field + 2);
    this.#element(token);
    const next = this.#tokens[index + 1];
    if (next?.kind === "string") {
      if (token.kind === "word" || (token.quote !== "'" && /['$]/.test(next.quote))) this.#operand(index + 1, ANY);
      return;
    }
    const sign = signBehind(this.#words, index);
    if (sign !== undefined) this.#behindSign(index, token, sign);
  }

  #behindSign(index: number, token: TextToken, { kind, index: sign }: ValueSign): void {
    const value = sign + 1;
    if (kind === "assignment") this.#operand(value, sign === index + 1 ? ANY : TERM);
    else if (kind === "comparison") this.#operand(value, LITERAL);
    else if (kind === "colon") this.#behindColon(index, value);
    else if (kind === "comma") this.#behindComma(index, token);
    else if (kind === "to") this.#operand(value, { ...ARGUMENT, words: this.#isSet(index, value) });
    else this.#call(index, sign);
  }

  /** Of XML. */
  #element(name: TextToken): void {
    const isOpened = /<(?:\w+:)?$/.test(this.#text.slice(Math.max(0, name.start - LOOKED_BACK), name.start));
    if (!isOpened || this.#text.charAt(name.end) !== ">" || name.end < this.#wordsTo) return;
    const start = name.end + 1;
    const closing = this.#text.indexOf("<", start);
    this.#unquoted({ ...name, start }, () => ({ start, end: closing === -1 ? this.#text.length : closing }));
  }

  /** Whether a setting is set to a word. */
  #isSet(index: number, value: number): boolean {
    const before = this.#words.at(this.#words.chainStart(index) - 1);
    const isCall = this.#words.at(this.#words.chainEnd(value)) === "(";
    return !isCall && (before === "set" || before === "session" || before === "local");
  }

  #call(index: number, bracket: number): void {
    if (this.#tokens[index]?.quote === "'") return;
    if (!DEFINING.has(this.#words.at(this.#words.chainStart(index) - 1))) this.#openings.set(bracket, "all");
  }

  /** An argument, or the second of a pair in an array of such. */
  #behindComma(index: number, token: TextToken): void {
    if (token.kind !== "string" || !isOneWord(this.#text.slice(token.from, token.to))) return;
    const { innermost, around } = this.#brackets;
    const end = this.#words.at(index + 3);
    const isPair = innermost.opening === "[" && innermost.item === 0 && around?.opening === "[";
    if (/['$]/.test(token.quote) ? !innermost.isList : isPair && (end === "]" || end === "")) {
      this.#operand(index + 2, { ...ARGUMENT, names: isPair });
    }
  }

  #behindColon(index: number, at: number): void {
    const [name, value] = [this.#tokens[index], this.#tokens[at]];
    if (name === undefined || value === undefined || this.#isOfUrl(index)) return;
    if (value.kind === "string") {
      this.#values.add(at);
      return;
    }
    const opening = this.#words.at(at);
    const isOpening = opening === "[" || opening === "{";
    if (isOpening) this.#openings.set(at, "all");
    const isOfJson = name.kind === "string";
    if (isOfJson && isOpening) return;
    const number = isOfJson ? numberAt(this.#text, value) : undefined;
    if (number === undefined) this.#unquoted(value, () => wordBehindColon(this.#text, name, value));
    else this.places.push(number);
  }

  /** The user of a URL, with its password behind a colon, which others look for. */
  #isOfUrl(index: number): boolean {
    return this.#tokens[index]?.isAttached === true && this.#words.at(index - 1).endsWith("//");
  }

  /** What begins in another that is hidden is not walked again. */
  #unquoted(value: TextToken, find: () => Place | undefined): void {
    const place = value.start < this.#wordsTo ? undefined : find();
    if (place === undefined) return;
    this.places.push(place);
    this.steps += place.end - place.start;
    this.#wordsTo = place.end;
  }

  /** One that a value consists of, of those with operators between them. */
  #operand(index: number, expected: Expected): void {
    const token = this.#tokens[index];
    if (token === undefined) return;
    const end = this.#words.chainEnd(index);
    const isCall = end > index && this.#words.at(end) === "(";
    if (isCall) this.#openings.set(end, this.#words.contentAt(end - 1) === "crypt" ? "first" : "all");
    if (token.kind === "string") {
      const isIdentifier = token.quote === '"' && (isCall || end > index + 1);
      if (!isIdentifier && (expected.names || /['$]/.test(token.quote))) this.#values.add(index);
      return;
    }
    if (expected.words) this.#unquoted(token, () => wordAt(this.#text, token));
    if (token.kind === "number" && expected.numbers) this.#values.add(index);
    this.#term(index);
  }

  /** What holds a literal behind it, or up to where it closes. */
  #term(index: number): void {
    const word = this.#words.at(index);
    if (/^(?:[([{]|case)$/.test(word)) this.#openings.set(index, "all");
    if (word !== "array" && word !== "+" && word !== "-" && !isTypeName(word)) return;
    if (this.#words.isString(index + 1)) this.#values.add(index + 1);
    else if (this.#words.at(index + 1) === "[") this.#openings.set(index + 1, "all");
  }
}
