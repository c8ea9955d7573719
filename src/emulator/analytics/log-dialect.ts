/**
 * The column-store dialect in which log queries are written, as PostgreSQL reads it. Only what PostgreSQL's grammar refuses is rewritten
 * here, token by token; functions that the dialect has and PostgreSQL has not are defined in the database (log-database.ts). What is
 * neither is left as it is, and the database says what it does not understand.
 *
 * | written | read as |
 * |---|---|
 * | `` `name` ``, `` `a.b` `` | "name", "a"."b" |
 * | log_attributes['request.method'] | (log_attributes ->> 'request.method') |
 * | cast(x as datetime), also string, int64, float64, bytes | cast(x as timestamp), text, bigint, double precision, bytea |
 * | interval 5 minute | interval '5 minute' |
 * | timestamp_trunc(x, minute), datetime_trunc | timestamp_trunc(x, 'minute') |
 * | timestamp('2026-01-01'), timestamp(x) | log_stream.as_timestamp(…) |
 * | current_timestamp(), current_datetime() | now(), current_datetime() |
 * | a == b | a = b |
 * | # comment | -- comment |
 *
 * "GET" stays a name, as PostgreSQL and one of the column stores have it: that it is a text in another one cannot be seen.
 */
export function asPostgres(sql: string): string {
  const tokens = tokensOf(sql);
  const written: string[] = [];
  const open: FunctionCall[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token === undefined) break;
    if (token.text === "(") open.push({ name: nameBefore(tokens, at) });
    else if (token.text === ")") open.pop();
    const rewritten = rewrite(tokens, at, open.at(-1)?.name ?? "", written);
    written.push(rewritten.text);
    at += rewritten.skipped;
  }
  return written.join("");
}

interface FunctionCall {
  /** what stands before the parenthesis, lower case */
  readonly name: string;
}

interface DialectToken {
  readonly kind: "blank" | "comment" | "word" | "string" | "name" | "number" | "sign";
  readonly text: string;
}

interface Rewritten {
  readonly text: string;
  /** how many tokens after this one are written already */
  readonly skipped: number;
}

/** Sticky: each matches where it is told to begin, or not at all. In the order in which they are tried. */
const PATTERNS: readonly (readonly [DialectToken["kind"], RegExp])[] = [
  ["blank", /\s+/y],
  ["comment", /--[^\n]*|#[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y],
  ["string", /'(?:[^'\\]|\\[\s\S]|'')*(?:'|$)/y],
  ["name", /`[^`]*(?:`|$)|"(?:[^"]|"")*(?:"|$)/y],
  ["word", /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y],
  ["number", /\d+(?:\.\d+)?(?:e[+-]?\d+)?/iy],
  ["sign", /==|[\s\S]/y],
];

function tokensOf(sql: string): readonly DialectToken[] {
  const tokens: DialectToken[] = [];
  for (let at = 0; at < sql.length;) {
    const token = tokenAt(sql, at);
    tokens.push(token);
    at += token.text.length;
  }
  return tokens;
}

function tokenAt(sql: string, at: number): DialectToken {
  for (const [kind, pattern] of PATTERNS) {
    pattern.lastIndex = at;
    const text = pattern.exec(sql)?.[0] ?? "";
    if (text !== "") return { kind, text };
  }
  return { kind: "sign", text: sql.charAt(at) };
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ["datetime", "timestamp"],
  ["string", "text"],
  ["int64", "bigint"],
  ["float64", "double precision"],
  ["bytes", "bytea"],
]);
const UNITS = new Set([
  "microsecond",
  "millisecond",
  "second",
  "minute",
  "hour",
  "day",
  "week",
  "month",
  "quarter",
  "year",
]);

/** One token as PostgreSQL reads it; `written` is what stands before it. */
function rewrite(tokens: readonly DialectToken[], at: number, call: string, written: string[]): Rewritten {
  const token = tokens[at];
  if (token === undefined) return { text: "", skipped: 0 };
  if (token.kind === "name" && token.text.startsWith("`")) return { text: quoted(token.text), skipped: 0 };
  if (token.kind === "comment" && token.text.startsWith("#")) return { text: `--${token.text.slice(1)}`, skipped: 0 };
  if (token.kind === "string") return { text: stringLiteral(token.text), skipped: 0 };
  if (token.text === "==") return { text: "=", skipped: 0 };
  if (token.text === "[") return subscript(tokens, at, written);
  return token.kind === "word" ? word(tokens, at, call) : { text: token.text, skipped: 0 };
}

function word(tokens: readonly DialectToken[], at: number, call: string): Rewritten {
  const text = tokens[at]?.text ?? "";
  const lower = text.toLowerCase();
  if (lower === "interval") return interval(tokens, at);
  const next = following(tokens, at);
  if (next?.token.text === "(") return { text: functionName(text, following(tokens, next.at)?.token), skipped: 0 };
  const type = call.endsWith("cast") && nameBefore(tokens, at) === "as" ? TYPES.get(lower) : undefined;
  const isUnit = call.endsWith("_trunc") && next?.token.text === ")" && UNITS.has(lower);
  return { text: isUnit ? `'${lower}'` : (type ?? text), skipped: 0 };
}

/** @param first what stands right after the parenthesis: a number makes `timestamp(3)` a type */
function functionName(text: string, first: DialectToken | undefined): string {
  switch (text.toLowerCase()) {
    case "current_timestamp":
      return "now";
    case "timestamp":
      return first?.kind === "number" ? text : "log_stream.as_timestamp";
    default:
      return text;
  }
}

/** `interval 5 minute` */
function interval(tokens: readonly DialectToken[], at: number): Rewritten {
  const amount = following(tokens, at);
  const unit = amount === undefined ? undefined : following(tokens, amount.at);
  if (amount?.token.kind !== "number" || unit === undefined || !UNITS.has(unit.token.text.toLowerCase())) {
    return { text: tokens[at]?.text ?? "", skipped: 0 };
  }
  return { text: `interval '${amount.token.text} ${unit.token.text}'`, skipped: unit.at - at };
}

/** `name['key']`, of a map whose values are texts. */
function subscript(tokens: readonly DialectToken[], at: number, written: string[]): Rewritten {
  const key = following(tokens, at);
  const end = key === undefined ? undefined : following(tokens, key.at);
  if (key?.token.kind !== "string" || end?.token.text !== "]") return { text: "[", skipped: 0 };
  let first = written.length;
  while (first > 0 && /^(?:\.|["\w\u0080-\uffff].*)$/s.test(written[first - 1] ?? "")) first -= 1;
  if (first === written.length || nameBefore(tokens, at) === "array") return { text: "[", skipped: 0 };
  written.splice(first, 0, "(");
  return { text: ` ->> ${stringLiteral(key.token.text)})`, skipped: end.at - at };
}

/** A backslash escapes in the dialect; in PostgreSQL it does so in an E'…' only. */
function stringLiteral(text: string): string {
  return text.includes("\\") ? ` E${text}` : text;
}

function quoted(text: string): string {
  const parts = text.replaceAll("`", "").split(".");
  return parts.map((part) => `"${part.replaceAll('"', '""')}"`).join(".");
}

function following(
  tokens: readonly DialectToken[],
  at: number,
): { readonly token: DialectToken; readonly at: number } | undefined {
  for (let next = at + 1; next < tokens.length; next += 1) {
    const token = tokens[next];
    if (token !== undefined && token.kind !== "blank" && token.kind !== "comment") return { token, at: next };
  }
  return undefined;
}

/** The word before a token, lower case; empty where there is none. */
function nameBefore(tokens: readonly DialectToken[], at: number): string {
  for (let before = at - 1; before >= 0; before -= 1) {
    const token = tokens[before];
    if (token === undefined || token.kind === "blank" || token.kind === "comment") continue;
    return token.kind === "word" ? token.text.toLowerCase() : "";
  }
  return "";
}
