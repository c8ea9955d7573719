import { describe, expect, it } from "vitest";
import { asSessionOf, endsSession } from "./session-authorization.ts";

const own = (sql: string) => asSessionOf("postgres", sql);

describe("the session of a caller", () => {
  it.each([
    "set session authorization platform_admin",
    "SET SESSION SESSION AUTHORIZATION 'platform_admin'",
    'set local session authorization "platform_admin"',
    "set session_authorization = platform_admin",
    "set local session_authorization to 'platform_admin'",
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
    { sql: "reset session_authorization", is: "reset role                 " },
  ])("goes back to whom it began as, and nothing moves: $sql", ({ sql, is }) => {
    expect(own(sql)).toEqual({ sql: is });
  });
});
