import type { SqlError, SqlJob, SqlStep } from "./database.ts";
import { ADMIN } from "./fresh.ts";
import { splitStatements, withoutComments } from "./statements.ts";

/**
 * `statement_timeout`, which a database in WebAssembly is told and cannot keep: nothing tells it of the time while it works. So a job is ended
 * from outside when it takes longer than all its statements may take together: never one that PostgreSQL would have let go on, and the last of
 * several statements later than PostgreSQL would.
 */

/** As PostgreSQL says it. */
export const CANCELED: SqlError = {
  severity: "ERROR",
  code: "57014",
  message: "canceling statement due to statement timeout",
};

/**
 * How long a job can take if each of its statements keeps to its statement_timeout.
 * @returns milliseconds; undefined: for ever, or as far as this can tell
 */
export function longestMs({ steps, settings = {} }: SqlJob): number | undefined {
  const configured = durationMs(settings["statement_timeout"] ?? "0");
  if (steps.some(({ role }) => role === ADMIN)) return undefined;
  return steps.reduce<number | undefined>((sum, step) => {
    const own = longestOf(step, configured);
    return sum === undefined || own === undefined ? undefined : sum + own;
  }, 0);
}

/** These are of what statements say without comments. */
const SET = /^set (?:(?:session|local) )?statement_timeout ?(?:=|\bto\b) ?(?:'([^']*)'|(-?[\d.]+)|(default))$/i;
const RESET = /^reset (?:statement_timeout|all)$|^discard all$/i;
/** Of these nobody could notice that they take time. */
const INSTANT = /^(?:set|reset|show|begin|start transaction|savepoint)\b/i;
/** What the setting is afterwards depends on what is committed, or stands where only the database can read it. */
const UNTOLD = /statement_timeout|^(?:commit|end|rollback|abort|prepare)\b/i;

function longestOf({ sql, parameters }: Omit<SqlStep, "role">, configured: number | undefined): number | undefined {
  if (configured === undefined && !/statement_timeout/i.test(sql)) return undefined; // most of all SQL
  if (parameters !== undefined) return UNTOLD.test(withoutComments(sql).text) ? undefined : configured;
  const statements = splitStatements(sql).map(({ text }) => withoutComments(text).text);
  let limit = configured;
  let sum = 0;
  for (const [index, text] of statements.entries()) {
    const set = settingIn(text, configured);
    if (set === undefined && UNTOLD.test(text) && index < statements.length - 1) return undefined;
    if (set !== undefined) ({ limit } = set);
    else if (!INSTANT.test(text)) sum += limit ?? Infinity;
  }
  return sum === 0 || sum === Infinity ? undefined : sum;
}

/** What a statement makes of the limit; undefined where it is about something else. */
function settingIn(text: string, configured: number | undefined): { readonly limit: number | undefined } | undefined {
  if (RESET.test(text)) return { limit: configured };
  const set = SET.exec(text);
  if (set === null) return undefined;
  return { limit: set[3] === undefined ? durationMs(set[1] ?? set[2] ?? "") : configured };
}

const UNITS: Readonly<Record<string, number>> = {
  us: 0.001,
  "": 1,
  ms: 1,
  s: 1000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

const DURATION = /^[ \t\n\v\f\r]*(\d+(?:\.\d+)?)[ \t\n\v\f\r]*(us|ms|s|min|h|d)?[ \t\n\v\f\r]*$/;

/** @returns undefined for no limit, and for what PostgreSQL refuses */
function durationMs(text: string): number | undefined {
  const [, number = "", unit = ""] = DURATION.exec(text) ?? [];
  const ms = Math.round(Number(number) * (UNITS[unit] ?? 1));
  return ms > 0 ? ms : undefined;
}
