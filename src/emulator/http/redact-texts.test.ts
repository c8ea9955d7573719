import { describe, expect, it } from "vitest";
import { URLS_WITH_PASSWORD } from "../../../test/support/emulator/any-request/url-passwords.ts";
import { redact } from "./redact.ts";

/** What the request log shows of a text that is no secret as a whole. */

describe("of a text", () => {
  it.each([
    ["alter role r password $$s3'cret$$ valid until $$x$$", "alter role r password $$[redacted]$$ valid until $$x$$"],
    ["alter role r password $a$s3$$cret$a$;", "alter role r password $a$[redacted]$a$;"],
    ["alter role r password $1", "alter role r password $1"],
    ["alter role r password E's3\\'cret' valid until 'x'", "alter role r password E'[redacted]' valid until 'x'"],
    ["alter role r password 's3\\' valid until 'x'", "alter role r password '[redacted]' valid until 'x'"],
    ["alter role r password/* ' */'s3cret'", "alter role r password/* ' */'[redacted]'"],
    ["alter role r password -- it's\n 's3cret';", "alter role r password -- it's\n '[redacted]';"],
    ["alter role r password 's3'\n  'cret';", "alter role r password '[redacted]'\n  '[redacted]';"],
    [
      "alter role a password ''; alter role b password 's3'",
      "alter role a password ''; alter role b password '[redacted]'",
    ],
    ["execute 'alter role r password ''s3''''cret'' login'", "execute 'alter role r password ''[redacted]'' login'"],
    [
      "select f('execute ''alter role r password ''''s3cret'''' ''')",
      "select f('execute ''alter role r password ''''[redacted]'''' ''')",
    ],
    ["host=db user=u password=s3&cret dbname=d", "host=db user=u password=[redacted] dbname=d"],
    ["host=db password = 's3\\'cret x' dbname=d", "host=db password = '[redacted]' dbname=d"],
    ["Server=db;PWD=s3cret;Database=d", "Server=db;PWD=[redacted]"],
    [
      "update users set password = crypt('s3cret', gen_salt('bf'))",
      "update users set password = [redacted]'[redacted]', gen_salt('bf'))",
    ],
    [
      "select dblink('host=db password=s3cret', 'select 1')",
      "select dblink('host=db password=[redacted]', 'select 1')",
    ],
    ["select make_user(password => 's3cret', n => 1)", "select make_user(password => '[redacted]', n => 1)"],
    ["select jsonb_build_object('password', 's3cret')", "select jsonb_build_object('password', '[redacted]')"],
    ['{"user":"u","password":"s3\\"cret","a":1}', '{"user":"u","password":"[redacted]","a":1}'],
    ['"password":\u00a0"s3 cret" x', '"password":\u00a0"[redacted]" x'],
    ["password:\ufeff's3 cret' x", "password:\ufeff'[redacted]' x"],
    ["PGPASSWORD=s3cret psql", "PGPASSWORD=[redacted] psql"],
    ["the password: s3cret", "the password: [redacted]"],
    ["forgot your password, or it's too short?", "forgot your password, or it's too short?"],
    ["host=db password=s3'c\\ ret dbname=d", "host=db password=[redacted] dbname=d"],
    ["select dblink('password=s3''cret', 'x')", "select dblink('password=[redacted]', 'x')"],
    ["alter role r password /* a /* b */ c */ 's3cret'", "alter role r password /* a /* b */ c */ '[redacted]'"],
    ["alter role r password 's3' -- x\n 'cret'", "alter role r password '[redacted]' -- x\n '[redacted]'"],
    ["alter role r password U&'s3cret' uescape '!'", "alter role r password U&'[redacted]' uescape '!'"],
    ["alter role r password '''s3cret'", "alter role r password '[redacted]'"],
    ["alter role r password $$s3cret", "alter role r password $$[redacted]"],
    ["set password = 's3\\', old_password = 'cret'", "set password = '[redacted]', old_password = '[redacted]'"],
    [
      "where password is null and password_encryption = 'md5'",
      "where password is null and password_encryption = 'md5'",
    ],
    [
      "update u set password = crypt(\n  's3cret', gen_salt('bf'))",
      "update u set password = [redacted]\n  '[redacted]', gen_salt('bf'))",
    ],
    ["set password = crypt( 's3cret', 'x')", "set password = [redacted] '[redacted]', 'x')"],
    ["set password = crypt ('s3cret', 'x')", "set password = [redacted] ('[redacted]', 'x')"],
    ["set password = a /* ( */ ( lower ( 's3cret' ))", "set password = [redacted] /* ( */ ( lower ( '[redacted]' ))"],
    ["execute E'alter role r password \\'s3cret\\' login'", "execute E'alter role r password \\'[redacted]\\' login'"],
    ['select E\'{\\"password\\": \\"s3cret\\"}\'', 'select E\'{\\"password\\": \\"[redacted]\\"}\''],
    [
      JSON.stringify({ a: JSON.stringify({ password: "s3cret", b: "c" }) }),
      JSON.stringify({ a: JSON.stringify({ password: "[redacted]", b: "c" }) }),
    ],
    [
      JSON.stringify({ a: JSON.stringify({ password: 's3"cret\\', b: 1 }) }),
      JSON.stringify({ a: JSON.stringify({ password: "[redacted]", b: 1 }) }),
    ],
    [
      JSON.stringify([JSON.stringify([JSON.stringify({ password: 's3"cret\\', b: 1 })])]),
      JSON.stringify([JSON.stringify([JSON.stringify({ password: "[redacted]", b: 1 })])]),
    ],
    ['{"password":123456,"b":1}', '{"password":[redacted],"b":1}'],
    ['{"password": 123456}', '{"password": [redacted]}'],
    ['{"password":true,"b":null}', '{"password":true,"b":null}'],
    ["set app.password to 's3cret'", "set app.password to '[redacted]'"],
    ["DB_PASS=s3cret psql", "DB_PASS=[redacted] psql"],
    ["update u set password_hash = 's3cret'", "update u set password_hash = '[redacted]'"],
    ["alter role r password's3cret'", "alter role r password'[redacted]'"],
    ["execute 'alter role r password''s3cret'' login'", "execute 'alter role r password''[redacted]'' login'"],
    ["if (password == 's3cret')", "if (password == '[redacted]')"],
    ['Password="s3""cret";Server=db', 'Password="[redacted]";Server=db'],
    ["password=password='s3 cret' x", "password=[redacted]' x"],
    ['select \'{"password":"s3cret"}\'::jsonb', 'select \'{"password":"[redacted]"}\'::jsonb'],
    ["execute 'select f(''password'', ''s3cret'')'", "execute 'select f(''password'', ''[redacted]'')'"],
    ["select set_config('app.password','s3cret',true)", "select set_config('app.password','[redacted]',true)"],
    ["-- don't\nalter role r password 's3cret'", "-- don't\nalter role r password '[redacted]'"],
    ["select \"it's\"; alter role r password 's3cret'", "select \"it's\"; alter role r password '[redacted]'"],
    ["select E'it\\'s'; alter role r password 's3cret'", "select E'it\\'s'; alter role r password '[redacted]'"],
    ["select $m$don't$m$; alter role r password 's3cret'", "select $m$don't$m$; alter role r password '[redacted]'"],
    ["options (user 'bob', \"password\" 's3cret')", "options (user 'bob', \"password\" '[redacted]')"],
    [
      "jsonb_build_object('password', crypt('s3cret', gen_salt('bf')))",
      "jsonb_build_object('password', crypt('[redacted]', gen_salt('bf')))",
    ],
    ["set password to crypt('s3cret', 'x')", "set password to crypt('[redacted]', 'x')"],
    ['set password = "extensions"."crypt"(\'s3cret\')', 'set password = "extensions"."crypt"(\'[redacted]\')'],
    ["password=--c\ns3cret", "password=[redacted]\n[redacted]"],
    ["password=/*c*/s3cret", "password=[redacted]"],
    ['{"a":[["b","c"],["password","s3cret"]]}', '{"a":[["b","c"],["password","[redacted]"]]}'],
    ['x,"{""password"":""s3cret""}",y', 'x,"{""password"":""[redacted]""}",y'],
    ['""password"":""s3cret"",x', '""password"":""[redacted]"",x'],
    [
      "execute 'alter role r password ' || quote_literal('s3cret') || ' login'",
      "execute 'alter role r password ' || quote_literal('[redacted]') || ' login'",
    ],
    [
      "execute format('alter role r password %L', 's3cret'); select 'a'",
      "execute format('alter role r password %L', '[redacted]'); select 'a'",
    ],
    [
      "insert into u (a, password, b) values ('a', 's3cret', 'b')",
      "insert into u (a, password, b) values ('a', '[redacted]', 'b')",
    ],
    ["the users' password 's3cret' is bad", "the users' password '[redacted]' is bad"],
    ["db:\n  password: s3 cret # x\n  user: u", "db:\n  password: [redacted] # x\n  user: u"],
    ["- name: DB_PASSWORD\n  value: s3cret\n- name: x", "- name: DB_PASSWORD\n  value: [redacted]\n- name: x"],
    ['body={\\"password\\":\\"s3cret\\",\\"a\\":1}', 'body={\\"password\\":\\"[redacted]\\",\\"a\\":1}'],
    ["select a as \"b\" where 's3cret' = u.password", "select a as \"b\" where '[redacted]' = u.password"],
    ["LINE 1: ... ' password 's3cret' x", "LINE 1: ... ' password '[redacted]' x"],
    ["Key (password, a)=(s3 (cret, b) already exists.", "Key (password, a)=([redacted]) already exists."],
    [
      "where (u.password, a) = ('s3cret', 'b') and c = 'd'",
      "where (u.password, a) = ('[redacted]', '[redacted]') and c = 'd'",
    ],
  ] as const)("no password is shown that is named so: %s", (text, shown) => {
    expect(redact({ text })).toEqual({ text: shown });
  });

  it.each([
    'create policy "Users reset password" on u using (id = uid()); drop table x; create table "y" ()',
    "select 1 where column_name = 'password' and table_name = 'users'",
    "insert into s values ('wrong password'); delete from t where k = 'a'",
    "insert into s values ('wrong password', 'a'); delete from t where k = 'a'",
    "execute 'insert into s values (''wrong password''); delete from t where k = ''a'''",
    'create table "A" ("id" uuid default gen_random_uuid(), "password" text not null, "b" text default \'c\')',
    'insert into "u" ("email","password","note") values ($1, $2, \'it is "a"\')',
    'select "email", "password", "note" from "u"',
    'select email, password, "note" from u',
    'alter table u rename column password to "pass_word"; drop table "x"',
    "comment on column u.password is 'the password'; drop table x",
    "select * from jsonb_path_query(d, '$.password'), t where k = 'a'",
    "raise notice E'no \\'password\\' is given: %', x; raise notice 'next'",
    JSON.stringify({ query: 'create table "A" ("password" text, "note" text)' }),
    JSON.stringify(["password", "note"]),
    "the `password` is 'a' or `b`",
    '{"password": null, "name": "x"}',
    "update u set password = ''::text; select 'a'",
    "select 'a' as \"password:\", 'b'",
    "update u set password = $1, name = 'x' where a = $2",
    "create type m as enum ('password','magic_link')",
    "select length(password) > 8, 'x' from u",
    'grant select (email, password) on u to "bob"',
    "password:\n  type: string",
    "PASSWORD=\nOTHER=x",
    "raise notice 'password: %', x",
  ])("of what has such a name and no password nothing is taken: %s", (text) => {
    expect(redact({ text })).toEqual({ text });
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
