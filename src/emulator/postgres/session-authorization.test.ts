import { describe, expect, it } from "vitest";
import { backToOwnRole } from "./session-authorization.ts";

describe("the session of a caller", () => {
  it.each([
    "set session authorization postgres",
    "set session authorization 'default'",
    "select current_setting('session_authorization')",
    "select 'x; reset session authorization; x'",
    "create schema session; create schema b authorization postgres",
    "set role anon; reset role; discard all; reset all",
  ])("is asked as it is for what PostgreSQL decides: %s", (sql) => {
    expect(backToOwnRole(sql)).toBe(sql);
  });

  it("is read at once, however many comments stand before a statement", () => {
    const comments = "/* a */ -- b\n/*/ c **/".repeat(2_000);
    expect(backToOwnRole(`${comments}reset session authorization`)).not.toContain("authorization");
  });

  it.each([
    { sql: "reset session authorization; select x", is: "reset role                 ; select x" },
    { sql: "/* 😀 */ set session authorization default; x", is: `reset role${" ".repeat(31)}; x` },
    { sql: "reset/**/session /* /* a */ b */ authorization -- c", is: `reset role${" ".repeat(41)}` },
    { sql: "reset session_authorization", is: "reset role                 " },
  ])("goes back to whom it began as, and nothing moves: $sql", ({ sql, is }) => {
    expect(backToOwnRole(sql)).toBe(is);
  });
});
