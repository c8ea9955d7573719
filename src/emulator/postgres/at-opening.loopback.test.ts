import { rm } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { rowsOf, testPool } from "../../../test/support/emulator/databases.ts";
import { CAUGHT, TRAP } from "../../../test/support/emulator/superuser-trap.ts";

const folder = join(tmpdir(), `at-opening-${randomUUID()}`);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A database with rows in which the platform's role did this, as callers could earlier, and which was closed then. */
async function openedAfter(ref: string, sql: string) {
  const before = testPool({}, folder);
  expect(await rowsOf(before, ref, "create table kept (x int); insert into kept values (1), (2)")).toEqual([]);
  await rowsOf(before, ref, sql, "platform_admin").catch(() => undefined);
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
    },
    {
      why: "postgres is the platform's role too",
      sql: "grant platform_admin to postgres with admin option; set session authorization postgres; grant platform_admin to anon",
    },
    { why: "another is one, and postgres is he", sql: "create role other superuser; grant other to postgres" },
    { why: "postgres writes the server's files", sql: "grant pg_write_server_files to postgres with admin option" },
  ])("keeps its rows, and no caller is a superuser, where $why", async ({ why, sql }) => {
    await using opened = await openedAfter(`roles${why}`.replaceAll(/[^a-z]/g, ""), sql);
    expect(await opened.ask("select x from kept order by x")).toEqual([["1"], ["2"]]);
    expect(await opened.ask("select rolname from pg_roles where rolsuper")).toEqual([["platform_admin"]]);
    expect(
      await opened.ask(`select rolname from pg_roles
        where rolname in ('platform_admin', 'pg_write_server_files') and pg_has_role('postgres', oid, 'member')`),
    ).toEqual([]);
    expect(await opened.ask("alter role postgres superuser")).toContain(DENIED);
    expect(await opened.ask("set role platform_admin")).toContain(DENIED);
  });

  it("lends no caller the rights of the superuser by what he left", async () => {
    await using opened = await openedAfter(
      "left",
      `create function lent() returns void language plpgsql security definer as $$
        begin execute 'alter role postgres superuser'; end $$;
      create view roles as select * from pg_authid; grant all on roles to postgres`,
    );
    expect(await opened.ask("select lent()")).toContain(DENIED);
    expect(await opened.ask("update roles set rolsuper = true where rolname = 'postgres'")).toContain(DENIED);
    expect(await opened.ask("select rolsuper from pg_roles where rolname = 'postgres'")).toEqual([["f"]]);
  });

  it("runs nothing that one left for whoever changes something, not even at its opening", async () => {
    await using opened = await openedAfter(
      "events",
      `${TRAP} alter function trap() owner to postgres; create table taken (x int); -- which is given back
      create function fired() returns event_trigger language plpgsql as $$ begin perform public.trap(); end $$;
      create event trigger at_login on login execute function fired();
      create event trigger at_change on ddl_command_end execute function fired()`,
    );
    expect(await opened.ask("select tableowner from pg_tables where tablename = 'taken'")).toEqual([["postgres"]]);
    expect(await opened.ask(CAUGHT)).toEqual([]);
  });

  const make = "create schema cs; create conversion cs.c for 'LATIN1' to 'UTF8' from iso8859_1_to_utf8";
  it.each([
    { why: "made", sql: make },
    { why: "lost", sql: `${make}; set allow_system_table_mods = on; delete from pg_conversion` },
  ])("has nothing left of a conversion that somebody $why", async ({ why, sql }) => {
    await using opened = await openedAfter(
      `conversion${why}`,
      `${sql}; alter schema cs owner to postgres; create role maker; ${why === "made" ? "alter conversion cs.c owner to maker" : ""}`,
    );
    expect(await opened.ask("drop schema cs cascade; select x from kept order by x")).toEqual([["1"], ["2"]]);
    expect(await opened.ask("select count(*) from pg_conversion")).toEqual([["0"]]);
  });

  it("lets nobody make a conversion, which would end it", async () => {
    await using opened = await openedAfter("conversions", "select 1");
    expect(await opened.ask(make)).toBe(`${DENIED} for function iso8859_1_to_utf8`);
    expect(await opened.ask("select x from kept order by x")).toEqual([["1"], ["2"]]);
  });
});
