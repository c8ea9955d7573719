import type { SqlError } from "./database.ts";

/** A refusal in the form in which PostgreSQL's own clients show it. @param sql the text that the position counts in */
export function sqlErrorText(error: SqlError, sql: string): string {
  const { severity, code, message, position, detail, hint, internalQuery, where } = error;
  const lines = [
    `${severity}:  ${code}: ${message}`,
    ...(position === undefined ? [] : placeIn(sql, position)),
    ...(detail === undefined ? [] : [`DETAIL:  ${detail}`]),
    ...(hint === undefined ? [] : [`HINT:  ${hint}`]),
    ...(internalQuery === undefined ? [] : [`QUERY:  ${internalQuery}`]),
    ...(where === undefined ? [] : [`CONTEXT:  ${where}`]),
  ];
  return `${lines.join("\n")}\n`;
}

/** The line in which it went wrong, and a mark under the place. @param position characters, from 1 */
function placeIn(sql: string, position: number): readonly string[] {
  const before = Array.from(sql)
    .slice(0, position - 1)
    .join("");
  const start = before.lastIndexOf("\n") + 1;
  const [line = ""] = sql.slice(start).split("\n", 1);
  const head = `LINE ${before.split("\n").length}: `;
  return [`${head}${line}`, `${" ".repeat(head.length + Array.from(before.slice(start)).length)}^`];
}
