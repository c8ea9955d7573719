import { describe, expect, it } from "vitest";
import { ApiFailure } from "../failure.ts";
import { isSql, lqlAsSql } from "./lql.ts";

const where = (text: string): string => / where (.*) order by /.exec(lqlAsSql(text))?.[1] ?? "";

describe("a log query", () => {
  it.each([
    { text: "select 1", sql: true },
    { text: " \n-- a comment\n WITH x as (select 1) select 1", sql: true },
    { text: "/* a */ (select 1)", sql: true },
    { text: "source:edge_logs", sql: false },
    { text: "selection", sql: true },
    { text: "error", sql: false },
    { text: "", sql: false },
  ])("that is $text counts as SQL: $sql", ({ text, sql }) => {
    expect(isSql(text)).toBe(sql);
  });
});

describe("LQL", () => {
  it.each([
    { text: "", condition: "" },
    { text: "source:edge_logs", condition: "source::text = E'edge_logs'" },
    { text: "response.status_code:>=500", condition: "(log_attributes ->> E'response.status_code')::numeric >= 500" },
    { text: "m.request.method:~^P", condition: "(log_attributes ->> E'request.method')::text ~ E'^P'" },
    { text: "timestamp:>2026-01-01T00:00:00Z", condition: "\"timestamp\" > E'2026-01-01T00:00:00Z'" },
    { text: "boom", condition: "position(lower(E'boom') in lower(event_message)) > 0" },
    { text: '"it\'s \\ gone"', condition: "position(lower(E'it''s \\\\ gone') in lower(event_message)) > 0" },
    { text: "~^GET", condition: "event_message ~ E'^GET'" },
    { text: "-source:edge_logs", condition: "coalesce(not (source::text = E'edge_logs'), true)" },
    {
      text: '  source:edge_logs   identity:"user 1" ',
      condition: "source::text = E'edge_logs' and (log_attributes ->> E'identity')::text = E'user 1'",
    },
  ])("$text asks for $condition", ({ text, condition }) => {
    expect(where(text)).toBe(condition);
  });

  it.each(["c:count(*)", "s:event_message", 'source:"never closed', '"'])("%s is refused", (text) => {
    expect(() => lqlAsSql(text)).toThrow(ApiFailure);
  });
});
