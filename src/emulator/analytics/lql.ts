import { badRequest } from "../failure.ts";

/**
 * LQL, the short language for filters, as SQL over the unified stream: words and "phrases" that the message holds, `~pattern`, and
 * `field:value` with `>`, `>=`, `<`, `<=`, `~` or quotes before the value; a `-` before any of them turns it round. All must hold. What
 * charts and selects (`c:`, `s:`) is not understood.
 */

/** A text that begins as SQL does is SQL. */
export function isSql(text: string): boolean {
  return /^(?:\s|--[^\n]*\n|\/\*[\s\S]*?\*\/)*(?:select|with|\()/i.test(text);
}

/** @throws ApiFailure 400 for what is not understood */
export function lqlAsSql(text: string): string {
  const conditions = termsOf(text).map(conditionOf);
  const where = conditions.length === 0 ? "" : ` where ${conditions.join(" and ")}`;
  return `select id, "timestamp", source, event_message, log_attributes from logs${where} order by "timestamp" desc limit 100`;
}

interface Term {
  readonly not: boolean;
  /** absent: the message */
  readonly field: string | undefined;
  readonly operator: string;
  readonly value: string;
}

/** Sticky: one term at its place. */
const TERM = /(-?)(?:([A-Za-z_][\w.]*):)?(>=|<=|>|<|~|)(?:"([^"]*)"|([^\s"]+))/y;

function termsOf(text: string): readonly Term[] {
  const terms: Term[] = [];
  for (let at = skipBlanks(text, 0); at < text.length; at = skipBlanks(text, TERM.lastIndex)) {
    TERM.lastIndex = at;
    const [, not, field, operator = "", phrase, word] = TERM.exec(text) ?? [];
    const value = phrase ?? word;
    if (value === undefined) throw badRequest(`sql: neither SQL nor LQL from character ${at + 1} on`);
    if (field !== undefined && AGGREGATES.has(field)) {
      throw badRequest(`sql: the LQL clause '${field}:' is not understood here; write SQL`);
    }
    terms.push({ not: not === "-", field, operator, value });
  }
  return terms;
}

const AGGREGATES = new Set(["c", "chart", "s", "select", "t"]);

function skipBlanks(text: string, from: number): number {
  const rest = text.slice(from);
  return from + rest.length - rest.trimStart().length;
}

function conditionOf({ not, field, operator, value }: Term): string {
  const condition = field === undefined ? messageCondition(operator, value) : fieldCondition(field, operator, value);
  return not ? `coalesce(not (${condition}), true)` : condition;
}

function messageCondition(operator: string, value: string): string {
  if (operator === "~") return `event_message ~ ${literal(value)}`;
  return `position(lower(${literal(operator + value)}) in lower(event_message)) > 0`;
}

/** Columns of the stream; every other field is one of its attributes, also where it says `metadata.` or `m.` first. */
const COLUMNS: ReadonlyMap<string, string> = new Map([
  ["id", "id"],
  ["source", "source"],
  ["event_message", "event_message"],
  ["severity_text", "severity_text"],
  ["timestamp", '"timestamp"'],
]);

function fieldCondition(field: string, operator: string, value: string): string {
  const text = COLUMNS.get(field) ?? `(log_attributes ->> ${literal(field.replace(/^(?:metadata|m)\./, ""))})`;
  if (operator === "") return `${text}${field === "timestamp" ? "" : "::text"} = ${literal(value)}`;
  if (operator === "~") return `${text}::text ~ ${literal(value)}`;
  return /^-?\d+(?:\.\d+)?$/.test(value)
    ? `${text}::numeric ${operator} ${value}`
    : `${text} ${operator} ${literal(value)}`;
}

function literal(text: string): string {
  return `E'${text.replaceAll("\\", String.raw`\\`).replaceAll("'", "''")}'`;
}
