import {
  type DatabaseTurn,
  DatabaseUnavailableError,
  type RunJob,
  type SqlJob,
  type SqlStep,
} from "../postgres/database.ts";
import { sqlErrorText } from "../postgres/sql-error-text.ts";
import { ADD_TO_HISTORY, type History, readHistory } from "./migration-history.ts";

/**
 * What merge, push and reset do to a database in its turn. One that nobody ever asked anything is as a fresh one, and is not started to tell.
 */

/** How far migrations came. */
export interface Migrated {
  readonly lines: readonly string[];
  readonly failed: boolean;
  /** how many it has had */
  readonly applied: number;
}

/** A database whose turn it is. */
export interface MigratedDatabase {
  readonly turn: DatabaseTurn;
  /** Refuses by throwing what may have changed while it waited to begin. */
  readonly check: () => unknown;
  /** Whether the project is now in its read-only mode, in which the database refuses to be changed. */
  readonly isReadOnly: () => boolean;
}

/** @throws ApiFailure 400 where there is none; DatabaseUnavailableError */
export async function historyIn({ exists, run }: DatabaseTurn): Promise<History> {
  return (await exists()) ? readHistory(run) : [];
}

/**
 * Applies migrations one after the other, each as a whole, and notes them in the history: what is begun goes on. The first that the database
 * refuses, or gives no answer to, ends it; those before stay applied.
 */
export async function applyMigrations({ turn, isReadOnly }: MigratedDatabase, migrations: History): Promise<Migrated> {
  return applyTo((job) => silenceToo(refusalOf(turn.run, { ...job, defaultReadOnly: isReadOnly() })), migrations);
}

/**
 * Makes a database anew and applies migrations to it. Where one is refused the database is as it was: what was acknowledged in it, its history
 * first of all, is nowhere else. @throws DatabaseUnavailableError, and the database is as it was
 */
export async function rebuild({ turn, check, isReadOnly }: MigratedDatabase, migrations: History): Promise<Migrated> {
  if (!(await turn.exists())) return { lines: ["The database is as new"], failed: false, applied: 0 };
  try {
    return await turn.rebuild(async (run) => {
      check(); // the new one may have waited for room
      const { lines, failed, applied } = await applyTo(
        (job) => refusalOf(run, { ...job, defaultReadOnly: isReadOnly() }),
        migrations,
      );
      if (failed) throw new NotReplayed(lines);
      return { lines: ["Made the database anew", ...lines], failed, applied };
    });
  } catch (error) {
    if (error instanceof NotReplayed) {
      return { lines: [...error.lines, "The database stays as it was"], failed: true, applied: 0 };
    }
    throw error;
  }
}

/** A new database does not take the place of the old one, which its migrations do not lead to. */
class NotReplayed extends Error {
  readonly lines: readonly string[];

  constructor(lines: readonly string[]) {
    super("a migration failed");
    this.lines = lines;
  }
}

/** @param refusedOf does a job, and tells why the database did not do it */
async function applyTo(
  refusedOf: (job: SqlJob) => Promise<string | undefined>,
  migrations: History,
): Promise<Migrated> {
  if (migrations.length === 0) return { lines: ["No migrations to apply"], failed: false, applied: 0 };
  const lines: string[] = [];
  for (const { version, name, statements, row } of migrations) {
    const title = [version, ...(name === null ? [] : [name])].join(" ");
    const steps = [
      ...statements.map((sql): SqlStep => ({ sql, role: "postgres" })),
      { sql: ADD_TO_HISTORY, parameters: row, role: "postgres" } as const,
    ];
    const refusal = await refusedOf({ steps, transaction: "read-write" });
    if (refusal !== undefined) {
      return { lines: [...lines, `Migration ${title} failed: ${refusal}`], failed: true, applied: lines.length };
    }
    lines.push(`Applied migration ${title}`);
  }
  return { lines, failed: false, applied: lines.length };
}

/** Why the database refuses a job; undefined: it did it. @throws DatabaseUnavailableError */
async function refusalOf(run: RunJob, job: SqlJob): Promise<string | undefined> {
  const outcome = await run(job);
  if (outcome.kind === "done") return undefined;
  return sqlErrorText(outcome.error, job.steps[outcome.step]?.sql ?? "");
}

/** The silence of a database as a refusal, where what it did before is to be told. */
async function silenceToo(refusal: Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await refusal;
  } catch (error) {
    if (error instanceof DatabaseUnavailableError) return error.message;
    throw error;
  }
}
