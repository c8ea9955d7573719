import type { SqlError } from "./database.ts";
import { splitStatements, withoutComments } from "./statements.ts";

/**
 * SQL that brings a transaction of its own, as migrations often do, within one of ours: what begins and what commits it is left out, since
 * ours takes both parts, and the places of all the rest stay what they were.
 */
export type WithinTransaction =
  | { readonly sql: string; readonly refusal?: undefined }
  /** it would take back, or prepare, what the transaction around it is to commit */
  | { readonly refusal: SqlError };

/** Of what a statement says without comments. */
const ENDING = "(?: (?:work|transaction))?(?: and (?:no )?chain)?$";
const LEFT_OUT = new RegExp(
  `^begin(?: (?:work|transaction))?(?: (?:isolation|read|not|deferrable)(?=[ ,]|$).*)?$|^start transaction(?: .*)?$|^(?:commit|end)${ENDING}`,
  "is",
);
const REFUSED = new RegExp(`^(?:rollback|abort)${ENDING}|^prepare transaction(?=[ '$]|$)`, "is");

/** @param sql any number of statements */
export function withinTransaction(sql: string): WithinTransaction {
  let within = "";
  let done = 0;
  for (const statement of splitStatements(sql)) {
    const said = withoutComments(statement.text);
    if (REFUSED.test(said.text)) return { refusal: refusalOf(sql, statement.start + said.start) };
    if (!LEFT_OUT.test(said.text)) continue;
    const end = statement.start + statement.text.length;
    // one blank for each character: the database counts those
    within += sql.slice(done, statement.start) + sql.slice(statement.start, end).replaceAll(/[^\n]/gu, " ");
    done = end;
  }
  return { sql: within + sql.slice(done) };
}

/** What is said of whatever ends a transaction that is not its own. */
export const TERMINATED: SqlError = {
  severity: "ERROR",
  code: "2D000",
  message: "invalid transaction termination",
  detail: "All statements are one transaction, which is committed as a whole or not at all.",
};

function refusalOf(sql: string, start: number): SqlError {
  return { ...TERMINATED, position: Array.from(sql.slice(0, start)).length + 1 };
}
