import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lastRows, rowsOf, testPool } from "../../../test/support/emulator/databases.ts";
import { ADMIN } from "./fresh.ts";

const pool = testPool();
const ask = (sql: string) => rowsOf(pool, "a", sql);
const WHO = "select session_user, rolsuper from pg_roles where rolname = session_user";
const POSTGRES = [["postgres", "f"]];
const RAISE_DENIED = "42501 permission denied to alter role";
const DENIED = '42501 permission denied to set session authorization "platform_admin"';

beforeAll(async () => {
  await ask(`create function become(who text) returns void language plpgsql as $$
    begin perform set_config('session_' || 'authorization', who, false); end $$`);
});
afterAll(() => pool.stop());

describe("SQL that writes", () => {
  const make = "create table taken (x int)";
  it.each([
    { sql: `${make}; set session authorization platform_admin`, why: "its text says so" },
    { sql: `${make}; select set_config('session_authorization', 'platform_admin', false)`, why: "a function is told" },
    { sql: `${make}; do $$ begin set session authorization platform_admin; end $$`, why: "a block does it" },
    {
      sql: `${make}; do $$ begin set session /* /* a */ b */ authorization platform_admin; end $$`,
      why: "a block does it, behind comments",
    },
    {
      sql: `${make}; do $$ begin perform set_config('session_authorization', 'platform_admin', true); end $$`,
      why: "a block tells a function",
    },
  ])("is refused, and nothing of it happens, where it becomes the platform's role: $why", async ({ sql }) => {
    expect(await ask(sql)).toBe(DENIED);
    expect(await ask("select session_user, to_regclass('taken')")).toEqual([["postgres", null]]);
  });

  it("is refused as well where a function hides it", async () => {
    expect(await ask("select become('platform_admin')")).toBe(DENIED);
    expect(await ask("select session_user")).toEqual([["postgres"]]);
  });

  const raise = "execute 'alter role postgres superuser'";
  const hidden = (who: string) => `execute 'set sess' || 'ion authoriz' || 'ation ${who}'`;
  it.each([
    { sql: `do $$ begin ${hidden("platform_admin")}; ${raise}; end $$`, why: "within", says: DENIED },
    {
      sql: `do $$ begin ${hidden("platform_admin")}; ${raise}; ${hidden("postgres")}; end $$`,
      why: "and back, so that nothing shows it",
      says: DENIED,
    },
    {
      sql: `select 1; do $$ begin ${hidden("platform_admin")}; commit; ${raise}; end $$`,
      why: "and ends it within",
      says: DENIED,
    },
    {
      sql: `begin; do $$ begin ${hidden("platform_admin")}; end $$; commit; alter role postgres superuser`,
      why: "first",
      says: DENIED,
    },
    {
      sql: `select become('platform_admin'); commit; alter role postgres superuser`,
      why: "before an end",
      says: DENIED,
    },
    { sql: "alter role postgres superuser", why: "not at all", says: RAISE_DENIED },
    { sql: "reset session authorization; alter role postgres superuser", why: "as it began", says: RAISE_DENIED },
    { sql: `reset session authorization; ${WHO}`, why: "as it began, and asks who it is", says: POSTGRES },
    { sql: `set session authorization default; ${WHO}`, why: "as it began, by default", says: POSTGRES },
    {
      sql: `do $$ begin reset session authorization; ${raise}; end $$`,
      why: "as it began, within a block",
      says: RAISE_DENIED,
    },
    { sql: `do $$ begin reset session authorization; end $$; ${WHO}`, why: "and a block does it", says: POSTGRES },
  ])("makes no superuser of postgres, becoming another: $why", async ({ sql, says }) => {
    expect(await ask(sql)).toEqual(says);
    expect(await ask("select session_user, rolsuper from pg_roles where rolname = 'postgres'")).toEqual([
      ["postgres", "f"],
    ]);
  });

  it("becomes nobody at the end of a transaction that ends with a step of the platform", async () => {
    await ask(`create table late (x int); create function raise() returns trigger language plpgsql as $$
      begin ${hidden("platform_admin")}; ${raise}; return null; end $$;
      create constraint trigger t after insert on late deferrable initially deferred for each row execute function raise()`);
    const steps = [
      { sql: "insert into public.late values (1)", role: "postgres" },
      { sql: "select 1", role: ADMIN },
    ] as const;
    expect(await pool.run("a", { steps, transaction: "read-write", searchPath: "" })).toMatchObject({
      kind: "refused",
    });
    expect(await ask("select rolsuper from pg_roles where rolname = 'postgres'")).toEqual([["f"]]);
  });

  it("begins as the superuser again, who sets what the project has for its sessions", async () => {
    await rowsOf(pool, "a", "select 1", "platform_read_only_user");
    const settings = { session_replication_role: "replica" };
    const steps = [{ sql: "select current_setting('session_replication_role')", role: "postgres" }] as const;
    expect(lastRows(await pool.run("a", { steps, settings }))).toEqual([["replica"]]);
  });

  it("is who it was in a memory that has grown", async () => {
    await ask("select octet_length(repeat('x', 200000000))");
    expect(await ask(`do $$ begin ${hidden("platform_admin")}; end $$`)).toBe(DENIED);
  });

  it("runs what cannot run in a transaction, and ends what it begins", async () => {
    const vacuum = "vacuum; -- session authorization";
    expect(await ask(vacuum)).toEqual([]);
    expect(
      await ask("begin; create table ended (x int); commit; select 'session authorization', count(*) from ended"),
    ).toEqual([["session authorization", "0"]]);
  });

  it.each([
    { sql: "set role platform_admin", says: '42501 permission denied to set role "platform_admin"' },
    {
      sql: "select set_config('role', 'platform_admin', false)",
      says: '42501 permission denied to set role "platform_admin"',
    },
    { sql: "set role anon; set session authorization default; select current_user", says: [["postgres"]] },
    { sql: "set role anon; reset session authorization; select current_user", says: [["postgres"]] },
    { sql: "set session authorization postgres; select session_user", says: [["postgres"]] },
    { sql: "select become('postgres'); select session_user", says: [["postgres"]] },
    { sql: "discard all", says: [] },
  ])("is what postgres' own session makes of it: $sql", async ({ sql, says }) => {
    expect(await ask(sql)).toEqual(says);
  });
});
