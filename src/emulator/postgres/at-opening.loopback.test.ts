import { rm } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { rowsOf, rowsOfSuperuser, testPool } from "../../../test/support/emulator/databases.ts";
import { CAUGHT, TRAP } from "../../../test/support/emulator/superuser-trap.ts";
import { answered } from "../sql/sql.ts";

const folder = join(tmpdir(), `at-opening-${randomUUID()}`);
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Past {
  /** what the superuser did, as callers could earlier */
  readonly sql: string;
  /** what `postgres` did after him */
  readonly next?: readonly string[];
  /** after it nobody can begin a session any more */
  readonly ends?: boolean;
}

/** A database with rows, in which this was done, and which was closed then. */
async function openedAfter(ref: string, { sql, next = [], ends = false }: Past) {
  const before = testPool({}, folder);
  expect(await rowsOf(before, ref, "create table kept (x int); insert into kept values (1), (2)")).toEqual([]);
  const done = rowsOfSuperuser(before, ref, sql).catch((error: unknown) => String(error));
  expect(String(await done)).toMatch(ends ? /the database ended while it was asked$/ : /^$/);
  for (const one of next) expect(await rowsOf(before, ref, one)).toEqual([]);
  await before.stop();
  const pool = testPool({}, folder);
  const ask = (text: string) => rowsOf(pool, ref, text);
  return { ask, [Symbol.asyncDispose]: () => pool.stop() };
}

const DENIED = "42501 permission denied";

describe("a database that is opened", () => {
  it.each([
    { why: "postgres is one", sql: "alter role postgres superuser" },
    { why: "who reads is one", sql: "alter role platform_read_only_user superuser" },
    {
      why: "the platform's role has another name",
      sql: "update pg_authid set rolname = 'other' where oid = 10; alter role postgres superuser",
      ends: true,
    },
    {
      why: "another took that name from it",
      sql: `update pg_authid set rolname = 'other' where oid = 10; create role platform_admin superuser; grant platform_admin to postgres`,
    },
    {
      why: "another took the next name too",
      sql: `update pg_authid set rolname = 'other' where oid = 10; create role platform_admin superuser;
        do $$ begin execute 'create role platform_admin_' || to_regrole('platform_admin')::oid; end $$`,
    },
    {
      why: "postgres is the platform's role too",
      sql: `grant platform_admin to postgres with admin option; grant platform_admin to anon with admin option granted by postgres;
        grant platform_admin to service_role granted by anon`,
    },
    { why: "another is one, and postgres is he", sql: "create role other superuser; grant other to postgres" },
    {
      why: "postgres writes the server's files",
      sql: "grant pg_write_server_files to postgres with admin option",
      next: ["grant pg_write_server_files to anon"],
    },
  ])("keeps its rows, and no caller is a superuser, where $why", async ({ why, ...past }) => {
    await using opened = await openedAfter(`roles${why}`.replaceAll(/[^a-z]/g, ""), past);
    expect(await opened.ask("select x from kept order by x")).toEqual([["1"], ["2"]]);
    expect(await opened.ask("select rolname from pg_roles where rolsuper")).toEqual([["platform_admin"]]);
    expect(
      await opened.ask(`select rolname from pg_roles
        where rolname in ('platform_admin', 'pg_write_server_files')
          and (pg_has_role('postgres', oid, 'member') or exists (select from pg_auth_members where roleid = oid))`),
    ).toEqual([]);
    expect(await opened.ask("alter role postgres superuser")).toContain(DENIED);
    expect(await opened.ask("set role platform_admin")).toContain(DENIED);
  });

  const lent = (name: string): string => `create function ${name} returns void language plpgsql security definer as $$
    begin execute 'alter role postgres superuser'; end $$`;
  it("lends no caller the rights of the superuser by what he left", async () => {
    const views = ["roles", "su.roles", "platform_internal.roles"];
    const functions = ["lent()", "su.lent()", "platform_internal.lent()", "of_extension()"];
    await using opened = await openedAfter("left", {
      sql: `create schema su; grant all on schema su, platform_internal to postgres;
        ${views.map((name) => `create view ${name} as select * from pg_authid; grant all on ${name} to postgres;`).join("\n")}
        ${functions.map((name) => `${lent(name)};`).join("\n")}
        alter extension pgcrypto add function of_extension()`,
    });
    for (const name of functions) expect(await opened.ask(`select ${name}`)).toContain(DENIED);
    for (const name of views) expect(await opened.ask(`update ${name} set rolsuper = true`)).toContain(DENIED);
    expect(await opened.ask("select rolsuper from pg_roles where rolname = 'postgres'")).toEqual([["f"]]);
  });

  it.each([
    { why: "given", sql: "grant update (rolsuper), select on pg_authid to postgres" },
    {
      why: "to give",
      sql: "grant update, select on pg_authid to postgres with grant option",
      first: "grant update (rolsuper) on pg_authid to postgres",
    },
    {
      why: "owned",
      sql: "set allow_system_table_mods = on; alter table pg_authid owner to postgres",
      first: "grant update (rolsuper), select on pg_authid to postgres",
    },
  ])("lends no caller the rights of the superuser by a catalog that is $why", async ({ why, sql, first }) => {
    await using opened = await openedAfter(`catalog${why.replace(" ", "")}`, { sql });
    if (first !== undefined) await opened.ask(first);
    expect(await opened.ask("update pg_authid set rolsuper = true where rolname = 'postgres'")).toContain(DENIED);
    expect(await opened.ask("select rolsuper from pg_roles where rolname = 'postgres'")).toEqual([["f"]]);
    expect(await opened.ask("select x from kept order by x")).toEqual([["1"], ["2"]]);
  });

  it("keeps what everybody reads of the catalog, and nothing of what a superuser granted of it", async () => {
    const sql = `select oid::regclass, num, acl
      from (select oid, 0 as num, relacl as acl from pg_class union all select attrelid, attnum, attacl from pg_attribute) a
      where oid < 16384 and acl is not null order by oid, num`;
    const before = testPool({}, folder);
    const grants = await rowsOf(before, "granted", sql);
    await before.stop();
    await using opened = await openedAfter("granted", {
      sql: `create role reader; grant reader to postgres with admin option; revoke select on information_schema.tables, pg_class from public;
        grant all on information_schema.tables, information_schema._pg_foreign_servers, pg_authid, pg_roles to reader with grant option;
        grant update (rolname) on pg_authid to reader`,
    });
    expect(await opened.ask(sql)).toEqual(grants);
    expect(
      await opened.ask("drop role reader; set role anon; select count(*) > 0 from information_schema.tables"),
    ).toEqual([["t"]]);
  });

  it.each(["grant create on schema pg_catalog to postgres", "alter schema pg_catalog owner to postgres"])(
    "lets nobody add to the functions that it is put in order with, after: %s",
    async (sql) => {
      await using opened = await openedAfter(`added${sql.slice(0, 5)}`, { sql });
      const add = "create function pg_catalog.format(text, name) returns text language sql as 'select $1'";
      expect(await opened.ask(add)).toBe(`${DENIED} for schema pg_catalog`);
      expect(await opened.ask("select count(*) > 0 from pg_catalog.pg_tables")).toEqual([["t"]]);
    },
  );

  it("writes none of the catalog's own rows where all is as it should be", async () => {
    const sql = `select oid, xmin from pg_class where oid < 16384 union all select attrelid, xmin from pg_attribute where attrelid < 16384
      union all select oid, xmin from pg_namespace where oid < 16384`;
    const before = testPool({}, folder);
    const rows = await rowsOf(before, "fresh", sql);
    await before.stop();
    await using opened = await openedAfter("fresh", { sql: "" });
    expect(await opened.ask(sql)).toEqual(rows);
  });

  it("lends them by nothing temporary that outlived its session either", async () => {
    const before = testPool({ timeoutMs: 3_000 }, folder);
    const left = rowsOfSuperuser(
      before,
      "temporary",
      `create temporary view roles as select * from pg_authid; grant all on roles to postgres;
      grant usage on schema pg_temp_0 to postgres; begin; commit; do $$ begin loop end loop; end $$`,
    );
    await expect(left).rejects.toMatchObject({ reason: "timeout" });
    expect(await rowsOf(before, "temporary", "update pg_temp_0.roles set rolsuper = true")).toMatch(/^42P01 /);
    await before.stop();
  });

  it("gives the user what a superuser made, of any kind, with all that is in it", async () => {
    await using opened = await openedAfter("made", {
      sql: `create schema app; create table app.t (id serial, g int generated always as identity, x int); insert into app.t (x) values (1);
        create view app.v as select x from app.t; create materialized view app.m as select x from app.t;
        create table app.parts (x int) partition by range (x); create table app.part partition of app.parts for values from (0) to (10);
        create sequence app.s; create type app.color as enum ('a'); create type app.pair as (a int); create domain app.small as int check (value < 9);
        create type app.span as range (subtype = int); create procedure app.p() language sql as 'select 1';
        create function app.f() returns name language sql security definer as 'select current_user';
        create procedure app.p(a int) language sql as 'select 1'; create procedure app.q(int, "b c" int) language sql as 'select 1';
        create procedure app.q(int, out "b c" int) language sql as 'select 1';
        create aggregate app.total(int) (sfunc = int4pl, stype = int); create extension hstore schema app;
        do $$ begin perform lo_from_bytea(4711, 'abc'); end $$`,
    });
    const writes = `insert into app.t (x) values (2); insert into app.parts values (1); refresh materialized view app.m;
      alter table app.t add y int; alter type app.color add value 'b'; alter type app.pair add attribute b int;
      alter domain app.small drop constraint small_check; create table app.own (h app.hstore); do $$ begin perform lo_put(4711, 0, 'd'); end $$`;
    expect(await opened.ask(writes)).toEqual([]);
    expect(await opened.ask("select array_agg(x), app.f(), nextval('app.s'), lo_get(4711) from app.v")).toEqual([
      ["{1,2}", "postgres", "1", String.raw`\x646263`],
    ]);
    const drops = `drop aggregate app.total(int); drop function app.f(); drop procedure app.p(), app.p(int), app.q(in int, in int), app.q(in int, out int);
      drop type app.span, app.color, app.pair, app.small; drop sequence app.s; drop table app.t, app.parts cascade; drop schema app cascade`;
    expect(await opened.ask(drops)).toEqual([]);
  });

  it("has the history of migrations kept by the user, for whom the superuser kept it earlier", async () => {
    await using opened = await openedAfter("history", {
      sql: "revoke execute on function platform_internal.next_version(text) from postgres",
    });
    expect(await opened.ask("select platform_internal.next_version('20260101000000')")).toEqual([["20260101000000"]]);
  });

  it("says which it is and why, where it does not open", async () => {
    await using opened = await openedAfter("nameless", {
      sql: "update pg_authid set rolname = 'gone' where rolname = 'postgres'",
    });
    const message = 'the database does not open: nameless: role "postgres" does not exist';
    for (const _time of [1, 2]) {
      const asked = opened.ask("select x from kept");
      await expect(asked).rejects.toMatchObject({ reason: "unopened", message });
      await expect(answered(asked)).rejects.toMatchObject({
        status: 544,
        message: `Failed to run sql query: ${message}`,
      });
    }
  });

  it("runs nothing that one left for whoever changes something, not even at its opening", async () => {
    await using opened = await openedAfter("events", {
      sql: `${TRAP} alter function trap() owner to postgres; create table taken (x int); -- which is given back
      create function fired() returns event_trigger language plpgsql as $$ begin perform public.trap(); end $$;
      create event trigger at_login on login execute function fired();
      create event trigger at_change on ddl_command_end execute function fired()`,
    });
    expect(await opened.ask("select tableowner from pg_tables where tablename = 'taken'")).toEqual([["postgres"]]);
    expect(await opened.ask(CAUGHT)).toEqual([]);
  });

  const make = "create schema cs; create conversion cs.c for 'LATIN1' to 'UTF8' from iso8859_1_to_utf8";
  it.each([
    { why: "made", sql: "" },
    { why: "lost", sql: "set allow_system_table_mods = on; delete from pg_conversion" },
  ])("has nothing left of a conversion that somebody $why", async ({ why, sql }) => {
    await using opened = await openedAfter(`conversion${why}`, {
      sql: `create role maker; grant maker to postgres with admin option; ${make}; alter conversion cs.c owner to maker; ${sql}`,
    });
    expect(await opened.ask("drop schema cs cascade; drop role maker; select x from kept order by x")).toEqual([
      ["1"],
      ["2"],
    ]);
    expect(await opened.ask("select count(*) from pg_conversion")).toEqual([["0"]]);
  });

  it("lets nobody make a conversion, which would end it", async () => {
    await using opened = await openedAfter("conversions", { sql: "" });
    expect(await opened.ask(make)).toBe(`${DENIED} for function iso8859_1_to_utf8`);
    expect(await opened.ask("select x from kept order by x")).toEqual([["1"], ["2"]]);
  });
});
