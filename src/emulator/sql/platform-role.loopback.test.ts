import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type EmulatorUnderTest, emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { A_WHILE, aBranch, aProject } from "../../../test/support/emulator/scenario.ts";
import { CAUGHT, NAMES, TRAP } from "../../../test/support/emulator/superuser-trap.ts";
import type { SqlJob } from "../postgres/database.ts";
import { ADMIN } from "../postgres/fresh.ts";

const HISTORY = "platform_migrations.schema_migrations";

/** In whatever `postgres` can put where the platform may come by. */
const TRAPS = `${TRAP}${NAMES}
  create table things (x int default 1 check (trap()));
  create trigger always before truncate on things execute function trap_of_trigger();
  alter table things enable always trigger always;
  create materialized view kept as select trap() as x from things;
  create index on things ((x + 1)) where x > 1;
  alter table things enable row level security;
  create policy p on things using (trap());
  create schema platform_functions;
  create table platform_functions.hooks (id bigint default trap()::int, hook_table_id oid not null, hook_name text);`;
const AT_HISTORY = `
  create trigger t before insert or update on ${HISTORY} for each row execute function trap_of_trigger();
  create constraint trigger late after insert on ${HISTORY} deferrable initially deferred for each row execute function trap_of_trigger();
  alter table ${HISTORY} alter idempotency_key set default public.trap()::text || clock_timestamp(), add check (public.trap());`;
const AS_VIEW = `
  alter table ${HISTORY} rename to migrations;
  create view ${HISTORY} as select * from platform_migrations.migrations where public.trap();`;

async function ask({ call }: EmulatorUnderTest, ref: string, query: string): Promise<unknown> {
  const { status, json } = await call("POST", `/v1/projects/${ref}/database/query`, { body: { query } });
  expect({ status, json }).toMatchObject({ status: 201 });
  return json;
}

const READS = [
  "advisors/performance",
  "advisors/security",
  "types/typescript",
  "database/openapi",
  "database/migrations",
  "database/context",
];

/** Notes a migration of this name, later than any before: what has the same version is the same to a branch. */
async function migrated({ call, clock }: EmulatorUnderTest, ref: string, name: string): Promise<void> {
  clock.advance(1000);
  const { status, json } = await call("POST", `/v1/projects/${ref}/database/migrations`, {
    body: { query: "select public.trap()", name },
  });
  expect({ status, json }).toMatchObject({ status: 200 });
}

/** Asked as the reader, for whom the history is no trap. */
async function namesIn({ call }: EmulatorUnderTest, ref: string): Promise<unknown> {
  const query = "select name from platform_migrations.schema_migrations order by version";
  return (await call("POST", `/v1/projects/${ref}/database/query/read-only`, { body: { query } })).json;
}

/** Has work done on a branch, and lets its run come to its end. */
async function worked({ call, clock }: EmulatorUnderTest, id: string, work: string): Promise<void> {
  const { status, json } = await call("POST", `/v1/branches/${id}/${work}`, { body: {} });
  expect({ status, json }).toMatchObject({ status: 201 });
  clock.advance(A_WHILE);
}

describe("the platform's role", () => {
  it.each([
    { where: "a table", traps: TRAPS + AT_HISTORY },
    { where: "a view", traps: TRAPS + AS_VIEW },
  ])("runs nothing that is the user's, who makes $where of the history", async ({ traps }) => {
    await using under = await emulatorUnderTest();
    const { call } = under;
    const ref = await aProject(under);
    await ask(under, ref, traps);
    await aBranch(under, ref, "main");
    const { id, project_ref: branch } = await aBranch(under, ref, "dev");
    const caught = async (): Promise<unknown> => [await ask(under, ref, CAUGHT), await ask(under, branch, CAUGHT)];
    for (const one of [ref, branch]) {
      for (const path of READS) await call("GET", `/v1/projects/${one}/${path}`);
      const migrations = `/v1/projects/${one}/database/migrations`;
      await call("PUT", migrations, { body: { query: "select 2", name: "again" } });
      await call("PUT", migrations, { body: { query: "select 3", name: "again" } });
      await call("POST", `/v1/projects/${one}/database/webhooks/enable`);
    }
    await call("GET", `/v1/branches/${id}/diff`);
    expect(await caught()).toEqual([[], []]);
    await migrated(under, branch, "for main");
    await worked(under, id, "merge");
    await migrated(under, ref, "for dev");
    await worked(under, id, "push");
    const names = ["again", "for main", "for dev"].map((name) => ({ name }));
    expect([await namesIn(under, ref), await namesIn(under, branch)]).toEqual([names, names]);
    expect(await caught()).toEqual([[], []]);
    await worked(under, id, "reset");
    expect(await caught()).toEqual([[], []]);
  });

  it("does what asks the catalog alone: each place is known", () => {
    const root = join(import.meta.dirname, "..");
    const files = globSync("**/*.ts", { cwd: root }).filter((name) => !name.includes(".test."));
    const text = (name: string): string => readFileSync(join(root, name), "utf8");
    const naming = (pattern: RegExp): readonly string[] => files.filter((name) => pattern.test(text(name))).toSorted();
    // a step in here touches no object that postgres can make anything else of, and finds no name where he can put one
    const places = ["postgres/catalog.ts", "postgres/past.ts", "postgres/pool.ts"];
    expect(places.filter((name) => !text(name).includes('searchPath: ""'))).toEqual([]);
    // a step of the superuser needs ADMIN (database.ts): these make none, and what the thread of a database says outside of any job, they say
    const thread = ["at-opening", "authenticated-user", "engine", "fresh", "session"].map(
      (name) => `postgres/${name}.ts`,
    );
    const tells = ["postgres/statement-timeout.ts"];
    expect(naming(/\bADMIN\b|platform_admin|\bas Superuser\b/)).toEqual([...places, ...thread, ...tells].toSorted());
    expect(naming(/\bsimple\(|\bextended\(/)).toEqual(
      ["authenticated-user", "engine", "read-only", "session", "wire"].map((name) => `postgres/${name}.ts`),
    );
  });

  it("is nobody's whose job has the names that users put somewhere, and no text is it", () => {
    const steps = [{ sql: "select 1", role: ADMIN }];
    // @ts-expect-error -- names are found where users put them
    const named: SqlJob = { steps };
    // @ts-expect-error -- a text
    const said: SqlJob = { steps: [{ sql: "select 1", role: "platform_admin" }], searchPath: "" };
    expect([named.steps, said.steps]).toEqual([steps, steps]);
  });
});
