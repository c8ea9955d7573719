import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type EmulatorUnderTest, emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { aBranch, aProject } from "../../../test/support/emulator/scenario.ts";

const HISTORY = "platform_migrations.schema_migrations";

/** Makes a superuser of postgres when one runs it, in whatever `postgres` can put where the platform may come by. */
const TRAPS = `
  create function trap() returns boolean language plpgsql as $$ begin
    if (select rolsuper from pg_catalog.pg_roles where rolname = current_user) then
      execute 'alter role postgres superuser';
    end if;
    return true;
  end $$;
  create function trap_of_trigger() returns trigger language plpgsql as $$ begin perform public.trap(); return new; end $$;
  create function trapped(name, name) returns boolean language plpgsql as $$ begin return public.trap() and false; end $$;
  create function trapped(text, text) returns boolean language plpgsql as $$ begin return public.trap() and false; end $$;
  create function format(text, name, name) returns text language plpgsql as $$ begin perform public.trap(); return null; end $$;
  create function length(character varying) returns int language plpgsql as $$ begin perform public.trap(); return 1; end $$;
  create operator !~ (leftarg = name, rightarg = name, function = trapped);
  create operator <> (leftarg = name, rightarg = name, function = trapped);
  create operator = (leftarg = text, rightarg = text, function = trapped);
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
    for (const one of [ref, branch]) {
      for (const path of READS) await call("GET", `/v1/projects/${one}/${path}`);
      const migrations = `/v1/projects/${one}/database/migrations`;
      await call("POST", migrations, { body: { query: "select 1", name: `at-${one}` } });
      await call("PUT", migrations, { body: { query: "select 2", name: "again" } });
      await call("PUT", migrations, { body: { query: "select 3", name: "again" } });
      await call("POST", `/v1/projects/${one}/database/webhooks/enable`);
    }
    await call("GET", `/v1/branches/${id}/diff`);
    for (const work of ["push", "merge", "reset"]) await call("POST", `/v1/branches/${id}/${work}`, { body: {} });
    for (const one of [ref, branch]) {
      const of =
        "select session_user::text, rolsuper from pg_catalog.pg_roles where rolname::text operator(pg_catalog.=) 'postgres'";
      expect(await ask(under, one, of)).toEqual([{ session_user: "postgres", rolsuper: false }]);
    }
  });

  it("does what asks the catalog alone: each place is known", () => {
    const root = join(import.meta.dirname, "..");
    const files = globSync("**/*.ts", { cwd: root }).filter((name) => !name.includes(".test."));
    const places = files.filter((name) =>
      /role: (?:ADMIN|"platform_admin")/.test(readFileSync(join(root, name), "utf8")),
    );
    // a step in here touches no object that postgres can make anything else of, and finds no name where he can put one
    expect(places.toSorted()).toEqual([
      "analytics/log-query.ts",
      "postgres/catalog.ts",
      "postgres/past.ts",
      "postgres/pool.ts",
    ]);
  });
});
