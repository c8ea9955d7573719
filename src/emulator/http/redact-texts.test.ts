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
    ["set password = 's3\\', old_password = 'cret'", "set password = '[redacted]'[redacted]'"],
    [
      "where password is null and password_encryption = 'md5'",
      "where password is null and password_encryption = 'md5'",
    ],
  ] as const)("no password is shown that is named so: %s", (text, shown) => {
    expect(redact({ text })).toEqual({ text: shown });
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

  it.each(["password", "password=", "password/*", "password ''", "pwd--", "https:u", "a://u:", "https:", "a1"])(
    "the time does not grow with its square: %j",
    (part) => {
      const startedAt = performance.now();
      redact(Array.from({ length: 100 }, () => part.repeat(2000)));
      expect(performance.now() - startedAt).toBeLessThan(2000);
    },
  );
});
