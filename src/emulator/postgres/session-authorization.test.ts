import { describe, expect, it } from "vitest";
import { asSessionOf, endsSession, speaksOfSession } from "./session-authorization.ts";

const own = (sql: string) => asSessionOf("postgres", sql);

describe("the session of a caller", () => {
  it.each([
    "set session authorization platform_admin",
    "SET SESSION SESSION AUTHORIZATION 'platform_admin'",
    'set local session authorization "platform_admin"',
    "set session_authorization = platform_admin",
    "set local session_authorization to 'platform_admin'",
    "set session /* /* a */ b */ authorization platform_admin",
    "-- a\rset session -- b\r authorization platform_admin -- c",
    "/* /* a */ */ set session_authorization/**/to/**/platform_admin /* b */",
    "select t.case; set session authorization platform_admin",
    "select 1; -- first\nset /* now */ session/**/authorization platform_admin; select 2",
  ])("becomes nobody else: %s", (sql) => {
    const message = 'permission denied to set session authorization "platform_admin"';
    expect(own(sql).refusal).toEqual({ severity: "ERROR", code: "42501", message });
  });

  it.each([
    "set session authorization postgres",
    "set session authorization 'postgres'",
    "select current_setting('session_authorization')",
    "select 'set session authorization platform_admin; x'",
    "create schema session; create schema b authorization postgres",
    "set role anon; reset role; discard all; reset all",
  ])("is asked as it is for what it may: %s", (sql) => {
    expect(own(sql)).toEqual({ sql });
  });

  it.each(["discard all", "/* /* a */ */ DISCARD -- a\r ALL; -- b", "discard/**/all /* a */ ; /* b */"])(
    "is over after %j",
    (sql) => {
      expect(endsSession(sql)).toBe(true);
    },
  );

  it.each([
    "discard all; select 1",
    "discard plans",
    "select 'discard all'",
    "-- discard all",
    "discard\u00a0all",
    "x; discard all",
  ])("goes on after %j", (sql) => {
    expect(endsSession(sql)).toBe(false);
  });

  it.each(["session /* /* a */ b */ authorization", "session--a\rauthorization", "session\n \tauthorization"])(
    "is spoken of wherever it is named: %j",
    (name) => {
      expect(speaksOfSession(`do $$ begin set ${name} platform_admin; end $$`)).toBe(true);
    },
  );

  it("is not spoken of where other things are", () => {
    expect(speaksOfSession("create table session (authorization_id int); select /* a */ authorization_id")).toBe(false);
  });

  it("is read at once, however many comments stand before a statement", () => {
    const comments = "/* a */ -- b\n/*/ c **/".repeat(2_000);
    expect(endsSession(`${comments}discard all`)).toBe(true);
    expect(endsSession(`${comments}select 1`)).toBe(false);
    expect(own(`${comments}set session authorization platform_admin`).refusal).toBeDefined();
    expect(own(`${comments}select session_authorization`).refusal).toBeUndefined();
  });

  it.each([
    { sql: "reset session authorization; select x", is: "reset role                 ; select x" },
    { sql: "/* 😀 */ set session authorization default; x", is: `reset role${" ".repeat(31)}; x` },
    { sql: "reset/**/session /* /* a */ b */ authorization -- c", is: `reset role${" ".repeat(41)}` },
    { sql: "reset session_authorization", is: "reset role                 " },
  ])("goes back to whom it began as, and nothing moves: $sql", ({ sql, is }) => {
    expect(own(sql)).toEqual({ sql: is });
  });
});
