import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { passwordPlaces, withoutPasswords } from "./in-text.ts";

/** Laws of what is hidden in texts; single texts are in redact-texts.test.ts. */

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const escaped = (text: string): string => `E'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
const ofPrograms = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
const json = (text: string): string => JSON.stringify(text);
const inCsv = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** No other text here has its letter. */
const secrets = fc
  .array(
    fc.constantFrom("Z", "z", "ZZ", "'", '"', "\\", " ", "$", "$$", "--", "/*", ",", ";", ")", "(", "=", "%", "{"),
    {
      maxLength: 8,
    },
  )
  .map((parts) => `Z${parts.join("")}Z`);
const words = fc.stringMatching(/^Z[zZ!#*.~-]{0,8}Z$/);

/** Literals of SQL that are a password. */
const sqlLiterals = fc.oneof(
  secrets.map(literal),
  secrets.map(escaped),
  secrets.map((secret) => `$s$${secret}$s$`),
  secrets.map((secret) => `N${literal(secret)}`),
  words.map((word) => `U&'${word}'`),
  words.map((word) => `'${word}'\n  '${word}'`),
);
const names = fc.constantFrom("password", "PASSWORD", "db_password", "passwd", "passphrase", "user_pwd", "smtp_pass");

/** What ends as a statement or a line does, with the password of an SQL literal. */
const SQL_FORMS: readonly ((name: string, value: string) => string)[] = [
  (name, value) => `alter role r with encrypted ${name} ${value} valid until 'x'`,
  (name, value) => `alter role r ${name}/* it's */${value}`,
  (name, value) => `alter role r ${name} -- it's\n ${value}`,
  (name, value) => `select set_config('app.${name}', ${value}, true)`,
  (name, value) => `select jsonb_build_object('a', 'b', '${name}', crypt(${value}, gen_salt('bf')))`,
  (name, value) => `select jsonb_set(d, '{a,${name}}', to_jsonb(${value}))`,
  (name, value) => `create user mapping for u server s options (user 'bob', "${name}" ${value})`,
  (name, value) => `set app.${name} to ${value}`,
  (name, value) => `set app.${name} to crypt(${value}, 'x')`,
  (name, value) => `update u set a = 'x', ${name} = ${value} where b = 'x'`,
  (name, value) => `update u set "${name}"="extensions"."crypt"(${value}, gen_salt('bf'))`,
  (name, value) => `update u set ${name} = case when a then ${value} else 'x' end`,
  (name, value) => `update u set (a, ${name}) = ('x', ${value})`,
  (name, value) => `select * from u where (u.${name}, a) = (${value}, 'x') and b = 'x'`,
  (name, value) => `update u set ${name} = (select ${value}), a = 'x'`,
  (name, value) => `update u set ${name} = ''::text || ${value} || 'x'`,
  (name, value) => `insert into u (a, "${name}", b) values ('x', ${value}, 'y'), ('x', lower(${value}), 'y')`,
  (name, value) => `insert into u (a, ${name}) select 'x', ${value} from t`,
  (name, value) => `select * from u where u.${name}::text in ('x', ${value}) and a = 'x'`,
  (name, value) => `select * from u where lower(${name}) is distinct from ${value}`,
  (name, value) => `select * from u where ${value} = u.${name}`,
  (name, value) => `select f(${name} => ${value}, n => 1)`,
  (name, value) => `select set_${name}('x', ${value})`,
  (name, value) => `select ${value} as ${name}, 'x'`,
  (name, value) => `select d->>'${name}' = ${value} from t`,
  (name, value) => `update settings set value = ${value} where key = '${name}'`,
  (name, value) => `do $f$ declare v_${name} constant varchar(20) not null := ${value}; begin end $f$`,
  (name, value) => `execute 'alter role r ${name} ' || quote_literal(${value}) || ' login'`,
  (name, value) => `execute format('alter role r ${name} %L', ${value})`,
  (name, value) => `execute 'update u set ${name} = $1' using ${value}`,
  (name, value) => `raise notice '${name}: %', ${value}`,
];
const sqlForms = fc
  .tuple(fc.constantFrom(...SQL_FORMS), names, sqlLiterals)
  .map(([form, name, value]) => form(name, value));

/** Texts that are no SQL as a whole. @param inQuotes what a password in quotes is */
const otherForms = (inQuotes: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .record({ name: names, text: inQuotes, word: words })
    .chain(({ name, text, word }) =>
      fc.constantFrom(
        `{"a":"5\\" x","${name}":${json(text)},"b":null}`,
        `{"${name}": [1, ${json(text)}, {"a": ${json(text)}}]}`,
        `[["a","b"],["${name}",${json(text)}],["c","d"]]`,
        `[{"name":"${name}","value":${json(text)}}]`,
        `[{"value":${json(text)},"name":"${name}"}]`,
        `{'a': 'it\\'s', '${name}': ${ofPrograms(text)}}`,
        `a,${inCsv(`{"${name}":${json(text.replaceAll(/["\\]/g, ""))}}`)},b`,
        `host=db ${name}=${ofPrograms(text)} dbname=d`,
        `host=db ${name}=${word} dbname=d`,
        `host=db ${name}=${word}'s\\ ${word} dbname=d`,
        `${name}: ${word}`,
        `a:\n  ${name}: |\n    ${word}\n    ${word} ${word}\nb: 1`,
        `- name: ${name}\n  value: ${word}\n- name: b`,
        `export ${name}="${word}"`,
        `psql --${name}=${word} -h db`,
        `the ${name} is: ${word} and more`,
        `<a><${name}>${word}</${name}></a>`,
        `ERROR: near "${name}" LINE 1: alter role r ${name} '${word}'`,
      ),
    );

/** Where another text is written in one. */
const wrappings = fc.constantFrom<(text: string) => string>(
  (text) => text,
  (text) => `execute ${literal(text)}`,
  (text) => `execute ${escaped(text)}`,
  (text) => `do $w$ begin ${text}; end $w$`,
  (text) => json(text),
  (text) => `{"query": ${json(text)}, "a": "b"}`,
);

const NOISE = [
  "-- don't\n",
  "/* it's /* isn't */ it */ ",
  'select "it\'s" from "a""b"; ',
  "select E'it\\'s', 'a\\'; ",
  "select $m$don't$m$, $1, U&'d\\0061'; ",
  "select b'1', x'1f', 'it''s' || 'x'; ",
  "insert into t (\"a\", b) values (1, 'x'); ",
  "select a, 'x' like 'y' from t where c <> 'y'; ",
  'create policy "Users\' reset" on u using (true); ',
];
/** With quotes that none closes. */
const PROSE = ["don't ", "it's ", "the users' list: ", '5" pipe ', "a ` b ", "C:\\\\ ", 'x\\" ', "\\' "];
const noise = fc.array(fc.constantFrom(...NOISE), { maxLength: 4 }).map((parts) => parts.join(""));
const prose = fc.array(fc.constantFrom(...PROSE), { maxLength: 2 }).map((parts) => parts.join(""));
const texts = fc
  .tuple(noise, fc.oneof({ weight: 2, arbitrary: sqlForms }, otherForms(secrets)), wrappings, wrappings)
  .map(([before, form, inner, outer]) => `${before}${outer(inner(form))}`);

describe("of any text", () => {
  const runs = { numRuns: 2000 };

  it("no password is shown, in whatever form, whatever stands before it, and wherever the text is cut", () => {
    fc.assert(
      fc.property(texts, fc.double({ min: 0, max: 1, noNaN: true }), (text, part) => {
        expect(withoutPasswords(text, "[redacted]")).not.toMatch(/z/i);
        // what stands before its name is none where that is cut off
        if (text.search(/pass|pwd/i) > text.search(/z/i)) return;
        expect(withoutPasswords(text.slice(0, Math.round(text.length * part)), "[redacted]")).not.toMatch(/z/i);
      }),
      runs,
    );
  });

  it("no password is shown behind prose with quotes that none closes", () => {
    const form = fc.tuple(fc.constantFrom(...SQL_FORMS), names, words);
    const sql = form.map(([statement, name, word]) => statement(name, literal(word)));
    fc.assert(
      fc.property(prose, fc.oneof(sql, otherForms(words)), (before, text) => {
        expect(withoutPasswords(`${before}${text}`, "[redacted]")).not.toMatch(/z/i);
      }),
      runs,
    );
  });

  it("what stands before SQL with a password, and behind it, is shown", () => {
    fc.assert(
      fc.property(noise, sqlForms, wrappings, noise, (before, form, wrapping, behind) => {
        const shown = withoutPasswords(`${before}${wrapping(form)}; ${behind}`, "[redacted]");
        expect(shown.startsWith(before)).toBe(true);
        expect(shown.endsWith(`; ${behind}`)).toBe(true);
      }),
      runs,
    );
  });

  it("nothing is taken where no name of a password is", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          noise,
          fc.string(),
          texts.map((text) => text.replaceAll(/pass|pwd/gi, "x")),
        ),
        (text) => {
          expect(withoutPasswords(text, "[redacted]")).toBe(text);
        },
      ),
      runs,
    );
  });

  it.each([
    "password",
    "password=",
    "password =",
    "password: ",
    "password: |\n ",
    "password/*",
    "password/**/",
    "password ''",
    "password '",
    "password = '",
    "password = \\'",
    "password = '\\''x",
    "password: '\\''x",
    'password: "',
    'password: "\\"',
    "password $",
    "password $a$",
    "password = x ( ",
    "'password'",
    "'password' || ",
    "'password %', ",
    '["password",',
    '[["password","x',
    "pwd--",
    "pwd--\n",
    "pwd\\",
    "pwd+-",
    "pwd''",
    "<pwd>",
    "pwd `",
    "insert into x (pwd) values (",
    "case pwd = case ",
    "(pwd)=(",
  ])("the time is linear in the text: %j", (part) => {
    const stepsOf = (times: number): number => passwordPlaces(part.repeat(times)).steps;
    expect(stepsOf(8000)).toBeLessThan(9 * stepsOf(1000));
    expect(stepsOf(8000)).toBeLessThan(50 * part.length * 8000);
  });
});
