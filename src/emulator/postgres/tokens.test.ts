import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sqlTokenAt, tokensOf } from "./tokens.ts";

/** Without blanks: what each is, and what of it is no quote. */
function readingOf(sql: string): readonly (readonly [string, string])[] {
  const tokens = Array.from(tokensOf(sql)).filter(({ kind }) => kind !== "blank");
  return tokens.map(({ kind, from, to }) => [kind, sql.slice(from, to)]);
}

const CASES: readonly {
  readonly reason: string;
  readonly sql: string;
  readonly tokens: readonly (readonly [string, string])[];
}[] = [
  {
    reason: "a quote is written twice within itself",
    sql: `'it''s' "a""b"`,
    tokens: [
      ["literal", "it''s"],
      ["identifier", 'a""b'],
    ],
  },
  {
    reason: "a backslash escapes in an escape string alone",
    sql: String.raw`E'it\'s' 'a\' "b\"`,
    tokens: [
      ["literal", String.raw`it\'s`],
      ["literal", "a\\"],
      ["identifier", "b\\"],
    ],
  },
  {
    reason: "prefixes belong to what they stand before",
    sql: `U&'a' u&"b" b'1' X'f' n'c' date'd'`,
    tokens: [
      ["literal", "a"],
      ["identifier", "b"],
      ["literal", "1"],
      ["literal", "f"],
      ["literal", "c"],
      ["word", "date"],
      ["literal", "d"],
    ],
  },
  {
    reason: "dollars quote with the same tag alone, and neither in a name nor before digits",
    sql: "$a$ $$'$$ $a$ b$$c $1",
    tokens: [
      ["literal", " $$'$$ "],
      ["word", "b$$c"],
      ["parameter", "$1"],
    ],
  },
  {
    reason: "comments stand within comments, and end operators",
    sql: "1+-- don't\n/* /* it's */ */-2",
    tokens: [
      ["number", "1"],
      ["operator", "+"],
      ["comment", " don't"],
      ["comment", " /* it's */ "],
      ["operator", "-"],
      ["number", "2"],
    ],
  },
  {
    reason: "the sign of a number is no part of an operator before it",
    sql: "a=-1 b@-1 c::d:=e",
    tokens: [
      ...([
        ["word", "a"],
        ["operator", "="],
        ["operator", "-"],
        ["number", "1"],
      ] as const),
      ...([
        ["word", "b"],
        ["operator", "@-"],
        ["number", "1"],
      ] as const),
      ...([
        ["word", "c"],
        ["operator", "::"],
        ["word", "d"],
        ["operator", ":="],
        ["word", "e"],
      ] as const),
    ],
  },
  {
    reason: "numbers have parts and powers",
    sql: "1.5e-3 .5 0x1F 1_000",
    tokens: [
      ["number", "1.5e-3"],
      ["number", ".5"],
      ["number", "0x1F"],
      ["number", "1_000"],
    ],
  },
  {
    reason: "no letters but the blanks of PostgreSQL stand between words",
    sql: "a\t\n\v\f\r b\u00a0c \ufeffd \u2003e",
    tokens: [
      ["word", "a"],
      ["word", "b\u00a0c"],
      ["word", "\ufeffd"],
      ["word", "\u2003e"],
    ],
  },
  ...[1, 62, 63, 64, 5000].flatMap((length) => {
    const signs = "+".repeat(length);
    return ["-- it's", "/* it's */"].map((comment) => ({
      reason: `a comment, ${comment}, ends an operator of ${length} signs`,
      sql: signs + comment,
      tokens: [
        ["operator", signs],
        ["comment", comment.slice(2).replace("*/", "")],
      ] as const,
    }));
  }),
  ...[62, 63, 64].map((length) => ({
    reason: `an operator of ${length} signs is one`,
    sql: `${"<".repeat(length - 1)}@1`,
    tokens: [
      ["operator", `${"<".repeat(length - 1)}@`],
      ["number", "1"],
    ] as const,
  })),
  { reason: "what is not closed lasts to the end", sql: "'a''", tokens: [["literal", "a''"]] },
];

describe("tokens of SQL", () => {
  it.each(CASES)("$reason", ({ sql, tokens }) => {
    expect(readingOf(sql)).toEqual(tokens);
  });

  it("go on in another line as they began", () => {
    expect(sqlTokenAt(String.raw`'it\'s'`, 0, true)).toMatchObject({ from: 1, to: 6, escapes: "backslashes" });
  });

  it.each(["+", "-", "/", "+/**/", "=+", "*-", " ", "a", "'", "$a", "1"])(
    "are read at once in a long run of %s",
    (run) => {
      const sql = run.repeat(400_000);
      expect(Array.from(tokensOf(sql)).at(-1)?.end).toBe(sql.length);
    },
  );

  it("are all of any text, one behind the other", () => {
    const parts = fc.constantFrom(
      "a",
      "1",
      ".",
      "'",
      '"',
      "\\",
      "$",
      "$$",
      "$a$",
      "E'",
      "U&'",
      "--",
      "/*",
      "*/",
      "+",
      "@",
      "e1",
      "\u00a0",
      "é",
      "\n",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(parts).map((texts) => texts.join("")),
        ),
        (sql) => {
          let at = 0;
          for (const { start, end, from, to } of tokensOf(sql)) {
            expect(start).toBe(at);
            expect(end).toBeGreaterThan(start);
            expect(end).toBeLessThanOrEqual(sql.length);
            expect(start <= from && from <= to && to <= end).toBe(true);
            at = end;
          }
          expect(at).toBe(sql.length);
        },
      ),
    );
  });
});
