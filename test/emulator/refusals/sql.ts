import { z } from "zod";
import type { SeedInput } from "../../../src/emulator/state/seed.ts";
import { DEFAULT_SETTINGS } from "../../../src/emulator/state/settings.ts";
import type { EmulatorUnderTest } from "../../support/emulator/api.ts";
import { REF } from "../../support/emulator/every-call.ts";
import { filled } from "../../support/emulator/play.ts";
import {
  type Refusal,
  alike,
  appToken,
  branch,
  callOf,
  OTHER,
  PROJECT,
  refusalSeed,
} from "../../support/emulator/refusal.ts";

/**
 * What databases refuse, and where they give no answer in time. One emulator plays all of them, since a database takes a while to start:
 * that of shop is in order, those of other and of the branch are not.
 */

export const sqlSeed: SeedInput = {
  ...refusalSeed,
  projects: (refusalSeed.projects ?? []).map((project) =>
    project.ref === OTHER ? { ...project, branches: [{ name: "default" }, { name: "pushed" }] } : project,
  ),
};

const ENDLESS = "select count(*) from generate_series(1, 1e15::bigint)";
const OUT_OF_ORDER = `/v1/projects/${OTHER}`;

/** Whoever looks for the one migration in the history waits for ever. */
const ENDLESS_HISTORY = `insert into platform_migrations.schema_migrations (version, name) values ('1', 'n');
  create function never() returns boolean language plpgsql as 'begin loop end loop; end';
  alter table platform_migrations.schema_migrations rename to kept;
  create view platform_migrations.schema_migrations as select * from platform_migrations.kept where never()`;
/** So much that a millisecond does not do for its description. */
const CROWD = `do $$ begin
    for n in 1..100 loop execute format('create table t%s (id int primary key, x text)', n); end loop;
    for n in 1..2000 loop execute format('create schema s%s', n); end loop;
  end $$`;

async function run({ call }: EmulatorUnderTest, path: string, query: string): Promise<void> {
  const { status, text } = await call("POST", `${path}/database/query`, { body: { query } });
  if (status !== 201) throw new Error(`${status} ${text}`);
}

/** Before all of the rows. */
export async function prepareDatabases(under: EmulatorUnderTest): Promise<void> {
  await run(under, PROJECT, "create table public.kept (x int)");
  await run(under, OUT_OF_ORDER, ENDLESS_HISTORY);
  await run(
    under,
    filled("/v1/projects/BRANCH_REF", { ...(await branch("dev")(under)) }),
    `${ENDLESS_HISTORY}; ${CROWD}`,
  );
}

/** What SQL can be asked for: tables, and the history of migrations. */
export async function contentOf({ call }: EmulatorUnderTest): Promise<unknown> {
  const query = `select (select string_agg(oid::regclass::text, ' ' order by oid) from pg_class where relkind in ('r', 'v')) as tables,
    (select json_agg(m) from platform_migrations.schema_migrations m) as history`;
  return z
    .array(z.unknown())
    .length(1)
    .parse((await call("POST", `${PROJECT}/database/query`, { body: { query } })).json);
}

const MIGRATIONS = `${PROJECT}/database/migrations`;

const refused: readonly Refusal[] = [
  {
    id: "database.query",
    status: 400,
    because: "the database does not know the table",
    body: { query: "create table half (x int); select * from nowhere" },
    says: /^Failed to run sql query: ERROR: {2}42P01: relation "nowhere" does not exist\nLINE 1: .*from nowhere\n *\^\n$/,
  },
  {
    id: "database.queryReadOnly",
    status: 400,
    because: "it writes",
    body: { query: "create table public.written (x int)" },
    says: "Failed to run sql query: ERROR:  25006: cannot execute CREATE TABLE in a read-only transaction\n",
  },
  ...alike(["database.typescriptTypes", "database.context", "advisors.performance", "advisors.security"], {
    status: 400,
    because: "the project is paused, and its database does not run",
    given: paused,
    says: "The database of the project does not run: the project is INACTIVE",
  }),
  {
    id: "database.openapi",
    status: 400,
    because: "the Data API does not serve the schema",
    query: "schema=auth",
    says: "schema: The schema must be one of the following: public, graphql_public",
  },
  {
    id: "database.enableWebhooks",
    status: 400,
    because: "the disk is full, so that the database is read-only",
    given: full,
    says: "Failed to run sql query: ERROR:  25006: cannot execute CREATE SCHEMA in a read-only transaction\n",
  },
  {
    id: "migrations.apply",
    status: 400,
    because: "the database does not know the table; nothing of the migration stays",
    body: { query: "create table half (x int); drop table nowhere", name: "half" },
    says: 'Failed to run sql query: ERROR:  42P01: table "nowhere" does not exist\n',
  },
  {
    id: "migrations.upsert",
    status: 400,
    because: "there is no SQL",
    body: { query: "" },
    says: "query: expected SQL, at least one character, received string",
  },
  {
    id: "migrations.rollback",
    status: 400,
    because: "a version is a number",
    query: "gte=first",
    says: "gte: expected the version of a migration, digits only, such as 20260131120000, received 'first'",
  },
  {
    id: "migrations.list",
    status: 400,
    because: "the project is paused, and its database does not run",
    given: paused,
    says: "The database of the project does not run: the project is INACTIVE",
  },
  {
    id: "database.queryReadOnly",
    status: 400,
    of: ["all entity references must be schema qualified"],
    because: "it says no schema",
    body: { query: "select * from kept" },
    says: /^Failed to run sql query: ERROR: {2}42P01: relation "kept" does not exist\nLINE 1: .*\n *\^\n$/,
  },
  ...alike(
    ["list", "apply", "upsert", "rollback", "get", "update"].map((verb) => `migrations.${verb}`),
    {
      status: 403,
      of: ["an OAuth app passes only where its registration says partner, else 403"],
      because: "the app is no partner",
      given: ofNoPartner,
      by: "TOKEN",
      says:
        "Your account does not have the necessary privileges to access this endpoint. " +
        "Migrations are for selected partner apps only. For more details, refer to the documentation of the Management API.",
    },
  ),
  ...alike(["migrations.get", "migrations.update"], {
    status: 400,
    because: "a version is a number",
    path: `${MIGRATIONS}/first`,
    says: "version: expected the version of a migration, digits only, such as 20260131120000, received 'first'",
  }),
  ...alike(["migrations.get", "migrations.update"], {
    status: 404,
    because: "no such migration was applied",
    path: `${MIGRATIONS}/20260101000000`,
    says: "Migration not found",
  }),
];

async function ofNoPartner(under: EmulatorUnderTest): Promise<{ readonly TOKEN: string }> {
  return { TOKEN: await appToken(under, ["database:read", "database:write"]) };
}

async function paused({ control }: EmulatorUnderTest): Promise<void> {
  await control.projects.force({ ref: REF, status: "INACTIVE" });
}

async function full({ control }: EmulatorUnderTest): Promise<void> {
  await control.disk.fill({ ref: REF, usedPercent: 97 });
}

/** After each row, whatever it came to. */
export async function mend({ control, clock }: EmulatorUnderTest): Promise<void> {
  for (const { ref } of (await control.state.read({})).projects) await control.services.mend({ ref });
  await control.projects.force({ ref: REF, status: "ACTIVE_HEALTHY" });
  await control.disk.fill({ ref: REF, usedPercent: 10 });
  clock.advance(60_000);
}

/** A statement that does not end. */
const late = {
  status: 544,
  of: ["SQL, hostnames"],
  patienceMs: 200,
  says: "Failed to run sql query: upstream timeout",
} as const;
const onHistory = (verb: string, path = ""): Refusal => ({
  ...late,
  id: `migrations.${verb}`,
  because: "the history is a view whose condition never comes to an end",
  path: `${OUT_OF_ORDER}/database/migrations${path}`,
});

/** The database of the project, and that of its branch. */
async function silent(under: EmulatorUnderTest): ReturnType<ReturnType<typeof branch>> {
  const known = { ...(await branch("dev")(under)) };
  for (const ref of [REF, filled("BRANCH_REF", known)]) {
    await under.control.services.trouble({ ref, service: "db", answersAfterMs: DEFAULT_SETTINGS.sqlTimeoutMs + 1 });
  }
  return known;
}

const unheard = {
  status: 544,
  of: ["SQL, hostnames"],
  because: "the database takes longer to answer than the service waits",
  given: silent,
  says: "Failed to run sql query: upstream timeout",
} as const;

const unanswered: readonly Refusal[] = [
  ...alike(
    ["query", "queryReadOnly", "typescriptTypes", "openapi", "context", "enableWebhooks"].map(
      (verb) => `database.${verb}`,
    ),
    unheard,
  ),
  ...alike(["advisors.performance", "advisors.security"], unheard),
  ...alike(
    ["list", "apply", "upsert", "rollback"].map((verb) => `migrations.${verb}`),
    unheard,
  ),
  ...alike(["migrations.get", "migrations.update"], { ...unheard, path: `${MIGRATIONS}/1` }),
  ...alike(
    ["diff", "merge", "push", "reset"].map((verb) => `branches.${verb}`),
    unheard,
  ),
  { ...unheard, id: "branches.create", body: { branch_name: "copy" } },
  {
    ...late,
    id: "database.query",
    because: "the statement does not end",
    body: { query: `create table half (x int); ${ENDLESS}` },
  },
  { ...late, id: "database.queryReadOnly", because: "the statement does not end", body: { query: ENDLESS } },
  {
    ...late,
    id: "database.typescriptTypes",
    patienceMs: 1,
    because: "the service waits for a shorter time than the database needs to describe all that it holds",
    given: branch("dev"),
    path: callOf("database.typescriptTypes").path.replace(REF, "BRANCH_REF"),
  },
  {
    ...late,
    id: "migrations.apply",
    because: "the migration does not end",
    body: { query: `create table half (x int); ${ENDLESS}` },
  },
  onHistory("list"),
  onHistory("upsert"),
  onHistory("rollback", "?gte=1"),
  onHistory("get", "/1"),
  onHistory("update", "/1"),
  {
    ...late,
    id: "branches.create",
    because: "the copied database computes a view anew, which does not end",
    given: async (under) => {
      await run(under, PROJECT, `create materialized view never as ${ENDLESS} with no data`);
    },
    body: { branch_name: "copy" },
  },
  ...alike(["branches.merge", "branches.reset"], {
    ...late,
    because: "the branch's history is such a view",
    given: branch("dev"),
  }),
  {
    ...late,
    id: "branches.push",
    because: "the parent's history is such a view",
    given: branch("pushed"),
  },
];

export const SQL_REFUSALS: readonly Refusal[] = [...refused, ...unanswered];
