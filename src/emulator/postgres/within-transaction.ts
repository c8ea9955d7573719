import type { SqlError } from "./database.ts";
import { type Statement, splitStatements } from "./statements.ts";

/**
 * SQL that brings a transaction of its own, as migrations often do, within one of ours: what begins and what commits it is left out, since
 * ours takes both parts, and the places of all the rest stay what they were.
 */
export type WithinTransaction =
  | { readonly sql: string; readonly refusal?: undefined }
  /** it would take back, or prepare, what the transaction around it is to commit */
  | { readonly refusal: SqlError };

const CHAIN = String.raw`(?:\s+and\s+(?:no\s+)?chain)?`;
const LEFT_OUT = new RegExp(
  String.raw`^(?:begin(?:\s+(?:work|transaction))?(?:\s+(?:isolation|read|not|deferrable)\b.*)?|start\s+transaction\b.*|(?:commit|end)(?:\s+(?:work|transaction))?${CHAIN})$`,
  "is",
);
const REFUSED = new RegExp(
  String.raw`^(?:rollback|abort)(?:\s+(?:work|transaction))?${CHAIN}$|^prepare\s+transaction\b`,
  "is",
);

/** @param sql any number of statements */
export function withinTransaction(sql: string): WithinTransaction {
  let within = "";
  let done = 0;
  for (const statement of splitStatements(sql)) {
    const words = bare(statement);
    if (REFUSED.test(words)) return { refusal: refusalOf(sql, statement) };
    if (!LEFT_OUT.test(words)) continue;
    const end = statement.start + statement.text.length;
    // one blank for each character: the database counts those
    within += sql.slice(done, statement.start) + sql.slice(statement.start, end).replaceAll(/[^\n]/gu, " ");
    done = end;
  }
  return { sql: within + sql.slice(done) };
}

/** A statement without the comments before it. */
function bare({ text }: Statement): string {
  return text.replace(/^(?:\s+|--[^\n]*|\/\*.*?\*\/)+/s, "");
}

function refusalOf(sql: string, statement: Statement): SqlError {
  const start = statement.start + statement.text.length - bare(statement).length;
  return {
    severity: "ERROR",
    code: "2D000",
    message: "invalid transaction termination",
    detail: "All statements are one transaction, which is committed as a whole or not at all.",
    position: Array.from(sql.slice(0, start)).length + 1,
  };
}
