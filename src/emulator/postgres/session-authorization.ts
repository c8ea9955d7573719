import type { SqlError } from "./database.ts";
import { type Statement, splitStatements, withoutComments } from "./statements.ts";

/**
 * Who a session is. The session of a database in WebAssembly was begun by its superuser, so PostgreSQL lets it become anybody; a caller's is
 * one that `postgres` began, which may become itself and nobody else. What says so in its text is refused before it runs, in PostgreSQL's
 * words. What hides it, in a function's body say, is seen by what became of the session, at the end of its transaction.
 */

/** These are of what statements say without comments. */
const GAP = `(?: |(?="))`;
const NAME = `(?:session[ _]authorization|"session_authorization")`;
const SET = new RegExp(
  `^set${GAP}(?:(?:session|local)${GAP})?${NAME} ?(?:to\\b|=)? ?("(?:[^"]|"")+"|'(?:[^']|'')*'|[\\w$]+)$`,
  "is",
);
const RESET = new RegExp(`^reset${GAP}${NAME}$`, "i");
const DISCARD_ALL = /^discard all ?;?$/i;

/** In any text, maybe of another language: where a comment stands between the words, another may as well, and whatever in it. */
const SPOKEN_OF = /session(?:_|[ \t\n\v\f\r]+)authorization/i;
const BEFORE_COMMENT = /session[ \t\n\v\f\r]*(?:--|\/\*)/i;
const BEHIND_COMMENT = /(?:\*\/|[ \t\n\v\f\r])authorization/i;

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
  return SPOKEN_OF.test(sql) || (BEFORE_COMMENT.test(sql) && BEHIND_COMMENT.test(sql));
}

/** Whether a text is the one statement after which a session is as it began. It takes no other beside it. */
export function endsSession(sql: string): boolean {
  return DISCARD_ALL.test(withoutComments(sql).text);
}

/** As whom a statement wants the session to be; undefined: it is about something else. */
function wantedBy(statement: Statement): string | undefined {
  const { text } = withoutComments(statement.text);
  if (RESET.test(text)) return "default";
  const said = SET.exec(text)?.[1];
  if (said === undefined) return undefined;
  const quote = said.charAt(0);
  return quote === '"' || quote === "'" ? said.slice(1, -1).replaceAll(quote + quote, quote) : said.toLowerCase();
}

export function refusalOf(wanted: string): SqlError {
  return { severity: "ERROR", code: "42501", message: `permission denied to set session authorization "${wanted}"` };
}
