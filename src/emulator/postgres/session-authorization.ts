import type { SqlError } from "./database.ts";
import { type Statement, splitStatements } from "./statements.ts";

/**
 * Who a session is. The session of a database in WebAssembly was begun by its superuser, so PostgreSQL lets it become anybody; a caller's is
 * one that `postgres` began, which may become itself and nobody else. What says so in its text is refused before it runs, in PostgreSQL's
 * words. What hides it, in a function's body say, is seen by what became of the session, at the end of its transaction.
 */

/** What stands between two words. */
const GAP = String.raw`(?:\s|--[^\n]*(?:\n|$)|/\*(?:[^*]|\*(?!/))*\*/)`;
const NAME = `(?:session${GAP}+authorization|session_authorization|"session_authorization")`;
const SET = new RegExp(
  `^${GAP}*set${GAP}+(?:(?:session|local)${GAP}+)?${NAME}${GAP}*(?:to\\b|=)?${GAP}*("(?:[^"]|"")+"|'(?:[^']|'')*'|[\\w$]+)${GAP}*$`,
  "is",
);
const RESET = new RegExp(`^${GAP}*reset${GAP}+${NAME}${GAP}*$`, "is");

const SPOKEN_OF = new RegExp(`session(?:_|${GAP}+)authorization`, "is");
const DISCARD_ALL = new RegExp(`^${GAP}*discard${GAP}+all${GAP}*;?${GAP}*$`, "is");

export type OwnSession = { readonly sql: string; readonly refusal?: undefined } | { readonly refusal: SqlError };

/**
 * SQL as it is in a session of this role: back to whom it began as is back to this role.
 *
 * @param sql any number of statements
 */
export function asSessionOf(role: string, sql: string): OwnSession {
  if (!speaksOfSession(sql)) return { sql };
  let own = "";
  let done = 0;
  for (const statement of splitStatements(sql)) {
    const wanted = wantedBy(statement);
    if (wanted === undefined || wanted === role) continue;
    if (wanted !== "default") return { refusal: refusalOf(wanted) };
    const end = statement.start + statement.text.length;
    own += `${sql.slice(done, statement.start)}${BACK.padEnd(Array.from(statement.text).length)}`;
    done = end;
  }
  return { sql: own + sql.slice(done) };
}

/** Takes no more characters than anything in whose place it stands, since the database counts those. */
const BACK = "reset role";

/** Whether a text names what a session is, wherever in it. */
export function speaksOfSession(sql: string): boolean {
  return SPOKEN_OF.test(sql);
}

/** Whether a text is the one statement after which a session is as it began. It takes no other beside it. */
export function endsSession(sql: string): boolean {
  return DISCARD_ALL.test(sql);
}

/** As whom a statement wants the session to be; undefined: it is about something else. */
function wantedBy({ text }: Statement): string | undefined {
  if (RESET.test(text)) return "default";
  const said = SET.exec(text)?.[1];
  if (said === undefined) return undefined;
  const quote = said.charAt(0);
  return quote === '"' || quote === "'" ? said.slice(1, -1).replaceAll(quote + quote, quote) : said.toLowerCase();
}

export function refusalOf(wanted: string): SqlError {
  return { severity: "ERROR", code: "42501", message: `permission denied to set session authorization "${wanted}"` };
}
