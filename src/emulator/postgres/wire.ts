import { messages, protocol } from "@electric-sql/pglite";
import type { ResultSet, SqlError, SqlField } from "./database.ts";

/** What is said to a database in its protocol, and what it answers. */

/** Sends bytes and gives what came back; the database takes no other meanwhile. */
export type WireExchange = (message: Uint8Array) => Promise<readonly messages.BackendMessage[]>;

/** Everything that came back for one message or batch. */
export interface DatabaseReply {
  readonly results: readonly ResultSet[];
  readonly error: SqlError | undefined;
  /** I: no transaction, T: within one, E: within one that failed */
  readonly status: string;
  /** columns of a described statement; undefined where it gives no rows */
  readonly described: readonly SqlField[] | undefined;
  /** how many parameters a described statement takes */
  readonly parameters: number;
}

/** The database did not come back to where it takes the next query: it ended, or is no longer to be trusted. */
export class BrokenDatabaseError extends Error {
  readonly code = "BROKEN_DATABASE";

  constructor(message = "the database did not answer to the end") {
    super(message);
    this.name = "BrokenDatabaseError";
  }
}

const { serialize } = protocol;

/**
 * Refuses what a COPY … FROM STDIN would wait for; the database ignores it where there is none. Without it the end of the input would end
 * the database.
 */
const NO_INPUT = serialize.copyFail("there is no standard input here");

/** Statements as the simple protocol takes them. */
export function simple(sql: string): Uint8Array {
  return joined(serialize.query(sql), NO_INPUT);
}

/** One statement with parameters. */
export function extended(sql: string, parameters: readonly (string | null)[]): Uint8Array {
  return joined(
    serialize.parse({ text: sql }),
    serialize.bind({ values: [...parameters] }),
    serialize.describe({ type: "P" }),
    serialize.execute(),
    NO_INPUT,
    serialize.sync(),
  );
}

/** Parses one statement without running it, and asks what it takes and gives. */
export function describing(name: string, sql: string): Uint8Array {
  return joined(serialize.parse({ name, text: sql }), serialize.describe({ type: "S", name }), serialize.sync());
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(Buffer.concat(parts));
}

/** @throws BrokenDatabaseError */
export function replyOf(received: readonly messages.BackendMessage[]): DatabaseReply {
  const end = received.at(-1);
  if (!(end instanceof messages.ReadyForQueryMessage)) throw new BrokenDatabaseError();
  const error = received.find((message) => message instanceof messages.DatabaseError);
  const described = received.find((message) => message instanceof messages.RowDescriptionMessage);
  const takes = received.find((message) => message instanceof messages.ParameterDescriptionMessage);
  return {
    results: resultsOf(received),
    error: error === undefined ? undefined : errorOf(error),
    status: end.status,
    described: described === undefined ? undefined : fieldsOf(described),
    parameters: takes?.parameterCount ?? 0,
  };
}

function resultsOf(received: readonly messages.BackendMessage[]): readonly ResultSet[] {
  const results: { fields: readonly SqlField[]; rows: (readonly (string | null)[])[] }[] = [];
  for (const message of received) {
    if (message instanceof messages.RowDescriptionMessage) results.push({ fields: fieldsOf(message), rows: [] });
    if (message instanceof messages.DataRowMessage) results.at(-1)?.rows.push(message.fields);
  }
  return results;
}

function fieldsOf({ fields }: messages.RowDescriptionMessage): readonly SqlField[] {
  return fields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID }));
}

function errorOf(error: messages.DatabaseError): SqlError {
  return {
    severity: error.severity ?? "ERROR",
    code: error.code ?? "XX000",
    message: error.message,
    ...(error.position === undefined ? {} : { position: Number(error.position) }),
    ...(error.detail === undefined ? {} : { detail: error.detail }),
    ...(error.hint === undefined ? {} : { hint: error.hint }),
    ...(error.internalQuery === undefined ? {} : { internalQuery: error.internalQuery }),
    ...(error.internalPosition === undefined ? {} : { internalPosition: Number(error.internalPosition) }),
    ...(error.where === undefined ? {} : { where: error.where }),
  };
}
