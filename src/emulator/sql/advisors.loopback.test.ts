import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { LINT_RULES } from "../postgres/lints.ts";
import { type EmulatorUnderTest, emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { typedClient } from "../../../test/support/emulator/typed-client.ts";

const REF = "abcdefghijklmnopqrst";

let under: EmulatorUnderTest;
let client: ReturnType<typeof typedClient>;

beforeAll(async () => {
  under = await emulatorUnderTest({
    limits: { requestsPerMinute: 0 },
    seed: {
      projects: [{ name: "shop", ref: REF }],
      tokens: [{ token: "fine", user: "owner", permissions: ["database_read"] }],
    },
  });
  client = typedClient(under);
});
afterAll(async () => {
  await client.close();
  await under[Symbol.asyncDispose]();
});

/** The client keeps to a budget of requests for each minute. */
beforeEach(() => under.clock.advance(60_000));

const sql = (query: string) => client.database.query({ ref: REF, body: { query } });

/** What both advisors find, by name and what it is about. */
async function found(): Promise<readonly string[]> {
  const lists = [
    await client.advisors.performance({ ref: REF }),
    await client.advisors.security({ ref: REF, lint_type: "sql" }),
  ];
  return lists.flatMap(({ lints }) =>
    lints.map(({ name, cache_key }) => `${name}: ${cache_key.slice(name.length + 1)}`),
  );
}

/** How a finding comes and goes. `base` is there before, and causes other findings perhaps. */
const CASES: readonly {
  readonly name: string;
  readonly base?: string;
  readonly make: string;
  readonly key: string;
  readonly detail: string;
  readonly mend: string;
}[] = [
  {
    name: "unindexed_foreign_keys",
    base: "create table p (a int, b int, primary key (a, b))",
    make: "create table c (id int primary key, x int, y int, constraint c_fkey foreign key (x, y) references p)",
    key: "public_c_c_fkey",
    detail: "Table public.c has a foreign key c_fkey without a covering index.",
    mend: "create index on c (y, x, id)",
  },
  {
    name: "no_primary_key",
    make: "create table t (x int)",
    key: "public_t",
    detail: "Table public.t does not have a primary key.",
    mend: "alter table t add primary key (x)",
  },
  {
    name: "duplicate_index",
    base: "create table t (x int); create index one on t (x); create unique index three on t (x); create index four on t (x) where x > 0",
    make: "create index two on t (x)",
    key: "public_t_one,two",
    detail: "Table public.t has identical indexes {one,two}. Drop all except one of them.",
    mend: "drop index two",
  },
  {
    name: "multiple_permissive_policies",
    base: "create table t (x int); alter table t enable row level security; create policy one on t for select to anon using (true)",
    make: "create policy two on t to anon using (x > 0)",
    key: "public_t_anon_SELECT",
    detail:
      "Table public.t has multiple permissive policies for role anon for action SELECT. Policies include {one,two}",
    mend: "drop policy two on t; create policy two on t as restrictive to anon using (x > 0)",
  },
  {
    name: "auth_rls_initplan",
    base: "create table t (owner uuid); alter table t enable row level security",
    make: "create policy own on t using (auth.uid() = owner)",
    key: "public_t_own",
    detail: "Table public.t has a row level security policy own that re-evaluates an auth function for each row.",
    mend: "alter policy own on t using ((select auth.uid()) = owner)",
  },
  {
    name: "rls_disabled_in_public",
    make: "create table t (x int)",
    key: "public_t",
    detail: "Table public.t is public, but RLS has not been enabled.",
    mend: "alter table t enable row level security",
  },
  {
    name: "rls_disabled_in_public",
    make: "create table t (x int)",
    key: "public_t",
    detail: "Table public.t is public, but RLS has not been enabled.",
    mend: "revoke all on t from anon, authenticated",
  },
  {
    name: "policy_exists_rls_disabled",
    base: "create table t (x int)",
    make: "create policy p on t using (true)",
    key: "public_t",
    detail: "Table public.t has RLS policies but RLS is not enabled on the table. Policies include {p}.",
    mend: "alter table t enable row level security",
  },
  {
    name: "rls_enabled_no_policy",
    base: "create table t (x int)",
    make: "alter table t enable row level security",
    key: "public_t",
    detail: "Table public.t has RLS enabled, but no policies exist",
    mend: "create policy p on t using (true)",
  },
  {
    name: "security_definer_view",
    make: "create view v as select 1 as x",
    key: "public_v",
    detail: "View public.v is defined with the SECURITY DEFINER property",
    mend: "alter view v set (security_invoker = on)",
  },
  {
    name: "auth_users_exposed",
    make: "create view v with (security_invoker = on) as select email from auth.users",
    key: "public_v",
    detail:
      'View/Materialized View "v" in the public schema may expose auth.users data to anon or authenticated roles.',
    mend: "revoke all on v from anon, authenticated",
  },
  {
    name: "materialized_view_in_api",
    make: "create materialized view m as select 1 as x",
    key: "public_m",
    detail: "Materialized view public.m is selectable by anon or authenticated roles",
    mend: "revoke select on m from anon, authenticated",
  },
  {
    name: "function_search_path_mutable",
    make: "create function f(x int) returns int language sql as 'select 1'",
    key: "public_f_",
    detail: "Function public.f has a role mutable search_path",
    mend: "alter function f set search_path = ''",
  },
  {
    name: "extension_in_public",
    make: "create extension citext schema public",
    key: "citext",
    detail: "Extension citext is installed in the public schema. Move it to another schema.",
    mend: "drop extension citext; create extension citext schema extensions",
  },
];

/** Removes what the cases make, and leaves the schema as it is. */
const CLEAN = `do $$
  declare drops text;
  begin
    for drops in
      select format('drop %s if exists public.%I cascade',
        case relkind when 'v' then 'view' when 'm' then 'materialized view' else 'table' end, relname)
      from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'v', 'm')
    loop
      execute drops;
    end loop;
  end $$;
  drop function if exists f(int);
  drop extension if exists citext`;

describe("advisors", () => {
  it("find nothing in a fresh database", async () => {
    expect(await found()).toEqual([]);
  });

  it.each(CASES)(
    "find $name, and no more once it is mended by: $mend",
    async ({ name, base, make, key, detail, mend }) => {
      const here = async (): Promise<readonly string[]> =>
        (await found()).filter((one) => one.startsWith(`${name}: ${key}`));
      if (base !== undefined) await sql(base);
      expect(await here()).toEqual([]);
      await sql(make);
      expect(await here()).toHaveLength(1);
      const lists = [await client.advisors.performance({ ref: REF }), await client.advisors.security({ ref: REF })];
      expect(lists.flatMap(({ lints }) => lints).filter((lint) => lint.name === name)).toContainEqual(
        expect.objectContaining({
          name,
          detail,
          facing: "EXTERNAL",
          metadata: expect.objectContaining({ type: expect.any(String) }),
        }),
      );
      await sql(mend);
      expect(await here()).toEqual([]);
      await sql(CLEAN);
      expect(await found()).toEqual([]);
    },
  );

  it("are tried one by one, each of them", () => {
    expect(new Set(CASES.map(({ name }) => name))).toEqual(new Set(LINT_RULES.map(({ name }) => name)));
  });

  it("look at the schemas that the Data API serves, and at no others, for what only matters there", async () => {
    await sql(
      "create schema hidden; create table hidden.t (x int primary key); grant usage on schema hidden to anon; grant select on hidden.t to anon",
    );
    expect(await found()).toEqual([]);
    await client.dataApi.update({ ref: REF, body: { db_schema: "public,hidden" } });
    expect(await found()).toEqual(["rls_disabled_in_public: hidden_t"]);
    await client.dataApi.update({ ref: REF, body: { db_schema: "public" } });
    expect(await found()).toEqual([]);
  });

  it("split their findings by category, and take no other kind", async () => {
    await sql("create table t (x int)");
    const performance = await client.advisors.performance({ ref: REF });
    expect(performance.lints.map(({ name, categories }) => [name, categories])).toEqual([
      ["no_primary_key", ["PERFORMANCE"]],
    ]);
    const security = await client.advisors.security({ ref: REF });
    expect(security.lints.flatMap(({ categories }) => categories)).not.toContain("PERFORMANCE");
    expect((await under.call("GET", `/v1/projects/${REF}/advisors/security?lint_type=html`)).status).toBe(400);
    expect((await under.call("GET", `/v1/projects/${REF}/advisors/security`, { token: "fine" })).status).toBe(403);
  });
});
