import { describe, expect, it } from "vitest";
import { withinTransaction } from "./within-transaction.ts";

describe("SQL within a transaction of ours", () => {
  it.each([
    { sql: "begin; create table a (); commit;", within: "     ; create table a ();       ;" },
    {
      sql: "BEGIN TRANSACTION ISOLATION LEVEL SERIALIZABLE;\nselect 1;\nEND WORK",
      within: `${" ".repeat(46)};\nselect 1;\n        `,
    },
    {
      sql: "start transaction read write; commit and chain; select 1",
      within: `${" ".repeat(28)};${" ".repeat(17)}; select 1`,
    },
    { sql: "/* 😀 */ commit; select x", within: "              ; select x", why: "a place is a number of characters" },
    { sql: "a;commit -- done", within: "a;              " },
    { sql: "a; end transaction -- bye\n;b", within: `a; ${" ".repeat(22)}\n;b` },
    { sql: "/* a /* b */ c */ commit; b", within: `${" ".repeat(24)}; b` },
    { sql: "-- a\rcommit; b", within: `${" ".repeat(11)}; b` },
    { sql: "commit/**/work /* a */ and -- b\n no chain; c", within: `${" ".repeat(31)}\n         ; c` },
    { sql: "begin -- a\n isolation level serializable; b", within: `${" ".repeat(10)}\n${" ".repeat(29)}; b` },
    { sql: "start/**/transaction; b", within: `${" ".repeat(20)}; b` },
    { sql: "begin deferrable, read only; b", within: `${" ".repeat(27)}; b` },
    { sql: "update t set x = t.case; commit; b", within: "update t set x = t.case;       ; b" },
  ])("lacks what begins and ends one of its own, and nothing moves: $sql", ({ sql, within }) => {
    expect(withinTransaction(sql)).toEqual({ sql: within });
  });

  it.each([
    "do $$ begin perform 1; end $$",
    "create procedure p() begin atomic select 1; end",
    "savepoint a; rollback to a; release a",
    "rollback to savepoint a; rollback transaction to a",
    "select 'begin;'; -- commit;",
    'create table commit_log (begin_at int, "end" int)',
    "commit prepared 'x'",
    "commit /* a */ prepared 'x'",
    "rollback -- a\n to savepoint a",
    "rollback/* a */to a",
    "commit\u00a0work",
    "'commit'",
  ])("is left as it is where that is something else: %s", (sql) => {
    expect(withinTransaction(sql)).toEqual({ sql });
  });

  it.each([
    { sql: "select 1; rollback", position: 11 },
    { sql: "-- 😀\nABORT WORK", position: 6 },
    { sql: "rollback transaction and no chain;", position: 1 },
    { sql: "prepare transaction 'x'", position: 1 },
    { sql: "create table a (); rollback -- oops", position: 20 },
    { sql: "a; rollback /* oops */", position: 4 },
    { sql: "/* /* 😀 */ */ abort--", position: 15 },
    { sql: "-- a\rrollback", position: 6 },
    { sql: "rollback/**/work /* a */ and -- b\n chain", position: 1 },
    { sql: "prepare/**/transaction 'x'", position: 1 },
    { sql: "select t.case; rollback", position: 16 },
  ])("is refused where it would take back what is to be committed: $sql", ({ sql, position }) => {
    expect(withinTransaction(sql)).toMatchObject({ refusal: { code: "2D000", position } });
  });
});
