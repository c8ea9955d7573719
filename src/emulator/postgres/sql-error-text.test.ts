import { describe, expect, it } from "vitest";
import { sqlErrorText } from "./sql-error-text.ts";

const base = { severity: "ERROR", code: "42P01", message: 'relation "x" does not exist' };

describe("the text of an SQL error", () => {
  it("has the code and the words", () => {
    expect(sqlErrorText(base, "select")).toBe('ERROR:  42P01: relation "x" does not exist\n');
  });

  it("shows the line and marks the place, counted in characters", () => {
    const sql = "select 'ä😀',\n  😀, x\nfrom x";
    const position = Array.from(sql).lastIndexOf("x") + 1;
    expect(sqlErrorText({ ...base, position }, sql)).toBe(
      'ERROR:  42P01: relation "x" does not exist\nLINE 3: from x\n             ^\n',
    );
    expect(
      sqlErrorText({ ...base, position: 19 }, sql)
        .split("\n")
        .slice(1, 3),
    ).toEqual(["LINE 2:   😀, x", "             ^"]);
  });

  it("adds what else the database says, in its order", () => {
    const more = { detail: "d", hint: "h", internalQuery: "q", where: "w" };
    expect(
      sqlErrorText({ ...base, ...more }, "select")
        .split("\n")
        .slice(1),
    ).toEqual(["DETAIL:  d", "HINT:  h", "QUERY:  q", "CONTEXT:  w", ""]);
  });
});
