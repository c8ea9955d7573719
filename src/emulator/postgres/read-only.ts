import type { PlatformStep, ResultSet, SqlError, SqlField, SqlStep } from "./database.ts";
import { valuesOfRecord } from "./record-text.ts";
import { type Statement, splitStatements } from "./statements.ts";
import { describing, type WireExchange, extended, type DatabaseReply, replyOf } from "./wire.ts";

/**
 * Read-only SQL, kept so by the database in three ways of which each is enough for tables: the transaction is read-only, and since it has
 * read something it can no longer be made another; the role has no right to write; and every statement runs within a function that belongs
 * to that role (fresh.ts), where nobody can end the transaction or become another role. So statements go one at a time: each is parsed
 * and described by the protocol, which takes no two at once, and run through the function.
 */

export interface StepReply {
  readonly results: readonly ResultSet[];
  readonly error: SqlError | undefined;
}

/** Name of the prepared statement that is being run. */
const PREPARED = "platform_statement";

export async function readOnlyReply(
  exchange: WireExchange,
  { sql, parameters }: SqlStep | PlatformStep,
): Promise<StepReply> {
  const results: ResultSet[] = [];
  const statements = parameters === undefined ? splitStatements(sql) : [{ text: sql, start: 0 }];
  for (const statement of statements) {
    const { error, results: own } = await readStatement(exchange, statement.text, parameters ?? []);
    if (error !== undefined) return { results, error: placed(error, sql, statement) };
    results.push(...own);
  }
  return { results, error: undefined };
}

async function readStatement(
  exchange: WireExchange,
  sql: string,
  parameters: readonly (string | null)[],
): Promise<StepReply> {
  const name = parameters.length === 0 ? "" : PREPARED;
  const { error, described, parameters: takes } = replyOf(await exchange(describing(name, sql)));
  if (error !== undefined) return { results: [], error };
  if (takes !== parameters.length) return { results: [], error: wrongCount(takes, parameters.length) };
  const statement = name === "" ? sql : `execute ${name}(${parameters.map(literal).join(", ")})`;
  const procedure = described === undefined ? "run_statement" : "read_rows";
  const reply = replyOf(await exchange(extended(`select platform_internal.${procedure}($1)`, [statement])));
  if (reply.error !== undefined) return { results: [], error: withoutWrapper(reply.error, statement) };
  return { results: described === undefined ? [] : [unwrapped(reply, described)], error: undefined };
}

function unwrapped({ results }: DatabaseReply, fields: readonly SqlField[]): ResultSet {
  const rows = results[0]?.rows ?? [];
  return { fields, rows: rows.map(([record]) => valuesOfRecord(record ?? "", fields.length)) };
}

/** As the database says it of a statement that gets the wrong number of parameters. */
function wrongCount(takes: number, given: number): SqlError {
  const message = `bind message supplies ${given} parameters, but prepared statement "" requires ${takes}`;
  return { severity: "ERROR", code: "08P01", message };
}

/** A value in a form that means the same under every setting. */
function literal(value: string | null): string {
  if (value === null) return "null";
  return `E'${value.replaceAll("\\", String.raw`\\`).replaceAll("'", "''")}'`;
}

/** An error as it would be without the function around the statement. */
function withoutWrapper(error: SqlError, statement: string): SqlError {
  const { where, internalQuery, internalPosition, ...rest } = error;
  const own = where?.replace(/\n?PL\/pgSQL function platform_internal\.\w+\(text\) line \d+ at [^\n]*$/, "");
  const spi = `SQL statement "${statement}"`;
  const context = own?.endsWith(spi) === true ? own.slice(0, -spi.length).trimEnd() : own;
  const inside = internalQuery === statement;
  return {
    ...rest,
    ...(inside && internalPosition !== undefined ? { position: internalPosition } : {}),
    ...(inside || internalQuery === undefined ? {} : { internalQuery }),
    ...(context === undefined || context === "" ? {} : { where: context }),
  };
}

/** The place of an error in the whole text; the database counts characters. */
function placed(error: SqlError, sql: string, { start }: Statement): SqlError {
  if (error.position === undefined) return error;
  return { ...error, position: error.position + Array.from(sql.slice(0, start)).length };
}
