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
import { badRequest } from "../failure.ts";

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

/**
 * In the order of the versions. @param begin called in its turn; what it throws refuses it
 * @throws ApiFailure 400 where there is none; DatabaseUnavailableError
 */
export async function historyOf(databases: Databases, ref: string, begin: () => void): Promise<readonly Migration[]> {
  if (!(await databases.exists(ref))) return [];
  const outcome = await databases.inTurn(ref, async ({ run }) => {
    begin();
    return run({ steps: [{ sql: READ_HISTORY, role: ADMIN }] });
  });
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

/** Where migrations are applied. What it says of the project is asked when it is their turn. */
export interface MigrationTarget {
  readonly ref: string;
  /** whether they are applied at all; what it throws refuses them */
  readonly begin: () => boolean;
  /** the project is in its read-only mode, in which the database refuses to be changed */
  readonly isReadOnly: () => boolean;
}

/**
 * Applies migrations one after the other, each as a whole, and notes them in the history, all of them in one turn: what is begun goes on. The
 * first that the database refuses ends it. @returns undefined where they are not to be applied
 */
export async function applyMigrations(
  databases: Databases,
  { ref, begin, isReadOnly }: MigrationTarget,
  migrations: readonly Migration[],
): Promise<Migrated | undefined> {
  if (migrations.length === 0) return begin() ? NONE_TO_APPLY : undefined;
  return databases.inTurn(ref, async ({ run }) => {
    if (!begin()) return undefined;
    const defaultReadOnly = isReadOnly();
    return applyTo((job) => run({ ...job, defaultReadOnly }), migrations);
  });
}

const NONE_TO_APPLY: Migrated = { lines: ["No migrations to apply"], failed: false };

async function applyTo(run: RunJob, migrations: readonly Migration[]): Promise<Migrated> {
  if (migrations.length === 0) return NONE_TO_APPLY;
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

/** Makes a database anew and applies migrations to it. @returns undefined where that is not to be done */
export async function rebuild(
  databases: Databases,
  { ref, begin, isReadOnly }: MigrationTarget,
  migrations: readonly Migration[],
): Promise<Migrated | undefined> {
  if (!(await databases.exists(ref))) return begin() ? { lines: ["The database is as new"], failed: false } : undefined;
  return databases.inTurn(ref, async (turn) => {
    if (!begin()) return undefined;
    const defaultReadOnly = isReadOnly();
    const { lines, failed } = await turn.rebuild((run) =>
      applyTo((job) => run({ ...job, defaultReadOnly }), migrations),
    );
    return { lines: ["Made the database anew", ...lines], failed };
  });
}

/** Why the database did not do a job; undefined: it did. */
async function refusalOf(run: RunJob, job: SqlJob): Promise<string | undefined> {
  try {
    const outcome = await run(job);
    if (outcome.kind === "done") return undefined;
    return sqlErrorText(outcome.error, job.steps[outcome.step]?.sql ?? "");
  } catch (error) {
    if (error instanceof DatabaseUnavailableError) return error.message;
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
