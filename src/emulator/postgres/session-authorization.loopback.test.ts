import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rowsOf, testPool } from "../../../test/support/emulator/databases.ts";

const pool = testPool();
const ask = (sql: string) => rowsOf(pool, "a", sql);
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
