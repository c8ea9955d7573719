import { splitStatements, withoutComments } from "./statements.ts";

/**
 * Back to whom a session began as, which takes it back from the role that it has taken too. PostgreSQL does nothing there where it is no server: it
 * knows of none who signed in (authenticated-user.ts tells it who may become whom, and does not make it one).
 */

/** Of what a statement says without comments. */
const GAP = `(?: |(?="))`;
const NAME = `(?:session[ _]authorization|"session_authorization")`;
const BACK = new RegExp(
  `^(?:reset${GAP}${NAME}|set${GAP}(?:(?:session|local)${GAP})?${NAME} ?(?:to\\b|=)? ?default)$`,
  "i",
);

/** @param sql any number of statements; the places of what else they say stay what they were */
export function backToOwnRole(sql: string): string {
  let own = "";
  let done = 0;
  for (const { text, start } of splitStatements(sql)) {
    if (!BACK.test(withoutComments(text).text)) continue;
    own += `${sql.slice(done, start)}${RESET.padEnd(Array.from(text).length)}`;
    done = start + text.length;
  }
  return own + sql.slice(done);
}

/** Takes no more characters than anything in whose place it stands, since the database counts those. */
const RESET = "reset role";
