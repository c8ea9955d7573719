import { systemClock } from "../../../src/base/clock.ts";
import { silentLogger } from "../../../src/base/log.ts";
import type { Databases, SqlOutcome, SqlRole } from "../../../src/emulator/postgres/database.ts";
import { ADMIN } from "../../../src/emulator/postgres/fresh.ts";
import { DatabasePool } from "../../../src/emulator/postgres/pool.ts";
import type { PoolLimits, PoolOptions } from "../../../src/emulator/postgres/pool-options.ts";

/** A pool for one test, with real databases. */
export function testPool(
  limits: Partial<PoolLimits> = {},
  folder?: string,
  options: Pick<PoolOptions, "isWanted" | "refusal" | "recoverable" | "saved"> = {},
  open: () => number = () => 3,
): DatabasePool {
  return new DatabasePool({
    limits: () => ({ open: open(), timeoutMs: 20_000, ...limits }),
    clock: systemClock,
    log: silentLogger,
    ...(folder === undefined ? {} : { folder }),
    ...options,
  });
}

/** Runs SQL as the user's own role. @returns rows of the last result set, or the refusal in the database's words */
export async function rowsOf(
  databases: Databases,
  ref: string,
  sql: string,
  role: SqlRole = "postgres",
): Promise<readonly (readonly (string | null)[])[] | string> {
  return lastRows(await databases.run(ref, { steps: [{ sql, role }] }));
}

/** Runs SQL as the superuser, as callers of an earlier version could; names without a schema are of `public`. @returns as `rowsOf` */
export async function rowsOfSuperuser(databases: Databases, ref: string, sql: string): ReturnType<typeof rowsOf> {
  const steps = [{ sql: `set search_path = public; ${sql}`, role: ADMIN }];
  return lastRows(await databases.run(ref, { steps, searchPath: "" }));
}

export function lastRows(outcome: SqlOutcome): readonly (readonly (string | null)[])[] | string {
  if (outcome.kind === "refused") return `${outcome.error.code} ${outcome.error.message}`;
  return outcome.results.at(-1)?.rows ?? [];
}
