import fc from "fast-check";
import { expect, it } from "vitest";
import { namesPassword } from "./names.ts";
import { redact } from "../redact.ts";
import { withoutValues } from "./in-sql.ts";

/** Laws of SQL that names a secret; single texts are in redact-texts.test.ts. */

/** No word of SQL here has this letter. */
const canary = fc
  .array(fc.constantFrom("Z", "z", "'", '"', "\\", " ", "$", "$$", "--", "/*", "*/", ";", ")", "(", "=", "\n"), {
    maxLength: 6,
  })
  .map((parts) => `Z${parts.join("")}Z`);
const inQuotes = (text: string, quote: string): string => `${quote}${text.replaceAll(quote, quote + quote)}${quote}`;
const hiddenTokens = fc.oneof(
  canary.map((text) => inQuotes(text, "'")),
  canary.map((text) => inQuotes(text, '"')),
  canary.map((text) => `E'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`),
  canary.map((text) => `N${inQuotes(text, "'")}`),
  canary.map((text) => `$s$${text.replaceAll("$", "")}$s$`),
  canary.map((text) => `--${text.replaceAll("\n", "")}\n`),
  canary.map((text) => `/*${text.replaceAll(/[*/]/g, "")}*/`),
  fc.constantFrom("9876", "9.876e5", "0x9876", "1_9876"),
);
const WORDS = "select from where and or not in values insert into t a b users.name null coalesce $1 $2".split(" ");
const SIGNS = ["(", ")", ",", "[", "]", "||", "<>", "::", "<", "->>", "@>", "."];
const structure = fc.constantFrom(...WORDS, ...SIGNS);
const secretName = fc.constantFrom(
  "password",
  "u.passwd",
  "api_key",
  "vault.create_secret",
  "JWT",
  "user_token",
  "pwd",
);
const statements = fc
  .tuple(
    fc.constantFrom("select", "insert", "update", "with", "alter"),
    fc.array(fc.oneof(structure, hiddenTokens), { maxLength: 12 }),
    secretName,
    fc.array(fc.oneof(structure, hiddenTokens), { maxLength: 12 }),
  )
  .map(([command, before, name, behind]) => [command, ...before, name, ...behind]);

const runs = { numRuns: 2000 };

it("no value, no quoted name and no comment is shown of SQL that names a secret, wherever it is cut", () => {
  fc.assert(
    fc.property(statements, fc.double({ min: 0, max: 1, noNaN: true }), (tokens, part) => {
      const sql = tokens.join(" ");
      const cut = sql.slice(0, Math.round(sql.length * part));
      for (const text of [sql, cut]) expect(withoutValues(text, "[redacted]")).not.toMatch(/z|876/i);
    }),
    runs,
  );
});

it("its words, operators and brackets are shown", () => {
  fc.assert(
    fc.property(fc.array(structure), secretName, fc.array(structure), (before, name, behind) => {
      const sql = ["select", ...before, name, ...behind].join(" ");
      expect(withoutValues(sql, "[redacted]")).toBe(sql);
      expect(withoutValues(`${sql} 'Z' ${sql}`, "[redacted]")).toBe(`${sql} '[redacted]' ${sql}`);
    }),
    runs,
  );
});

it("SQL that names no secret is shown as it is", () => {
  fc.assert(
    fc.property(statements, (tokens) => {
      const sql = tokens.join(" ").replaceAll(/pass|pwd|_key|secret|vault|jwt|token/gi, "x");
      fc.pre(!namesPassword(sql) && sql.length <= 2000);
      expect(redact(sql, { sql: [sql] })).toBe(sql);
    }),
    runs,
  );
});

it.each([
  "select ",
  "'a' ",
  "$a$",
  "$$ ",
  "/*",
  "/**/",
  "-- \n",
  "E'a'\n",
  "a=",
  "=b.",
  "1 ",
  "(",
  ";",
  "\\",
  "--",
  "*+",
  "+-",
  "$a$ ",
  "$1",
  "a.",
  "E'\\''\n",
  "=a ",
  "= (",
  "password ",
  "set x = a,",
  "alter role r password a;",
  ", ",
])("the time is linear in the text: %j", (part) => {
  const startedAt = performance.now();
  withoutValues(`select 1; ${part.repeat(90_000 / part.length)}`, "[redacted]");
  expect(performance.now() - startedAt).toBeLessThan(2000);
});

it("what is too long to be read is hidden as a whole", () => {
  expect(withoutValues(`select password ${"a ".repeat(50_000)}`, "[redacted]")).toBe("[redacted]");
});
