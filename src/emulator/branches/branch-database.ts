import { z } from "zod";
import { readSchemas } from "../postgres/catalog.ts";
import {
  type Databases,
  DatabaseUnavailableError,
  type RunJob,
  type SqlJob,
  type SqlStep,
} from "../postgres/database.ts";
import { ADMIN, INTERNAL_SCHEMAS } from "../postgres/fresh.ts";
import { schemaDiff } from "../postgres/schema-diff.ts";
import { freshObjects, readObjects, type SchemaObjects } from "../postgres/schema-objects.ts";
import { sqlErrorText } from "../postgres/sql-error-text.ts";
import { ApiFailure, badRequest } from "../failure.ts";

/**
 * What work on branches does to databases, by their histories of migrations, which stand in the databases themselves. A database that nobody
 * ever asked anything is as a fresh one, and is not started to tell.
 */

interface Migration {
  readonly version: string;
  readonly name: string | null;
  readonly statements: readonly string[];
  /** the whole row of the history, in the text of each value */
  readonly row: readonly (string | null)[];
}

const READ_HISTORY = `select to_json(statements)::text, version, name, statements::text, rollback::text, created_by, idempotency_key
from platform_migrations.schema_migrations order by length(version), version`;
const ADD_TO_HISTORY = `insert into platform_migrations.schema_migrations
  (version, name, statements, rollback, created_by, idempotency_key) values ($1, $2, $3::text[], $4::text[], $5, $6)`;

const historyRow = z.tuple([z.string().nullable(), z.string(), z.string().nullable()]).rest(z.string().nullable());
const statementList = z.array(z.string()).nullable();

/** In the order of the versions. @throws ApiFailure 400 where there is none; DatabaseUnavailableError */
export async function historyOf(databases: Databases, ref: string): Promise<readonly Migration[]> {
  if (!(await databases.exists(ref))) return [];
  const outcome = await databases.run(ref, { steps: [{ sql: READ_HISTORY, role: ADMIN }] });
  if (outcome.kind === "refused") {
    // whoever owns the tables may have dropped the history, or changed it
    throw badRequest(`The history of migrations cannot be read: ${outcome.error.message}`);
  }
  return (outcome.results[0]?.rows ?? []).map((found) => {
    const [statements, version, name, ...rest] = historyRow.parse(found);
    const sql = statementList.parse(JSON.parse(statements ?? "null")) ?? [];
    return { version, name, statements: sql, row: [version, name, ...rest] };
  });
}

/** How far migrations came. */
export interface Migrated {
  readonly lines: readonly string[];
  readonly failed: boolean;
}

/** Where migrations are applied. */
export interface MigrationTarget {
  readonly ref: string;
  /** the project is in its read-only mode, in which the database refuses to be changed */
  readonly readOnly: boolean;
}

/** Applies migrations one after the other, each as a whole, and notes them in the history. The first that is refused ends it. */
export async function applyMigrations(
  databases: Databases,
  { ref, readOnly }: MigrationTarget,
  migrations: readonly Migration[],
): Promise<Migrated> {
  return applyTo((job) => databases.run(ref, { ...job, defaultReadOnly: readOnly }), migrations);
}

async function applyTo(run: RunJob, migrations: readonly Migration[]): Promise<Migrated> {
  if (migrations.length === 0) return { lines: ["No migrations to apply"], failed: false };
  const lines: string[] = [];
  for (const { version, name, statements, row } of migrations) {
    const title = [version, ...(name === null ? [] : [name])].join(" ");
    const steps = [
      ...statements.map((sql): SqlStep => ({ sql, role: "postgres" })),
      { sql: ADD_TO_HISTORY, parameters: row, role: ADMIN } as const,
    ];
    const refusal = await refusalOf(run, { steps, transaction: "read-write" });
    if (refusal !== undefined) return { lines: [...lines, `Migration ${title} failed: ${refusal}`], failed: true };
    lines.push(`Applied migration ${title}`);
  }
  return { lines, failed: false };
}

/** Makes a database anew and applies migrations to it. */
export async function rebuild(
  databases: Databases,
  { ref, readOnly }: MigrationTarget,
  migrations: readonly Migration[],
): Promise<Migrated> {
  if (!(await databases.exists(ref))) return { lines: ["The database is as new"], failed: false };
  const { lines, failed } = await databases.rebuild(ref, (run) =>
    applyTo((job) => run({ ...job, defaultReadOnly: readOnly }), migrations),
  );
  return { lines: ["Made the database anew", ...lines], failed };
}

/** Why the database did not do a job; undefined: it did. */
async function refusalOf(run: RunJob, job: SqlJob): Promise<string | undefined> {
  try {
    const outcome = await run(job);
    if (outcome.kind === "done") return undefined;
    return sqlErrorText(outcome.error, job.steps[outcome.step]?.sql ?? "");
  } catch (error) {
    if (error instanceof DatabaseUnavailableError || error instanceof ApiFailure) return error.message;
    throw error;
  }
}

/**
 * The SQL that makes of one database's schemas those of another. The platform's own schemas are left out.
 *
 * @param included names of schemas; undefined: all that people have made, and `public`
 * @throws DatabaseUnavailableError
 */
export async function databaseDiff(
  databases: Databases,
  { from, to }: { readonly from: string; readonly to: string },
  included: readonly string[] | undefined,
): Promise<string> {
  const started = new Set<string>();
  for (const ref of [from, to]) if (await databases.exists(ref)) started.add(ref);
  if (from === to || started.size === 0) return "";
  const all = included ?? (await Promise.all([...started].map((ref) => readSchemas(databases, ref)))).flat();
  const schemas = [...new Set(all)].filter((name) => !INTERNAL.has(name));
  const objectsOf = async (ref: string): Promise<SchemaObjects> =>
    started.has(ref) ? readObjects(databases, ref, schemas) : freshObjects(schemas);
  return schemaDiff(await objectsOf(from), await objectsOf(to));
}

const INTERNAL: ReadonlySet<string> = new Set(INTERNAL_SCHEMAS);
