import { z } from "zod";
import { type Databases, DatabaseUnavailableError, type SqlStep } from "../database/database.ts";
import { ADMIN } from "../database/fresh.ts";

/** What work on branches does to databases: by their histories of migrations, which stand in the databases themselves. */

const statements = z.array(z.string()).nullable();
const migrationRow = z.tuple([
  z.string(),
  z.string().nullable(),
  z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(statements)
    .nullable(),
  z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(statements)
    .nullable(),
  z.string().nullable(),
  z.string().nullable(),
]);

interface Migration {
  readonly version: string;
  readonly name: string | null;
  readonly statements: readonly string[];
  readonly row: readonly (string | null)[];
}

const READ_HISTORY = `select version, name, to_json(statements)::text, to_json(rollback)::text, created_by, idempotency_key
from platform_migrations.schema_migrations order by length(version), version`;

const ADD_TO_HISTORY = `insert into platform_migrations.schema_migrations
values ($1, $2, (select array_agg(value) from json_array_elements_text($3::json)),
  (select array_agg(value) from json_array_elements_text($4::json)), $5, $6)`;

/** The history of a database; of one that nobody ever asked anything it is empty, and it is not started to tell. */
export async function historyOf(databases: Databases | undefined, ref: string): Promise<readonly Migration[]> {
  if (databases === undefined || !(await databases.exists(ref))) return [];
  const outcome = await databases.run(ref, { steps: [{ sql: READ_HISTORY, role: ADMIN }] });
  if (outcome.kind === "refused") throw new Error(`the history of migrations cannot be read: ${outcome.error.message}`);
  return (outcome.results[0]?.rows ?? []).map((row) => {
    const [version, name, sql] = migrationRow.parse(row);
    return { version, name, statements: sql ?? [], row };
  });
}

/** How far migrations came. */
export interface Migrated {
  readonly lines: readonly string[];
  readonly failed: boolean;
}

/** Applies migrations one after the other, each as a whole, and notes them in the history. The first that is refused ends it. */
export async function applyMigrations(
  databases: Databases | undefined,
  ref: string,
  migrations: readonly Migration[],
): Promise<Migrated> {
  if (databases === undefined || migrations.length === 0) return { lines: ["No migrations to apply"], failed: false };
  const lines: string[] = [];
  for (const { version, name, statements: sql, row } of migrations) {
    const title = [version, ...(name === null ? [] : [name])].join(" ");
    const refusal = await refusalOf(databases, ref, [
      ...sql.map((statement): SqlStep => ({ sql: statement, role: "postgres" })),
      { sql: ADD_TO_HISTORY, parameters: row, role: ADMIN },
    ]);
    if (refusal !== undefined) return { lines: [...lines, `Migration ${title} failed: ${refusal}`], failed: true };
    lines.push(`Applied migration ${title}`);
  }
  return { lines, failed: false };
}

/** Makes a database anew and applies migrations to it. */
export async function rebuild(
  databases: Databases | undefined,
  ref: string,
  migrations: readonly Migration[],
): Promise<Migrated> {
  if (databases === undefined || !(await databases.exists(ref))) return { lines: ["Nothing to reset"], failed: false };
  await databases.reset(ref);
  const { lines, failed } = await applyMigrations(databases, ref, migrations);
  return { lines: ["Reset the database", ...lines], failed };
}

/** Why the database did not do the steps; undefined: it did. */
async function refusalOf(databases: Databases, ref: string, steps: readonly SqlStep[]): Promise<string | undefined> {
  try {
    const outcome = await databases.run(ref, { steps, transaction: "read-write" });
    return outcome.kind === "refused" ? outcome.error.message : undefined;
  } catch (error) {
    if (error instanceof DatabaseUnavailableError) return error.message;
    throw error;
  }
}
