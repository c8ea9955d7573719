import { migrationSchema, type migrations } from "../../api/contract/migrations.ts";
import { appOf, type Caller } from "../access.ts";
import type { Databases, ResultSet, SqlStep } from "../postgres/database.ts";
import { splitStatements } from "../postgres/statements.ts";
import { withinTransaction } from "../postgres/within-transaction.ts";
import { parameterText } from "../postgres/values.ts";
import { forbidden, notFound } from "../failure.ts";
import type { World } from "../state/world.ts";
import type { HandlerRequest, SectionHandlers } from "../handlers/handler.ts";
import { fromHistory } from "./migration-rows.ts";
import { runningProject, runSql } from "./sql.ts";

type Body = HandlerRequest<(typeof migrations)["apply"]>["body"];
type MigrationChange = HandlerRequest<(typeof migrations)["update"]>["body"];

/** The history of a database's migrations stands in the database itself, so it goes where the database goes. */
export function migrationsHandlers(world: World, databases: Databases): SectionHandlers<"migrations"> {
  const rowsOf = async (ref: string, ...steps: readonly SqlStep[]): Promise<ResultSet["rows"]> =>
    (await runSql(world, databases, ref, { steps, transaction: "read-write" }))[0]?.rows ?? [];
  return {
    list: async ({ params, caller }) => {
      const ref = refForMigrations(world, caller, params.ref);
      const rows = await rowsOf(ref, { sql: LIST, role: "postgres" });
      return rows.map(([version, name]) => ({ version: version ?? "", ...(typeof name === "string" ? { name } : {}) }));
    },
    apply: async ({ params, body, caller, onSql: onRun }) => {
      const ref = refForMigrations(world, caller, params.ref);
      const steps = [{ sql: body.query, role: "postgres" }, entry(INSERT, newEntry(world, caller, body))] as const;
      await runSql(world, databases, ref, { steps, transaction: "read-write", onRun });
      return undefined;
    },
    upsert: async ({ params, body, caller }) => {
      const ref = refForMigrations(world, caller, params.ref);
      const known = [body.name ?? null, statementsText(body.query), rollbackText(body.rollback)];
      await rowsOf(ref, entry(REPLACE, known), entry(INSERT_UNLESS_KNOWN, newEntry(world, caller, body)));
      return undefined;
    },
    rollback: async ({ params, query, caller }) => {
      const ref = refForMigrations(world, caller, params.ref);
      await rowsOf(ref, { sql: ROLL_BACK, parameters: [query.gte], role: "postgres" });
      return undefined;
    },
    get: async ({ params, caller }) => {
      const ref = refForMigrations(world, caller, params.ref);
      const [row] = await rowsOf(ref, entry(READ, [params.version]));
      if (row === undefined) throw notFound("Migration");
      return fromHistory(migrationSchema, JSON.parse(row[0] ?? "null"));
    },
    update: async ({ params, body, caller }) => {
      const ref = refForMigrations(world, caller, params.ref);
      const rows = await rowsOf(ref, entry(CHANGE, changeOf(params.version, body)));
      if (rows.length === 0) throw notFound("Migration");
      return undefined;
    },
  };
}

/** It is the user's, who may make anything else of it: what runs then runs as him. */
const HISTORY = "platform_migrations.schema_migrations";
const LATEST_FIRST = "order by length(version) desc, version desc";

const LIST = `select version, name from ${HISTORY} order by length(version), version`;
/** What a migration does not have is absent: the catalogue calls none of it nullable. */
const READ = `select json_strip_nulls(to_json(m)) from ${HISTORY} m where version = $1`;
const ROLL_BACK = "select platform_internal.roll_back($1)";
const CHANGE = `update ${HISTORY} set name = coalesce($2, name), rollback = coalesce($3::text[], rollback)
  where version = $1 returning version`;

/** $1 the time, $2 name, $3 statements, $4 rollback, $5 by whom */
const INSERT = `insert into ${HISTORY} (version, name, statements, rollback, created_by)
  select platform_internal.next_version($1), $2, $3::text[], $4::text[], $5`;
/** The same migration is the one of the same name; without a name, the one of the same statements. */
const SAME = (name: string, statements: string): string =>
  `(name = ${name} or (${name} is null and name is null and statements = ${statements}::text[]))`;
const INSERT_UNLESS_KNOWN = `${INSERT} where not exists (select from ${HISTORY} where ${SAME("$2", "$3")})`;
const REPLACE = `update ${HISTORY} set statements = $2::text[], rollback = $3::text[]
  where version = (select version from ${HISTORY} where ${SAME("$1", "$2")} ${LATEST_FIRST} limit 1)`;

function entry(sql: string, parameters: readonly (string | null)[]): SqlStep {
  return { sql, parameters, role: "postgres" };
}

function newEntry(world: World, caller: Caller, { query, name, rollback }: Body): readonly (string | null)[] {
  const time = new Date(world.clock.now()).toISOString().replaceAll(/\D/g, "").slice(0, "YYYYMMDDHHMMSS".length);
  const by = world.users.get(caller.userId)?.email ?? null;
  return [time, name ?? null, statementsText(query), rollbackText(rollback), by];
}

function changeOf(version: string, { name, rollback }: MigrationChange): readonly (string | null)[] {
  return [version, name ?? null, rollbackText(rollback)];
}

function statementsText(sql: string): string | null {
  return parameterText(splitStatements(sql).map(({ text }) => text));
}

/** Without a transaction of its own: the way back of several migrations is one transaction. */
function rollbackText(sql: string | undefined): string | null {
  if (sql === undefined) return null;
  const within = withinTransaction(sql);
  return statementsText(within.refusal === undefined ? within.sql : sql);
}

/**
 * "Personal tokens pass; an OAuth app passes only where its registration says partner" (facts.md §2, migrations).
 * @throws ApiFailure 403, 404, 400
 */
function refForMigrations(world: World, caller: Caller, ref: string): string {
  if (caller.grant !== undefined && appOf(world, caller)?.partner !== true) {
    throw forbidden("Migrations are for selected partner apps only.");
  }
  return runningProject(world, caller, ref).ref;
}
