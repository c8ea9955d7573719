import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitStatements } from "./statements.ts";

const textsOf = (sql: string): readonly string[] => splitStatements(sql).map(({ text }) => text);

const CASES: readonly { readonly reason: string; readonly sql: string; readonly statements: readonly string[] }[] = [
  { reason: "nothing is no statement", sql: "", statements: [] },
  { reason: "blanks, comments and lone semicolons are none either", sql: " ; -- a;b\n /* c; */ ;", statements: [] },
  { reason: "the last one needs no semicolon", sql: "select 1; select 2", statements: ["select 1", "select 2"] },
  {
    reason: "a string holds one",
    sql: "select ';', 'it''s;'; select 2",
    statements: ["select ';', 'it''s;'", "select 2"],
  },
  { reason: "so does a name", sql: 'select 1 as "a;""b"; select 2', statements: ['select 1 as "a;""b"', "select 2"] },
  {
    reason: "a backslash ends no plain string",
    sql: String.raw`select '\'; select 2`,
    statements: [String.raw`select '\'`, "select 2"],
  },
  {
    reason: "but hides a quote in an escape string",
    sql: String.raw`select E'\';'; select 2`,
    statements: [String.raw`select E'\';'`, "select 2"],
  },
  {
    reason: "also where that goes on in another line",
    sql: String.raw`select E'a' -- b${"\n"}'\';'; select 2`,
    statements: [String.raw`select E'a' -- b${"\n"}'\';'`, "select 2"],
  },
  {
    reason: "a dollar quote",
    sql: "do $$ begin a; end $$; select 2",
    statements: ["do $$ begin a; end $$", "select 2"],
  },
  {
    reason: "a dollar quote with a tag and another in it",
    sql: "do $a$ $$;$$ ; $a$; select 2",
    statements: ["do $a$ $$;$$ ; $a$", "select 2"],
  },
  { reason: "a parameter begins no dollar quote", sql: "select $1; select $2", statements: ["select $1", "select $2"] },
  {
    reason: "nor does a dollar within a name",
    sql: "select a$b$c; select b$b$",
    statements: ["select a$b$c", "select b$b$"],
  },
  {
    reason: "comments within comments",
    sql: "select /* /* ; */ ; */ 1; select 2",
    statements: ["select /* /* ; */ ; */ 1", "select 2"],
  },
  {
    reason: "a line comment ends with its line",
    sql: "select 1 -- x;\n; select 2",
    statements: ["select 1 -- x;", "select 2"],
  },
  {
    reason: "rules hold several in parentheses",
    sql: "create rule r as on insert to t do (a; b); select 2",
    statements: ["create rule r as on insert to t do (a; b)", "select 2"],
  },
  {
    reason: "the body of an SQL-standard function",
    sql: "create function f() returns int begin atomic select case when true then 1 end; select 2; end; select 3",
    statements: [
      "create function f() returns int begin atomic select case when true then 1 end; select 2; end",
      "select 3",
    ],
  },
  {
    reason: "a transaction's begin and end are statements",
    sql: "begin; select 1; end; select 2",
    statements: ["begin", "select 1", "end", "select 2"],
  },
  ...[
    { label: "select 1 as case", why: "behind `as`" },
    { label: "select t.case from t", why: "behind a dot" },
    { label: "select 1 case", why: "without `as`" },
    { label: "update t set x = t.end", why: "as `end`" },
    { label: "select begin atomic from t", why: "as `atomic`" },
  ].map(({ label, why }) => ({
    reason: `what begins or ends something may be a label, ${why}`,
    sql: `${label}; commit; select 1/0`,
    statements: [label, "commit", "select 1/0"],
  })),
  ...[
    "select 1 as end",
    "select t.end",
    "select 1 end",
    "select t.case, 1 as case",
    "select case when a then b end",
  ].map((label) => ({
    reason: `in the body of a function as well: ${label}`,
    sql: `create or replace procedure p() begin atomic ${label}; select 2; /* that */ end; select 3`,
    statements: [`create or replace procedure p() begin atomic ${label}; select 2; /* that */ end`, "select 3"],
  })),
  {
    reason: "the body of a function has no statement",
    sql: "create function f() returns void begin atomic end; select 3",
    statements: ["create function f() returns void begin atomic end", "select 3"],
  },
  {
    reason: "what is a letter to PostgreSQL is no blank",
    sql: "select 1 \u00a0; \ufeff; \v\fselect 2\v\f",
    statements: ["select 1 \u00a0", "\ufeff", "select 2"],
  },
  {
    reason: "a comment ends the longest operator",
    sql: `select 1 ${"+".repeat(62)}--; it's\n 1; select 2`,
    statements: [`select 1 ${"+".repeat(62)}--; it's\n 1`, "select 2"],
  },
  { reason: "what is never closed lasts to the end", sql: "select 'a; select 2", statements: ["select 'a; select 2"] },
];

describe("statements of an SQL text", () => {
  it.each(CASES)("$reason", ({ sql, statements }) => {
    expect(textsOf(sql)).toEqual(statements);
  });

  it("stand where they say, in any text", () => {
    const pieces = fc.constantFrom(
      "select 1",
      ";",
      "'",
      '"',
      "$$",
      "$a$",
      "(",
      ")",
      "--",
      "\n",
      "/*",
      "*/",
      "case",
      "end",
      "E'\\",
      "create function",
      "begin atomic",
      "\u00a0",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
        const sql = parts.join(" ");
        for (const { text, start } of splitStatements(sql)) {
          expect(sql.slice(start, start + text.length)).toBe(text);
          expect(textsOf(text)).toEqual([text]);
        }
      }),
    );
  });
});
