import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lastRows, rowsOf, testPool } from "../../../test/support/emulator/databases.ts";
import type { SqlOutcome } from "./database.ts";

const pool = testPool();
afterAll(() => pool.stop());

const PREPARE = `
  create table t (x int);
  insert into t values (1);
  create sequence s;
  create table guarded (x int);
  alter table guarded enable row level security;
  insert into guarded values (7);
  create function sneak() returns void language plpgsql as $$
    begin execute 'set session authorization platform_admin'; insert into public.t values (2); end $$;
  create function definer() returns void language plpgsql security definer as $$ begin insert into public.t values (3); end $$;
  create function committing() returns void language plpgsql as $$ begin commit; insert into public.t values (4); end $$;
  create procedure finishing() language plpgsql as $$ begin commit; insert into public.t values (5); end $$;
  create function loosening() returns void language plpgsql as $$
    begin perform set_config('transaction_read_only', 'off', true); insert into public.t values (6); end $$;
  create function catching() returns text language plpgsql as $$
    begin
      begin execute 'set transaction read write'; insert into public.t values (7); exception when others then return sqlerrm; end;
      return 'written';
    end $$;
  create view v as select x, definer() is null as y from t;
  create rule r as on insert to v do instead insert into t values (8);`;

/** What a writer could have changed. */
const TRACES = `select (select string_agg(x::text, ',') from public.t), (select last_value::text || is_called from public.s),
  (select count(*)::text from pg_roles), (select count(*)::text from pg_class where relnamespace = 'public'::regnamespace),
  (select count(*)::text from pg_largeobject_metadata), current_setting('default_transaction_read_only')`;

function read(
  sql: string,
  more: { parameters?: readonly (string | null)[]; searchPath?: string } = {},
): Promise<SqlOutcome> {
  const { parameters, searchPath = "" } = more;
  const step = { sql, role: "platform_read_only_user", ...(parameters === undefined ? {} : { parameters }) } as const;
  return pool.run("a", { transaction: "read-only", searchPath, steps: [step] });
}

beforeAll(async () => {
  const refusal = await rowsOf(pool, "a", PREPARE);
  if (typeof refusal === "string") throw new Error(refusal);
});

const READS: readonly {
  readonly reason: string;
  readonly sql: string;
  readonly gives: unknown;
  readonly parameters?: readonly (string | null)[];
}[] = [
  { reason: "rows by their schema", sql: "select x from public.t", gives: [["1"]] },
  { reason: "no rows without it", sql: "select x from t", gives: '42P01 relation "t" does not exist' },
  { reason: "rows that row level security hides from others", sql: "select x from public.guarded", gives: [["7"]] },
  {
    reason: "the rows of the last statement that has some",
    sql: "select 1; select 2; set work_mem = '8MB'",
    gives: [["2"]],
  },
  {
    reason: "settings within one request",
    sql: "set search_path = public; select x from t",
    gives: [["1"]],
  },
  {
    reason: "parameters",
    sql: "select $1::int + 1, $2 || 'y', $3::text is null",
    parameters: ["41", String.raw`o'x\ `, null],
    gives: [["42", String.raw`o'x\ y`, "t"]],
  },
  {
    reason: "no parameter that is not asked for",
    sql: "select 1",
    parameters: ["1"],
    gives: '08P01 bind message supplies 1 parameters, but prepared statement "" requires 0',
  },
  {
    reason: "nor too few",
    sql: "select $1::int, $2::int",
    parameters: ["1"],
    gives: '08P01 bind message supplies 1 parameters, but prepared statement "" requires 2',
  },
  {
    reason: "values of every odd form",
    sql: String.raw`select null, '', ' ', 'a,b', '(', ')', '"', '\', E'two\nlines', array['a b', null], row(1, 'x y')`,
    gives: [[null, "", " ", "a,b", "(", ")", '"', "\\", "two\nlines", '{"a b",NULL}', '(1,"x y")']],
  },
  { reason: "rows without columns", sql: "select from public.t", gives: [[]] },
  { reason: "what is no select", sql: "explain (costs off) select 1", gives: [["Result"]] },
  { reason: "settings", sql: "show transaction_read_only", gives: [["on"]] },
  {
    reason: "who it runs as",
    sql: "select current_user, session_user",
    gives: [["platform_read_only_user", "platform_read_only_user"]],
  },
  { reason: "plain code", sql: "do $$ begin perform 1; end $$; select 'done'", gives: [["done"]] },
  { reason: "nothing of nothing", sql: "-- a comment", gives: [] },
  { reason: "the platform's own tables", sql: "select count(*) from auth.users", gives: [["0"]] },
];

const ESCAPES: readonly { readonly sql: string; readonly refusal: RegExp; readonly parameters?: readonly string[] }[] =
  [
    { sql: "insert into public.t values (9)", refusal: /^25006 cannot execute INSERT in a read-only transaction/ },
    { sql: "insert into public.t values ($1) returning x", parameters: ["9"], refusal: /^25006/ },
    { sql: "update public.t set x = 2", refusal: /^25006/ },
    { sql: "delete from public.t", refusal: /^25006/ },
    { sql: "truncate public.t", refusal: /^25006/ },
    { sql: "with w as (insert into public.t values (9) returning x) select * from w", refusal: /^25006/ },
    { sql: "explain analyze insert into public.t values (9)", refusal: /^25006/ },
    { sql: "select x into public.made from public.t", refusal: /^25006/ },
    { sql: "create table public.made as select 1", refusal: /^25006/ },
    { sql: "create temp table made (x int)", refusal: /^25006|42501/ },
    { sql: "create role made", refusal: /^25006/ },
    { sql: "alter table public.t add y int", refusal: /^25006/ },
    { sql: "drop table public.t", refusal: /^25006/ },
    { sql: "grant all on public.t to anon", refusal: /^25006/ },
    { sql: "comment on table public.t is 'x'", refusal: /^25006/ },
    { sql: "vacuum public.t", refusal: /^25001|0A000/ },
    { sql: "reindex table public.t", refusal: /^25006|42501/ },
    { sql: "select nextval('public.s')", refusal: /^42501/ },
    { sql: "select setval('public.s', 9)", refusal: /^42501/ },
    { sql: "select * from public.t for update", refusal: /^25006/ },
    { sql: "select lo_create(9)", refusal: /^25006/ },
    { sql: "select lo_from_bytea(9, 'x')", refusal: /^25006/ },
    { sql: "copy public.t from stdin", refusal: /^0A000|25006|XX000/ },
    { sql: "copy public.t to '/pglite/data/made'", refusal: /^0A000|42501|XX000/ },
    { sql: "copy (select 1) to program 'true'", refusal: /^0A000|42501|XX000/ },
    { sql: "set transaction read write; insert into public.t values (9)", refusal: /^25001/ },
    { sql: "set transaction_read_only = off; insert into public.t values (9)", refusal: /^25001/ },
    { sql: "set local transaction_read_only = off; insert into public.t values (9)", refusal: /^25001/ },
    {
      sql: "select set_config('transaction_read_only', 'off', false); insert into public.t values (9)",
      refusal: /^25001/,
    },
    { sql: "reset transaction_read_only; insert into public.t values (9)", refusal: /^0A000/ },
    {
      sql: "set session characteristics as transaction read write; insert into public.t values (9)",
      refusal: /^25006/,
    },
    { sql: "set default_transaction_read_only = off; insert into public.t values (9)", refusal: /^25006/ },
    { sql: "commit; insert into public.t values (9)", refusal: /^0A000/ },
    { sql: "commit", refusal: /^0A000/ },
    { sql: "end; insert into public.t values (9)", refusal: /^0A000/ },
    { sql: "rollback; insert into public.t values (9)", refusal: /^0A000/ },
    { sql: "abort; insert into public.t values (9)", refusal: /^0A000/ },
    { sql: "commit and chain; insert into public.t values (9)", refusal: /^0A000/ },
    { sql: "rollback and chain; set transaction read write; insert into public.t values (9)", refusal: /^0A000/ },
    { sql: "begin; insert into public.t values (9)", refusal: /^0A000/ },
    { sql: "savepoint a; rollback to a; insert into public.t values (9)", refusal: /^0A000/ },
    { sql: "prepare transaction 'x'", refusal: /^0A000/ },
    { sql: "prepare p as insert into public.t values (9); execute p", refusal: /^25006/ },
    { sql: "/* commit; */ -- ;\ncommit; insert into public.t values (9)", refusal: /^0A000/ },
    { sql: "select ';'; commit; insert into public.t values (9)", refusal: /^0A000/ },
    { sql: "select $a$;$a$; commit; insert into public.t values (9)", refusal: /^0A000/ },
    { sql: "select 1 \\; commit", refusal: /^42601/ },
    { sql: "reset role; insert into public.t values (9)", refusal: /^42501/ },
    { sql: "set role postgres; insert into public.t values (9)", refusal: /^42501/ },
    { sql: "set role none", refusal: /^42501/ },
    { sql: "set local role postgres", refusal: /^42501/ },
    { sql: "set session authorization platform_admin", refusal: /^42501/ },
    { sql: "set session authorization default; insert into public.t values (9)", refusal: /^42501/ },
    { sql: "reset session authorization; insert into public.t values (9)", refusal: /^42501/ },
    { sql: "select set_config('role', 'postgres', false)", refusal: /^42501/ },
    { sql: "select set_config('session_authorization', 'platform_admin', true)", refusal: /^42501/ },
    { sql: "update pg_settings set setting = 'postgres' where name = 'role'", refusal: /^25006/ },
    { sql: "reset all; insert into public.t values (9)", refusal: /^25006/ },
    { sql: "discard all", refusal: /^25001/ },
    { sql: "do $$ begin execute 'set session authorization platform_admin'; end $$", refusal: /^42501/ },
    { sql: "do $$ begin execute 'commit'; end $$", refusal: /^0A000/ },
    { sql: "do $$ begin commit; insert into public.t values (9); end $$", refusal: /^2D000/ },
    { sql: "do $$ begin perform set_config('transaction_read_only', 'off', false); end $$", refusal: /^25001/ },
    { sql: "do $$ begin insert into public.t values (9); exception when others then raise; end $$", refusal: /^25006/ },
    { sql: "select public.sneak()", refusal: /^42501/ },
    { sql: "select public.definer()", refusal: /^25006/ },
    { sql: "select * from public.v", refusal: /^25006/ },
    { sql: "insert into public.v values (9)", refusal: /^42501/ },
    { sql: "select public.committing()", refusal: /^2D000/ },
    { sql: "call public.finishing()", refusal: /^2D000/ },
    { sql: "select public.loosening()", refusal: /^25001/ },
    { sql: "select platform_internal.run_statement('commit')", refusal: /^0A000/ },
    { sql: "select platform_internal.run_statement('set session authorization platform_admin')", refusal: /^42501/ },
    { sql: "select platform_internal.read_rows('insert into public.t values (9) returning x')", refusal: /^25006/ },
    {
      sql: "create or replace function platform_internal.run_statement(s text) returns void language sql as ''",
      refusal: /^25006/,
    },
    { sql: "alter role platform_read_only_user superuser", refusal: /^25006/ },
    { sql: "alter system set default_transaction_read_only = off", refusal: /^25001|42501/ },
    { sql: "select pg_terminate_backend(pg_backend_pid())", refusal: /^42501/ },
    { sql: "select pg_reload_conf()", refusal: /^42501/ },
    { sql: "select pg_read_file('postgresql.conf')", refusal: /^42501/ },
    { sql: "set session_replication_role = replica", refusal: /^42501/ },
    { sql: "load 'plpgsql'", refusal: /./ },
  ];

describe("read-only SQL", () => {
  it.each(READS)("gets $reason", async ({ sql, gives, parameters }) => {
    expect(lastRows(await read(sql, parameters === undefined ? {} : { parameters }))).toEqual(gives);
  });

  it("finds names without their schema where a search path is given", async () => {
    expect(lastRows(await read("select x from t", { searchPath: "public" }))).toEqual([["1"]]);
  });

  it.each(ESCAPES)("cannot: $sql", async ({ sql, refusal, parameters }) => {
    const before = await rowsOf(pool, "a", TRACES);
    expect(lastRows(await read(sql, parameters === undefined ? {} : { parameters }))).toMatch(refusal);
    expect(await rowsOf(pool, "a", TRACES)).toEqual(before);
  });

  it("catches no refusal and writes then", async () => {
    expect(lastRows(await read("select public.catching()"))).toEqual([
      ["cannot set transaction read-write mode inside a read-only transaction"],
    ]);
  });

  it("cannot, however the pieces of such tries are put together", async () => {
    const pieces = [
      ...ESCAPES.flatMap(({ sql }) => sql.split(/(?<=;)|(?=;)/)),
      "$$",
      "'",
      "/*",
      "*/",
      "--",
      "\n",
      "select 1",
    ];
    const before = await rowsOf(pool, "a", TRACES);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 8 }), async (parts) => {
        await read(parts.join(" ")).catch(() => undefined);
        expect(await rowsOf(pool, "a", TRACES)).toEqual(before);
      }),
      { numRuns: 300 },
    );
  });

  it("is told where an error stands in the whole text, and nothing of what it is wrapped in", async () => {
    const wrong = await read("select 'ä😀';\n select * from nowhere");
    expect(wrong).toMatchObject({ kind: "refused", error: { code: "42P01", position: 29 } });
    const late = await read("select 1/(x-1) from public.t");
    expect(late).toEqual({
      kind: "refused",
      step: 0,
      error: { severity: "ERROR", code: "22012", message: "division by zero" },
    });
    const raised = await read("do $$ begin raise exception 'no' using hint = 'ask', detail = 'because'; end $$");
    expect(raised).toMatchObject({
      error: {
        code: "P0001",
        message: "no",
        hint: "ask",
        detail: "because",
        where: "PL/pgSQL function inline_code_block line 1 at RAISE",
      },
    });
  });
});
