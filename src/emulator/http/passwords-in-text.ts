/** Passwords in a text by what stands before them: of roles in SQL, of users in connection strings, in JSON. Pure, in time linear in the text. */

const NAME = /(?:password|passwd|passphrase|pwd)(?:_hash|_digest)?|(?<=_)pass(?![a-z])/gi;
const SIGN = /:=|=>|={1,3}|[:,]|(?<=\s)to(?=[\s'$\\])/iy;
/** What the quotes around a name end with, which may be escaped. */
const ATTACHED = /(?:\\*"|\\*'|`)+/y;
const OPENING = /(?:(?:u&|[enbx])(?=\\*'))?(\\*)(["'])/iy;
const DOLLARS = /\$(?:[a-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/iy;
/** Up to a blank, or quotes that end what it stands in. */
const WORD = /(?:\\[^]|[^\s'"\\]|(?<!\()['"]+(?![\s'",;:|)\]}]|$))+/y;
const JSON_NUMBER = /-?\d[\w.+-]*(?=[\s,\]}\\"']|$)/y;
const CALLED = /[\w.]+(?=\s*\()/y;
const SPACE = /\s/;

/** A place in a text that is replaced. */
interface Hidden {
  readonly start: number;
  readonly end: number;
}

/** A text without them; of literals the quotes stay. A text that was cut may have lost those that end one. @param censor stands in their place */
export function withoutPasswords(text: string, censor: string): string {
  if (text.search(NAME) === -1) return text;
  const reading = readingOf(text);
  let shown = "";
  let done = 0;
  for (const { index, 0: name } of text.matchAll(NAME)) {
    for (const { start, end } of valueAfter(reading, index + name.length, done)) {
      if (end <= Math.max(start, done)) continue;
      if (start >= done) shown += text.slice(done, start) + censor;
      done = end;
    }
  }
  return shown + text.slice(done);
}

/** A text with what is asked of it again and again, so that no part of it is walked for each name. */
interface Reading {
  readonly text: string;
  /** where blanks and comments end that begin at a place, which is not past it where none do */
  readonly afterBlanks: (at: number) => number;
  /** the quotes by which literals are open at a place, as bits: one for a literal, two for one within it; asked in the order of the text */
  readonly openQuotes: (at: number) => number;
}

function readingOf(text: string): Reading {
  const ends = blankEnds(text);
  const runs = text.matchAll(/'+/g);
  let [run, open] = [runs.next(), 0];
  const openQuotes = (at: number): number => {
    for (; run.done !== true && run.value.index < at; run = runs.next()) {
      const { length } = run.value[0];
      if (open % 2 === 1 || length % 2 === 1) open ^= length;
      if (open % 2 === 0) open = 0;
    }
    return open;
  };
  return { text, afterBlanks: (at) => ends[at] ?? text.length, openQuotes };
}

/** From the end on, so that what comes after a comment is known already. Comments of SQL may be within each other. */
function blankEnds(text: string): Int32Array {
  const comments = new Map<number, number>();
  const begun: number[] = [];
  for (const { 0: sign, index } of text.matchAll(/\/\*|\*\//g)) {
    const start = sign === "/*" ? begun.push(index) && undefined : begun.pop();
    if (start !== undefined) comments.set(start, index + sign.length);
  }
  const ends = new Int32Array(text.length + 1).fill(text.length);
  let line = text.length;
  for (let at = text.length - 1; at >= 0; at -= 1) {
    if (text.charAt(at) === "\n") line = at;
    let next = at;
    if (SPACE.test(text.charAt(at))) next = at + 1;
    else if (text.startsWith("--", at)) next = line;
    else if (text.startsWith("/*", at)) next = comments.get(at) ?? text.length;
    ends[at] = next === at ? at : (ends[next] ?? text.length);
  }
  return ends;
}

/**
 * What is to be hidden behind a name, which may be in quotes; between the two are blanks and comments, and at most one sign. Quotes that close
 * right behind a name end what it stands in, an identifier or a literal of several words: without a sign nothing of it is a password.
 */
function valueAfter(reading: Reading, from: number, hiddenTo: number): readonly Hidden[] {
  const { text, afterBlanks } = reading;
  const named = from + closingLength(reading, from);
  const signAt = afterBlanks(named);
  const sign = text.slice(signAt, signAt + lengthOf(SIGN, text, signAt));
  const isQuoted = named > from;
  if (isQuoted && (sign === "" || (sign === "," && !isArgument(text, from)))) return [];
  const at = afterBlanks(signAt + sign.length);
  // Of identifiers are lists, and one that is given another name.
  const isNoName = sign === "," || /^to$/i.test(sign);
  const literal = literalAt(reading, at, { mayEscape: sign === "=", isNoName });
  if (literal.length > 0) return literal;
  if (at < hiddenTo) return []; // the word in which it stands is
  const number = isQuoted && sign === ":" ? lengthOf(JSON_NUMBER, text, at) : 0;
  if (number > 0) return [{ start: at, end: at + number }];
  // Prose and YAML have a blank behind a colon, URLs none.
  return sign.includes("=") || (sign === ":" && at > signAt + 1) ? wordAt(reading, at) : [];
}

/** A word, and where that is a function its first argument. */
function wordAt(reading: Reading, start: number): readonly Hidden[] {
  const end = start + lengthOf(WORD, reading.text, start);
  const argument = firstArgument(reading, end);
  const inCall = argument === undefined ? [] : literalAt(reading, argument, { mayEscape: false, isNoName: false });
  return [{ start, end }, ...inCall];
}

/** How long the quotes are that close right behind a name; one that opens a literal there is none of them. */
function closingLength({ text, openQuotes }: Reading, at: number): number {
  const open = openQuotes(at);
  const length = lengthOf(/'+/y, text, at);
  if (length > 0 && (open & length & -length) === 0) return 0;
  return lengthOf(ATTACHED, text, at);
}

/** Whether a name is all of a literal, as in the arguments of a function. */
function isArgument(text: string, nameEnd: number): boolean {
  let start = nameEnd;
  while (/\w/.test(text.charAt(start - 1))) start -= 1;
  return text.charAt(start - 1) === "'" && /^\\*'/.test(text.slice(nameEnd, nameEnd + 8));
}

/** Where the first argument of a call is whose name, or whose bracket, ends at a place; of calls within calls that of the innermost. */
function firstArgument({ text, afterBlanks }: Reading, from: number): number | undefined {
  let isWithin = text.charAt(from - 1) === "(";
  for (let at = afterBlanks(from); ;) {
    const isOpening = text.charAt(at) === "(";
    isWithin ||= isOpening;
    const length = isOpening ? 1 : lengthOf(CALLED, text, at);
    if (!isWithin) return undefined;
    if (length === 0) return at;
    at = afterBlanks(at + length);
  }
}

interface LiteralKind {
  /** a backslash may stand before a quote, as in connection strings: in SQL such a literal has an `e` before it */
  readonly mayEscape: boolean;
  /** what is in double quotes is the name of something here */
  readonly isNoName: boolean;
}

function literalAt(reading: Reading, at: number, { mayEscape, isNoName }: LiteralKind): readonly Hidden[] {
  const { text } = reading;
  const dollars = lengthOf(DOLLARS, text, at);
  const inside = at + dollars;
  if (dollars > 0) return [{ start: inside, end: indexOrEnd(text, text.slice(at, inside), inside) }];
  OPENING.lastIndex = at;
  const [opening = "", slashes = "", quote = ""] = OPENING.exec(text) ?? [];
  if (quote === "" || (quote === '"' && isNoName)) return [];
  const start = at + opening.length;
  if (quote === "'" && slashes === "") return quoted(reading, start - 1, mayEscape || /^e/i.test(opening));
  return [{ start, end: escapedClosing(text, start, { quote, slashes: slashes.length }) }];
}

/** A literal within others has each of its quotes twice for each of them: the lowest bit of how many there are tells how deep it is. */
function quoted({ text, afterBlanks }: Reading, at: number, escapes: boolean): readonly Hidden[] {
  const run = lengthOf(/'+/y, text, at);
  const unit = run & -run;
  if (unit > 1 && /^[\s;,)]?$/.test(text.charAt(at + run))) return [{ start: at, end: at }]; // an empty one
  const hidden: Hidden[] = [];
  for (let start = at + unit; ;) {
    const end = closing(text, start, { escapes, unit });
    hidden.push({ start, end });
    const next = afterBlanks(end + unit);
    // SQL lets a literal go on in another line.
    if (text.charAt(next) !== "'" || !text.slice(end, next).includes("\n")) return hidden;
    start = next + unit;
  }
}

/** Where the quotes stand that end a literal, or where the text ends. */
function closing(
  text: string,
  from: number,
  { escapes, unit }: { readonly escapes: boolean; readonly unit: number },
): number {
  for (let at = from; at < text.length;) {
    const start = at;
    while (text.charAt(at) === "'") at += 1;
    const length = at - start;
    if ((length & unit) !== 0) return start + length - (length % (2 * unit));
    if (length === 0) at += escapes && text.charAt(at) === "\\" ? 2 : 1;
  }
  return text.length;
}

/** The same where quotes within are escaped, and where the literal is in others that have its own quotes escaped: of those are so many backslashes. */
function escapedClosing(
  text: string,
  from: number,
  { quote, slashes }: { readonly quote: string; readonly slashes: number },
): number {
  for (let at = text.indexOf(quote, from); at !== -1; at = text.indexOf(quote, at + 1)) {
    let before = 0;
    while (at - before > from && text.charAt(at - before - 1) === "\\") before += 1;
    if (slashes === 0 && before === 0 && text.charAt(at + 1) === quote) at += 1;
    else if (endsLiteral(before, slashes)) return at - Math.min(before, slashes);
  }
  return text.length;
}

/** Each literal around has had its half of the backslashes: an even number is left before a quote that is not escaped, in it or in one of those. */
function endsLiteral(before: number, slashes: number): boolean {
  let left = before;
  for (let around = slashes; around > 0 && left % 2 === 1; around = Math.floor((around - 1) / 2)) left = (left - 1) / 2;
  return left % 2 === 0;
}

function indexOrEnd(text: string, sought: string, from: number): number {
  const index = text.indexOf(sought, from);
  return index === -1 ? text.length : index;
}

function lengthOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}
