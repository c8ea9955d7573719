import { z } from "zod";
import type { RunJob } from "../postgres/database.ts";
import { badRequest } from "../failure.ts";
import { fromHistory } from "../sql/migration-rows.ts";

/** Histories of migrations as work on branches reads them: they stand in the databases themselves. */

export interface Migration {
  readonly version: string;
  readonly name: string | null;
  readonly statements: readonly string[];
  /** the whole row of the history, in the text of each value */
  readonly row: readonly (string | null)[];
}

/** In the order of the versions. */
export type History = readonly Migration[];

const READ_HISTORY = `select to_json(statements)::text, version, name, statements::text, rollback::text, created_by, idempotency_key
from platform_migrations.schema_migrations order by length(version), version`;

/** Notes a migration, whose row are the parameters. */
export const ADD_TO_HISTORY = `insert into platform_migrations.schema_migrations
  (version, name, statements, rollback, created_by, idempotency_key) values ($1, $2, $3::text[], $4::text[], $5, $6)`;

const historyRow = z.tuple([z.string().nullable(), z.string(), z.string().nullable()]).rest(z.string().nullable());
const statementList = z.array(z.string()).nullable();

/** @throws ApiFailure 400 where there is none that can be read; DatabaseUnavailableError */
export async function readHistory(run: RunJob): Promise<History> {
  const outcome = await run({ steps: [{ sql: READ_HISTORY, role: "postgres" }] });
  if (outcome.kind === "refused") {
    // whoever owns the tables may have dropped the history, or changed it
    throw badRequest(`The history of migrations cannot be read: ${outcome.error.message}`);
  }
  return (outcome.results[0]?.rows ?? []).map((found) => {
    const [statements, version, name, ...rest] = fromHistory(historyRow, found);
    const sql = fromHistory(statementList, JSON.parse(statements ?? "null")) ?? [];
    return { version, name, statements: sql, row: [version, name, ...rest] };
  });
}

/** @throws ApiFailure 400 for a version that is not in the history */
export function upToVersion(history: History, upTo: string | undefined): History {
  if (upTo === undefined) return history;
  const last = history.findIndex(({ version }) => version === upTo);
  if (last === -1) throw badRequest(`migration_version: no migration ${upTo.slice(0, 80)} in the history`);
  return history.slice(0, last + 1);
}

/** What the one history has and the other has not. */
export function missingIn(had: History, wanted: History): History {
  const versions = new Set(had.map(({ version }) => version));
  return wanted.filter(({ version }) => !versions.has(version));
}
