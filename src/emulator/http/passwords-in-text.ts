/** Passwords in a text by what stands before them: of roles in SQL, of users in connection strings, in JSON. Pure. */

const NAME = /password|passwd|passphrase|pwd/gi;
const SIGN = /:=|=>|[:=,]/y;
const PREFIX = /(?:u&|[enbx])?(?=')/iy;
const DOLLARS = /\$(?:[a-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/iy;
/** Up to a blank, or quotes that end what it stands in. */
const WORD = /(?:\\[^]|[^\s'"\\]|(?<!\()['"]+(?![\s'",;:|)\]}]|$))+/y;
const SPACE = /\s/;

/** A place in a text that is replaced. */
interface Hidden {
  readonly start: number;
  readonly end: number;
}

/** A text without them; of literals the quotes stay. A text that was cut may have lost those that end one. @param censor stands in their place */
export function withoutPasswords(text: string, censor: string): string {
  let shown = "";
  let done = 0;
  for (const { index, 0: name } of text.matchAll(NAME)) {
    for (const { start, end } of valueAfter(text, index + name.length)) {
      if (end <= Math.max(start, done)) continue;
      if (start >= done) shown += text.slice(done, start) + censor;
      done = end;
    }
  }
  return shown + text.slice(done);
}

/** What is to be hidden behind a name, which may be in quotes; between the two are blanks and comments, and at most one sign. */
function valueAfter(text: string, from: number): readonly Hidden[] {
  const isQuoted = /["'`]/.test(text.charAt(from)) && lengthOf(SIGN, text, afterBlanks(text, from + 1)) > 0;
  const signAt = afterBlanks(text, isQuoted ? from + 1 : from);
  const sign = text.slice(signAt, signAt + lengthOf(SIGN, text, signAt));
  const at = afterBlanks(text, signAt + sign.length);
  const literal = literalAt(text, at, sign === "=");
  if (literal.length > 0) return literal;
  // Prose and YAML have a blank behind a colon, URLs none.
  const isWord = sign.includes("=") || (sign === ":" && at > signAt + 1);
  const end = isWord ? at + lengthOf(WORD, text, at) : at;
  return [{ start: at, end }, ...(text.charAt(end - 1) === "(" ? literalAt(text, end, false) : [])];
}

/** Comments of SQL may be within each other. */
function afterBlanks(text: string, from: number): number {
  let at = from;
  for (let depth = 0; at < text.length;) {
    const two = text.slice(at, at + 2);
    if (two === "/*" || (two === "*/" && depth > 0)) {
      depth += two === "/*" ? 1 : -1;
      at += 2;
    } else if (depth > 0 || SPACE.test(text.charAt(at))) at += 1;
    else if (two === "--") at = indexOrEnd(text, "\n", at);
    else return at;
  }
  return at;
}

/** @param mayEscape a backslash may stand before a quote, as in connection strings: in SQL such a literal has an `e` before it */
function literalAt(text: string, at: number, mayEscape: boolean): readonly Hidden[] {
  const dollars = lengthOf(DOLLARS, text, at);
  const start = at + dollars;
  if (dollars > 0) return [{ start, end: indexOrEnd(text, text.slice(at, start), start) }];
  if (text.charAt(at) === '"') return [{ start: at + 1, end: closing(text, at + 1, { quote: '"', escapes: true }) }];
  const quote = at + lengthOf(PREFIX, text, at);
  return text.charAt(quote) === "'" ? quoted(text, quote, mayEscape || /e/i.test(text.slice(at, quote))) : [];
}

/** A literal within others has each of its quotes twice for each of them: the lowest bit of how many there are tells how deep it is. */
function quoted(text: string, at: number, escapes: boolean): readonly Hidden[] {
  const run = lengthOf(/'+/y, text, at);
  const unit = run & -run;
  if (unit > 1 && /^[\s;,)]?$/.test(text.charAt(at + run))) return [{ start: at, end: at }]; // an empty one
  const hidden: Hidden[] = [];
  for (let start = at + unit; ;) {
    const end = closing(text, start, { quote: "'", escapes, unit });
    hidden.push({ start, end });
    const next = afterBlanks(text, end + unit);
    // SQL lets a literal go on in another line.
    if (text.charAt(next) !== "'" || !text.slice(end, next).includes("\n")) return hidden;
    start = next + unit;
  }
}

/** Where the quotes stand that end a literal, or where the text ends. */
function closing(
  text: string,
  from: number,
  { quote, escapes, unit = 1 }: { readonly quote: string; readonly escapes: boolean; readonly unit?: number },
): number {
  for (let at = from; at < text.length;) {
    const start = at;
    while (text.charAt(at) === quote) at += 1;
    const length = at - start;
    if ((length & unit) !== 0) return start + length - (length % (2 * unit));
    if (length === 0) at += escapes && text.charAt(at) === "\\" ? 2 : 1;
  }
  return text.length;
}

function indexOrEnd(text: string, sought: string, from: number): number {
  const index = text.indexOf(sought, from);
  return index === -1 ? text.length : index;
}

function lengthOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}
