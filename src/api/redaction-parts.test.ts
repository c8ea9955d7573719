import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanMessage } from "./redaction.ts";

/** What of a secret is a credential by itself is not told either where a server quotes it without the rest. */

function clean(text: string, ...secrets: readonly string[]): string {
  return cleanMessage(text, { secrets, ids: [] });
}

const PEM = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\nhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----\n";
const ACCOUNT = JSON.stringify({
  type: "service_account",
  private_key_id: "0f1e2d3c4b5a",
  private_key: PEM,
  client_email: "robot@shop-12.iam.example.com",
  token_uri: "https://oauth2.example.com/token",
  nested: { list: ["x9-Quite-Long", { pin: "4711" }] },
});

describe("a part of a secret", () => {
  it.each([
    {
      of: "a URL: its password with an at sign, cut where another client sees the host",
      secret: "postgres://app:p@ss-w0rd@db.internal/x",
      text: "getaddrinfo ENOTFOUND ss-w0rd@db.internal",
      shown: "getaddrinfo ENOTFOUND [redacted]@db.internal",
    },
    {
      of: "a URL: its password with a slash, of which another client makes a path",
      secret: "postgres://app:pa/ss-w0rd@db.internal/x",
      text: 'no route "/ss-w0rd"',
      shown: 'no route "/[redacted]"',
    },
    {
      of: "a URL: its password",
      secret: "postgres://app:Zz-top-99@db.internal/x",
      text: 'login of app with "Zz-top-99" at db.internal failed',
      shown: 'login of app with "[redacted]" at db.internal failed',
    },
    {
      of: "a URL: its password as what is escaped in it stands for",
      secret: "postgres://app:p%40ss%2Fw0rd@db.internal/x",
      text: "p@ss/w0rd is bad",
      shown: "[redacted] is bad",
    },
    {
      of: "a URL: its password as it is escaped in it",
      secret: "postgres://app:p%40ss%2Fw0rd@db.internal/x",
      text: "p%40ss%2Fw0rd is bad",
      shown: "[redacted] is bad",
    },
    {
      of: "a URL: what lets somebody in without a password",
      secret: "https://sk9live0Xy7@api.example.com",
      text: "sk9live0Xy7 is bad",
      shown: "[redacted] is bad",
    },
    {
      of: "a URL: a token of its query",
      secret: "https://hooks.example.com/in?kind=open&token=ab12",
      text: "ab12 is bad for open",
      shown: "[redacted] is bad for open",
    },
    {
      of: "a URL: what is drawn at random in its path",
      secret: "https://hooks.example.com/services/T00000000/XaXbXcXd12345",
      text: "services has no T00000000 with XaXbXcXd12345",
      shown: "services has no [redacted] with [redacted]",
    },
    {
      of: "a URL for Java",
      secret: "jdbc:postgresql://db.internal/x?user=app&password=Zz99",
      text: "app is not let in with Zz99",
      shown: "app is not let in with [redacted]",
    },
    {
      of: "lines: a URL in one of them",
      secret: "first\npostgres://app:Zz-top-99@db.internal/x\n",
      text: "Zz-top-99 is bad",
      shown: "[redacted] is bad",
    },
    { of: "JSON: a line of its key", secret: ACCOUNT, text: "hkiG9w0BAQEFAASC is bad", shown: "[redacted] is bad" },
    { of: "JSON: a text deep in it", secret: ACCOUNT, text: "x9-Quite-Long is bad", shown: "[redacted] is bad" },
    {
      of: "JSON: whose it is",
      secret: ACCOUNT,
      text: "no robot@shop-12.iam.example.com there",
      shown: "no [redacted] there",
    },
    {
      of: "a DSN",
      secret: "host=db.internal user=app password=Zz99",
      text: "no app with Zz99",
      shown: "no app with [redacted]",
    },
    {
      of: "a DSN: in quotes, with blanks",
      secret: String.raw`host=db.internal password='Zz \'top\' 99' dbname=x`,
      text: "no Zz 'top' 99 is good",
      shown: "no [redacted] is good",
    },
    {
      of: "a DSN with semicolons",
      secret: "Server=db.internal;User Id=app;Password=Zz!top99;",
      text: "app with Zz!top99 at db.internal",
      shown: "app with [redacted] at db.internal",
    },
    {
      of: "an environment file: a URL in it",
      secret: "A=1\nDATABASE_URL=postgres://app:p@ss-w0rd@db.internal/x\n",
      text: "getaddrinfo ENOTFOUND ss-w0rd@db.internal",
      shown: "getaddrinfo ENOTFOUND [redacted]@db.internal",
    },
    {
      of: "an environment file: JSON in it",
      secret: `A=1\nKEY='{"apiKey":"Zz99"}'`,
      text: "Zz99 is bad",
      shown: "[redacted] is bad",
    },
    {
      of: "a key on one line",
      secret: PEM.replaceAll("\n", String.raw`\n`),
      text: "hkiG9w0BAQEFAASC is bad",
      shown: "[redacted] is bad",
    },
    {
      of: "a URL: its password, cut",
      secret: "postgres://app:Zz-top-99-and-more@db.internal/x",
      text: "password Zz-top-99-a… is bad",
      shown: "password [redacted]",
    },
    {
      of: "a URL: its password in base64",
      secret: "postgres://app:Zz-top-99@db.internal/x",
      text: `not ${Buffer.from("Zz-top-99").toString("base64")}`,
      shown: "not [redacted]",
    },
  ])("is not told: of $of", ({ secret, text, shown }) => {
    expect(clean(text, secret)).toBe(shown);
  });
});

describe("a part that is no secret", () => {
  it.each([
    {
      why: "words that stand in for others",
      secret: "postgres://postgres:postgres@localhost:5432/postgres?sslmode=require",
      text: "localhost: true is required, not postgre",
    },
    {
      why: "the host, which a spec has in the open",
      secret: "postgres://app:Zz-top-99@db-1.eu-west-1.example.com/x",
      text: "ENOTFOUND db-1.eu-west-1.example.com",
    },
    {
      why: "the path of a hook, in words",
      secret: "https://hooks.example.com/services/incoming-webhooks/v2",
      text: "services has no incoming-webhooks, v2",
    },
    { why: "a password of two letters", secret: "https://app:pw@api.example.com", text: "no Basic app:pw is good" },
    {
      why: "a password that is a word",
      secret: JSON.stringify({ password: "localhost", stage: "production" }),
      text: "production is not on localhost",
    },
    { why: "words of JSON", secret: ACCOUNT, text: "no service_account may do that" },
    { why: "a URL in JSON", secret: ACCOUNT, text: "see https://oauth2.example.com/token" },
    { why: "numbers in JSON", secret: `{"password":12345678901,"a":true}`, text: "12345678901 is true" },
    {
      why: "host, user and database of a DSN",
      secret: "host=db.internal user=application dbname=warehouse password=Zz99",
      text: "application may not use warehouse at db.internal",
    },
    { why: "a beginning of what is none by where it stands", secret: ACCOUNT, text: "robot@shop is not known" },
    { why: "pieces of a passphrase", secret: "horse, battery and staple", text: "a battery, a horse" },
    { why: "what comes before the end of base64", secret: "dGVzdGluZyB0aGF0IQ==", text: "= is no sign" },
    { why: "broken JSON", secret: `{"password": "Zz`, text: "Zz is no country" },
    { why: "a broken escape", secret: "https://a:%zz%@b.example.com", text: "b.example.com is down" },
  ])("is told: $why", ({ secret, text }) => {
    expect(clean(text, secret)).toBe(text);
  });
});

it("are so many that to look for them takes long: nothing is told", () => {
  const pairs = (count: number): string => Array.from({ length: count }, (_, n) => `KEY_${n}=Zz${n}Zz`).join("\n");
  expect(clean("no such zone", pairs(1000))).toBe("no such zone");
  expect(clean("no such zone", pairs(3000))).toBe("[redacted]");
});

it("are short and so many that to look for them takes long: nothing is told", () => {
  const short = (count: number): readonly string[] =>
    Array.from({ length: count }, (_, n) => n.toString(36).padStart(5, "~"));
  const text = "no such zone; ".repeat(500);
  expect(clean(text, ...short(100))).not.toBe("[redacted]");
  expect(clean(text, ...short(50_000))).toBe("[redacted]");
});

it("what is short and stands beside what begins as a secret does not hide the rest of that", () => {
  expect(clean("password is my-test99", "password-mytest99", "test")).toBe("[redacted]");
});

const secretText = fc
  .string({ minLength: 9, maxLength: 24, unit: fc.constantFrom(...Array.from("aZ09-@:/?#&=%+ '\"")) })
  .map((text) => `q7${text}7q`)
  .filter((text) => !/^[\w+.-]*:\/\//.test(text)); // a URL, which may stand in the open

const FORMS: Readonly<Record<string, (value: string) => string>> = {
  "of a URL": (value) => `postgres://app:${encodeURIComponent(value)}@db.internal:5432/x`,
  "of the query of a URL": (value) => `https://api.example.com/in?a=b&token=${encodeURIComponent(value)}&c=d`,
  "of JSON": (value) => JSON.stringify({ type: "account", deep: [{ any: value }] }),
  "of JSON in JSON": (value) => JSON.stringify({ inner: JSON.stringify({ any: value }) }),
  "of a DSN in quotes": (value) =>
    `host=db.internal password='${value.replaceAll(/['\\]/g, String.raw`\$&`)}' user=app`,
};

describe("whatever it is made of, a credential is told in no form", () => {
  it.each(Object.entries(FORMS))("%s", (_, form) => {
    const written = fc.constantFrom(
      (value: string) => value,
      (value: string) => encodeURIComponent(value),
      (value: string) => JSON.stringify(value).slice(1, -1),
      (value: string) => Buffer.from(value).toString("base64"),
    );
    fc.assert(
      fc.property(secretText, written, (value, write) => {
        expect(clean(`bad value ${write(value)}`, form(value))).toBe("bad value [redacted]");
      }),
    );
  });
});
