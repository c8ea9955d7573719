import { describe, expect, it } from "vitest";
import { URLS_WITH_PASSWORD } from "../../../test/support/emulator/any-request/url-passwords.ts";
import { redact } from "./redact.ts";

/** What the request log shows of a text that is no secret as a whole. */

const ofSql = (text: string): unknown => redact(text, { sql: [text] });

describe("of a text that names a secret", () => {
  it.each([
    "alter role r password $$s3'cret$$ valid until $$x$$",
    "alter role r password $a$s3$$cret$a$;",
    "alter role r password $1",
    "alter role r password E's3\\'cret' valid until 'x'",
    "alter role r password 's3\\' valid until 'x'",
    "alter role r password/* ' */'s3cret'",
    "alter role r password -- it's\n 's3cret';",
    "alter role r password 's3'\n  'cret';",
    "alter role a password ''; alter role b password 's3'",
    "execute 'alter role r password ''s3''''cret'' login'",
    "select f('execute ''alter role r password ''''s3cret'''' ''')",
    "host=db user=u password=s3&cret dbname=d",
    "host=db password = 's3\\'cret x' dbname=d",
    "Server=db;PWD=s3cret;Database=d",
    "update users set password = crypt('s3cret', gen_salt('bf'))",
    "select dblink('host=db password=s3cret', 'select 1')",
    "select make_user(password => 's3cret', n => 1)",
    "select jsonb_build_object('password', 's3cret')",
    '{"user":"u","password":"s3\\"cret","a":1}',
    '"password": "s3 cret" x',
    "password:﻿'s3 cret' x",
    "PGPASSWORD=s3cret psql",
    "the password: s3cret",
    "forgot your password, or it's too short?",
    "host=db password=s3'c\\ ret dbname=d",
    "select dblink('password=s3''cret', 'x')",
    "alter role r password /* a /* b */ c */ 's3cret'",
    "alter role r password 's3' -- x\n 'cret'",
    "alter role r password U&'s3cret' uescape '!'",
    "alter role r password '''s3cret'",
    "alter role r password $$s3cret",
    "set password = 's3\\', old_password = 'cret'",
    "where password is null and password_encryption = 'md5'",
    "update u set password = crypt(\n  's3cret', gen_salt('bf'))",
    "set password = crypt( 's3cret', 'x')",
    "set password = crypt ('s3cret', 'x')",
    "set password = a /* ( */ ( lower ( 's3cret' ))",
    "execute E'alter role r password \\'s3cret\\' login'",
    'select E\'{\\"password\\": \\"s3cret\\"}\'',
    '{"a":"{\\"password\\":\\"s3cret\\",\\"b\\":\\"c\\"}"}',
    '{"a":"{\\"password\\":\\"s3\\\\\\"cret\\\\\\\\\\",\\"b\\":1}"}',
    '["[\\"{\\\\\\"password\\\\\\":\\\\\\"s3\\\\\\\\\\\\\\"cret\\\\\\\\\\\\\\\\\\\\\\",\\\\\\"b\\\\\\":1}\\"]"]',
    '{"password":123456,"b":1}',
    '{"password": 123456}',
    '{"password":true,"b":null}',
    "set app.password to 's3cret'",
    "DB_PASS=s3cret psql",
    "update u set password_hash = 's3cret'",
    "alter role r password's3cret'",
    "execute 'alter role r password''s3cret'' login'",
    "if (password == 's3cret')",
    'Password="s3""cret";Server=db',
    "password=password='s3 cret' x",
    'select \'{"password":"s3cret"}\'::jsonb',
    "execute 'select f(''password'', ''s3cret'')'",
    "select set_config('app.password','s3cret',true)",
    "-- don't\nalter role r password 's3cret'",
    "select \"it's\"; alter role r password 's3cret'",
    "select E'it\\'s'; alter role r password 's3cret'",
    "select $m$don't$m$; alter role r password 's3cret'",
    "options (user 'bob', \"password\" 's3cret')",
    "jsonb_build_object('password', crypt('s3cret', gen_salt('bf')))",
    "set password to crypt('s3cret', 'x')",
    'set password = "extensions"."crypt"(\'s3cret\')',
    "password=--c\ns3cret",
    "password=/*c*/s3cret",
    '{"a":[["b","c"],["password","s3cret"]]}',
    'x,"{""password"":""s3cret""}",y',
    '""password"":""s3cret"",x',
    "execute 'alter role r password ' || quote_literal('s3cret') || ' login'",
    "execute format('alter role r password %L', 's3cret'); select 'a'",
    "insert into u (a, password, b) values ('a', 's3cret', 'b')",
    "the users' password 's3cret' is bad",
    "db:\n  password: s3 cret # x\n  user: u",
    "- name: DB_PASSWORD\n  value: s3cret\n- name: x",
    'body={\\"password\\":\\"s3cret\\",\\"a\\":1}',
    "select a as \"b\" where 's3cret' = u.password",
    "LINE 1: ... ' password 's3cret' x",
    "Key (password, a)=(s3 (cret, b) already exists.",
    "where (u.password, a) = ('s3cret', 'b') and c = 'd'",
    '//password: "ZZZ"',
    "-- Note: password is 'ZZZ' hashed\nselect 1",
    "select 1 /* password ZZZ */",
    "comment on role r is 'password is ZZZ'",
    "alter table u alter column password set default 'ZZZ'",
    "declare v_password public.pw := 'ZZZ'",
    "update u set password = salt || 'ZZZ'",
    "select set_config('app.password', x || 'ZZZ', true)",
    "insert into u as t (id, password) values (1, 'ZZZ')",
    "insert into u (password) select distinct 'ZZZ'",
    "insert into u (id, password) select 1, 'x' union all select 2, 'ZZZ'",
    "merge into u using v on u.id = v.id when not matched then insert (id, password) values (1, 'ZZZ')",
    "update u set (password, x) = row('ZZZ', 1)",
    "copy u (id, password) from stdin;\n1\tZZZ\n\\.",
    "copy u (id, password) from stdin with (format csv);\n1,ZZZ",
    "update config set value = 'ZZZ' where id = 1 and name = 'smtp_password'",
    "password similar to 'ZZZ'",
    "select 'ZZZ'::text = password from u",
    "select vault.create_secret('ZZZ','resend_api_key')",
    "select pgp_sym_encrypt('ZZZ', k)",
    "select * from x where k = crypt('ZZZ', k)",
    "the x's; update u set password = crypt('ZZZ','a')",
    "the x's; update u set password = crypt('ZZZ','a'); the y's",
    "select 'the x's; update u set password = crypt('ZZZ','a'); the y's'",
    'set app.password to "ZZZ"',
    "create user r identified by 'ZZZ'",
    "select 1 where password <> 9876",
    "update u set password = 9876ZZZ",
    "update u set password = 0xZZZ",
    "values ('ZZZ'), ('password')",
    "with t (password) as (values ('ZZZ')) select * from t",
    "select * from (values ('ZZZ')) t (password)",
    "select f('ZZZ', 'password')",
    "alter role r password 'a\\' ZZZ '",
    "alter role r password 'a\\' ZZZ \\''",
    "select 'it's', crypt('ZZZ', password), 'that's'",
    "alter role r password $ZZZ$ZZZ$ZZZ$",
    "alter role r password $$ZZZ",
    "alter role r password $5ZZZ",
    "alter role r password 'ZZZ",
    'alter role "ZZZ" password null',
    "\\set password ZZZ\nselect 1",
    "select 1; \\password ZZZ",
    "select E'p\\x61ssword', 'ZZZ'",
    "select U&\"p\\0061ssword\", 'ZZZ'",
    "select 'a' /* password */ \n 'ZZZ'",
    "create user mapping for u server s options (user 'bob', secret 'ZZZ')",
    "do $f$ begin perform f(token => 'ZZZ'); end $f$",
    "host=db user=u pwd=ZZZ",
    "password ZZZ: it is",
    '{"url":"http://localhost:54321","password":"p@ZZZ"}',
    '{"p\\u0061ssword":"ZZZ"}',
    '{"apiKey": "ZZZ"}',
    '{"api-key": "ZZZ"}',
    "jwt:\n  - ZZZ",
    "credential => ZZZ",
    "mysql -pZZZ --password",
    "https://a.test/?token=ZZZ&b=c",
    "<secret>ZZZ</secret>",
    "token `ZZZ`",
    "passphrase (ZZZ)",
    "token 9876",
    "the token\nZZZ",
    `select ${"a, ".repeat(2000)} 'ZZZ' as password`,
    `{"a":"${"x".repeat(3000)}","b":"ZZZ","password":"ZZZ"}`,
    `{"b":"ZZZ","a":"${"x".repeat(3000)}","password":1}`,
  ])("no value is shown, whether it is SQL or not: %s", (text) => {
    for (const shown of [redact(text), ofSql(text)]) expect(shown).not.toMatch(/s3|(?<!se)cret|Z|9876/);
  });

  it.each([
    ["insert into api_keys values ('s3cret')", "insert into api_keys values ('[redacted]')"],
    ["select hmac('a', 's3cret', 'sha256')", "select hmac('[redacted]', '[redacted]', '[redacted]')"],
    ["select 'Bearer s3cret'", "select '[redacted]'"],
    ["alter role r password 's3cret' valid until 'x'", "alter role r password '[redacted]' valid until '[redacted]'"],
    ["alter role r password E's3\\'cret' -- x\n;", "alter role r password E'[redacted]' /* … */\n;"],
    ["alter role r password /* a /* b */ c */ null", "alter role r password /* … */ null"],
    ["do $f$ begin set_password(1); end $f$; end", "do $$[redacted]$$; end"],
    ["update u set password = $1 where id = $2", "update u set password = $1 where id = $2"],
    ['select "password" from u limit 10', 'select "[redacted]" from u limit [redacted]'],
    ["(select crypt(a, b)); ; select a::text", "(select crypt(a, b)); ; select a::text"],
    ["set app.password to s3cret; select f(a) = any (b)", "set app.password to [redacted]; select f(a) = any (b)"],
    ["set app.token = s3.cret-s3+1, s3cret", "set app.token = [redacted], [redacted]"],
    ["set app.token to 's3', cret; select a, b", "set app.token to '[redacted]', [redacted]; select a, b"],
    ["update u set token = s3cret, b = f(c), d", "update u set token = [redacted], b = f(c), d"],
    ["alter user x with password s3cret", "alter user x with password [redacted]"],
    ["create role x encrypted PASSWORD !s3-cret login", "create role x encrypted PASSWORD [redacted] login"],
    ["alter role r password null; select password from u", "alter role r password null; select password from u"],
    ["alter role r password $1 valid until $2", "alter role r password $1 valid until $2"],
    ["create user x identified by s3cret", "create user x identified by [redacted]"],
    ["create or replace role b password s3cret", "create or replace role b password [redacted]"],
    ["create temporary user b password s3cret", "create temporary user b password [redacted]"],
    ["explain alter user x password s3cret", "explain alter user x password [redacted]"],
    ["alter user x password(s3cret) login", "alter user x password([redacted]) login"],
    ["alter user x password (s3.cret, s3cret) login", "alter user x password ([redacted], [redacted]) login"],
    ["set password for b = password(s3cret)", "set password for b = password([redacted])"],
    ["set session password s3cret", "set session password [redacted]"],
    ["set password = s3cret", "set password = [redacted]"],
    ["alter system set app.password s3cret", "alter system set app.password [redacted]"],
    ["create login b password s3cret", "create login b password [redacted]"],
    ["alter server s options (password s3cret)", "alter server s options (password [redacted])"],
    ["grant a to b identified by s3cret, c", "grant a to [redacted] identified by [redacted], c"],
    ["create or replace view v as select password a", "create or replace view v as select password a"],
    ["create temporary table t (password text, by int)", "create temporary table t (password text, by int)"],
    ["insert into password(a, b) select password(c)", "insert into password(a, b) select password(c)"],
    ["explain select password from u order by password", "explain select password from u order by password"],
    ["create table u (password text, by int)", "create table u (password text, by int)"],
    ["alter database d set app.token to s3cret", "alter database d set app.token to [redacted]"],
    ["copy u (password) from stdin;\ns3cret", "copy u (password) from stdin [redacted]"],
    ["copy u (password) from stdin", "copy u (password) from stdin"],
    ["select password \\gset", "select password \\ [redacted]"],
  ])("SQL is shown as words, operators and brackets: %s", (text, shown) => {
    expect(ofSql(text)).toBe(shown);
  });

  it.each([
    "password",
    "reset password",
    "Users reset password, or forgot it?",
    "MY_SECRET_1",
    "functions/reset-password/index.ts",
    "a one-time token",
    "https://a.test/reset-password, http://localhost:3000/**",
    "projects:read secrets:write",
    "urn:ietf:params:oauth:grant-type:jwt-bearer",
    "pg-functions://postgres/public/custom_access_token_hook",
    "file:///src/functions/reset-password/index.ts",
  ])("prose, names and addresses are shown: %s", (text) => {
    expect(redact(text)).toBe(text);
  });

  it.each([
    'the "password" field',
    "password: is empty",
    "password 1 of 2",
    '{"password":null}',
    "http:/reset-password",
  ])("any other is hidden as a whole: %s", (text) => {
    expect(redact({ text })).toEqual({ text: "[redacted]" });
  });

  it("the name of a field is a text as well", () => {
    expect(redact({ "password=s3cret": null, password: null })).toEqual({ "[redacted]": null, password: null });
  });
});

describe("of a text", () => {
  it.each([
    "select 'a', \"b\", $$c$$, 1 -- d",
    "insert into t values ('it''s', E'\\'', 5)",
    "don't, it's 'so'",
    "select a::text from t where b @> '{}'",
  ])("that names none nothing is hidden: %s", (text) => {
    expect([redact(text), ofSql(text)]).toEqual([text, text]);
  });

  it.each([
    '{"site_url":"http://localhost:3000","admin":"bob@example.com"}',
    '{"a":"{\\"site_url\\":\\"http://localhost:3000\\",\\"admin\\":\\"bob@example.com\\"}"}',
    "['http://localhost:3000', 'bob@example.com']",
  ])("a port is no password: %s", (text) => {
    expect(redact(text)).toBe(text);
  });

  it("no half of a sign is shown where it is cut", () => {
    expect(redact(`${"x".repeat(1999)}😀y`)).toBe(`${"x".repeat(1999)}…`);
  });

  it.each([
    [
      "https://a.test/p;https://u:s3cret@b.test/?x=s3cret",
      "https://a.test/p;https://u:[redacted]@b.test/?x=[redacted]",
    ],
    ["https://a.test/p|https://u:s3cret@b.test/p", "https://a.test/p|https://u:[redacted]@b.test/p"],
    ["https://u:s3@a.test/p(https:u:s3cret@b.test/p)", "https://u:[redacted]@a.test/p(https:u:[redacted]@b.test/p)"],
    [
      "https://a.test/?a=b&https://u:s3cret@b.test/x=c",
      "https://a.test/?a=[redacted]&https://u:[redacted]@b.test/x=[redacted]",
    ],
    [
      '{"a":"https://u:s3@a.test/","b":"https://u:s3cret@b.test/?c=s3cret"}',
      '{"a":"https://u:[redacted]@a.test/","b":"https://u:[redacted]@b.test/?c=[redacted]',
    ],
    [
      '["https://u:s3@a.test","https://u:s3cret@b.test"]',
      '["https://u:[redacted]@a.test","https://u:[redacted]@b.test"]',
    ],
    [
      "it goes to https:u:s3cret@a.test/?b=s3cret or https:/\\u:s3cret@a.test/",
      "it goes to https:u:[redacted]@a.test/?b=[redacted] or https:/\\u:[redacted]@a.test/",
    ],
    [
      "-https://u:s3cret@a.test/ 1https://u:s3cret@a.test/",
      "-https://u:[redacted]@a.test/ 1https://u:[redacted]@a.test/",
    ],
    ['["a://b/","foo://u:s3\\cret@a.test/"]', '["a://b/","foo://u:[redacted]@a.test/"]'],
    ["select a::text from t where b @> '{}'", "select a::text from t where b @> '{}'"],
  ] as const)("no password and no query of any URL is shown: %s", (text, shown) => {
    expect(redact({ text })).toEqual({ text: shown });
  });

  it.each(URLS_WITH_PASSWORD("s3cret").filter((url) => !/[\s\p{Cc}]/u.test(url)))(
    "the password of a URL is not shown, whatever stands around it: %j",
    (url) => {
      for (const other of ["https://a.test/p", "https:a.test/", "jdbc:foo://b:8080"]) {
        const pair = JSON.stringify([other, url]);
        const texts = [
          pair,
          JSON.stringify(pair),
          `${other};${url}`,
          `${other}|${url}`,
          `see ${other} (${url})`,
          `=${url}`,
        ];
        for (const text of texts) expect(JSON.stringify(redact({ text }))).not.toMatch(/s3|cret/);
      }
    },
  );
});
