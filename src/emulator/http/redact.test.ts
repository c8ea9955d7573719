import { describe, expect, it } from "vitest";
import {
  BROKEN_URLS_WITH_PASSWORD,
  URLS_WITH_PASSWORD,
  URLS_WITHOUT_PASSWORD,
} from "../../../test/support/emulator/any-request/url-passwords.ts";
import { contract } from "../../api/contract/contract.ts";
import { bodySummary } from "./body.ts";
import { redact, withoutPassword } from "./redact.ts";

const PARAMETERS = ["[redacted]", "[redacted]", "[redacted]", null, ["[redacted]"]];

describe("the request log", () => {
  it.each([
    { body: { name: "shop", db_pass: "x" }, shows: { name: "shop", db_pass: "[redacted]" } },
    { body: [{ name: "A", value: "x" }], shows: [{ name: "A", value: "[redacted]" }] },
    { body: { secrets: { A: "x", B: ["y"] } }, shows: { secrets: { A: "[redacted]", B: ["[redacted]"] } } },
    {
      body: { slug: "hi", verify_jwt: false, body: "source" },
      shows: { slug: "hi", verify_jwt: false, body: "[redacted]" },
    },
    {
      body: { client_secret: "x", code: "y", grant_type: "z" },
      shows: { client_secret: "[redacted]", code: "[redacted]", grant_type: "z" },
    },
    { body: { smtp_pass: null }, shows: { smtp_pass: null } },
    {
      body: { jwt_exp: 60, rate_limit_token_refresh: 5, smtp_pass: "x" },
      shows: { jwt_exp: 60, rate_limit_token_refresh: 5, smtp_pass: "[redacted]" },
    },
    { body: ["A", "B"], shows: ["A", "B"] },
    { body: { url: "https://u:x@hook.test/a" }, shows: { url: "https://u:[redacted]@hook.test/a" } },
    {
      body: { url: "https://u:x@hook.test/a?t=x&key=a=b#state=x" },
      shows: { url: "https://u:[redacted]@hook.test/a?t=[redacted]&key=[redacted]#state=[redacted]" },
    },
    { body: { url: "https://hook.test/x?s3cret" }, shows: { url: "https://hook.test/x?[redacted]" } },
    {
      body: { url: "https://hook.test/x?a=&s3cret#b" },
      shows: { url: "https://hook.test/x?a=&[redacted]#[redacted]" },
    },
    { body: { url: " https:/hook.test/x?a=s3, cret" }, shows: { url: " https:/hook.test/x?a=[redacted]" } },
    {
      body: {
        list: "https://a.test/?x=1,https://u:s3@cret@b.test/**, https:c:s3cret@c.test,https://d.test/a&b?s3cret",
      },
      shows: {
        list: "https://a.test/?x=[redacted],https://u:[redacted]@b.test/**, https:c:[redacted]@c.test,https://d.test/a&b?[redacted]",
      },
    },
    {
      body: { note: "goes to https://u:s3cret@hook.test/x?a=s3cret, and to (https://hook.test/?s3cret) too" },
      shows: {
        note: "goes to https://u:[redacted]@hook.test/x?a=[redacted] and to (https://hook.test/?[redacted] too",
      },
    },
    {
      body: { url: `https://u:${"s3cret".repeat(400)}@hook.test/` },
      shows: { url: "https://u:[redacted]…" },
    },
    { body: { parameters: ["s3cret", 1, true, null, ["x"]] }, shows: { parameters: PARAMETERS } },
    { body: { pwd: "x", apiKey: true }, shows: { pwd: "[redacted]", apiKey: "[redacted]" } },
    {
      body: { query: "select a from t where b=1 and c='?d=e'" },
      shows: { query: "select a from t where b=1 and c='?d=e'" },
    },
    { body: { sql: "x".repeat(2001) }, shows: { sql: `${"x".repeat(2000)}…` } },
  ])("shows the shape of $body and no secret", ({ body, shows }) => {
    expect(redact(body)).toEqual(shows);
  });

  it("shows no value that the operation's schema marks as secret, whatever its field is called", () => {
    const body = { headers: { "X-Custom": "s3cret" }, dsn: "s3cret", name: "drain" };
    expect(redact(body, { secrets: ["s3cret"] })).toEqual({
      headers: { "X-Custom": "[redacted]" },
      dsn: "[redacted]",
      name: "drain",
    });
  });

  it.each([
    { config: { headers: { A: 12_345_678_901 } }, shows: { headers: { A: "[redacted]" } }, why: "a number" },
    { config: { headers: { A: true, B: null } }, shows: { headers: { A: "[redacted]", B: null } }, why: "true" },
    {
      config: { headers: { A: { b: 1 }, B: [1] } },
      shows: { headers: { A: "[redacted]", B: "[redacted]" } },
      why: "more",
    },
    { config: { headers: [1, "s3cret"] }, shows: { headers: ["[redacted]", "[redacted]"] }, why: "a list of them" },
    { config: { headers: 12_345_678_901 }, shows: { headers: "[redacted]" }, why: "one that nobody wrapped" },
    { config: { url: "u:s3cret@y" }, shows: { url: "[redacted]" }, why: "a URL that is none" },
    { config: { url: "https://y:8080/a" }, shows: { url: "https://y:8080/a" }, why: "but not one that is" },
    { config: { gzip: true }, shows: { gzip: true }, why: "nor what is no secret" },
  ])("shows no secret of a log drain, whatever stands in its place: $why", ({ config, shows }) => {
    const body = (given: unknown) => ({
      data: { type: "log_drain", attributes: { backend_type: "webhook", config: given } },
    });
    for (const spec of [contract.logDrains.create.body, contract.logDrains.update.body]) {
      expect(bodySummary({ kind: "json", value: body(config) }, spec)).toEqual(body(shows));
    }
  });

  it.each(BROKEN_URLS_WITH_PASSWORD("s3cret").filter((url) => url.includes("//") && url.includes("@")))(
    "shows no password of what only looks like a URL: %s",
    (text) => {
      expect(JSON.stringify(redact({ text }))).not.toContain("s3cret");
    },
  );

  it.each([
    contract.database.query,
    contract.database.queryReadOnly,
    contract.migrations.apply,
    contract.migrations.upsert,
    contract.migrations.update,
  ])("shows SQL without its values where it names a secret: $id", ({ body: spec }) => {
    const sql = "alter role r password 's3cret'";
    const names = Object.keys(spec.schema.shape).filter((name) => name === "query" || name === "rollback");
    const value = Object.fromEntries(names.map((name) => [name, sql]));
    const shown = Object.fromEntries(names.map((name) => [name, "alter role r password '[redacted]'"]));
    expect(names).not.toEqual([]);
    expect(bodySummary({ kind: "json", value }, spec)).toEqual(shown);
  });

  it.each([
    { what: "an array", body: Array.from({ length: 100_000 }, () => 1) },
    { what: "arrays in arrays", body: Array.from({ length: 300 }, () => Array.from({ length: 300 }, () => [])) },
    { what: "texts", body: Array.from({ length: 1000 }, () => "x".repeat(5000)) },
    { what: "fields", body: Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`field${index}`, null])) },
    { what: "a name", body: { ["x".repeat(1_000_000)]: 1 } },
  ])("is small whatever is sent, and says that something is left out: $what", ({ body }) => {
    const shown = JSON.stringify(redact(body));
    expect(shown.length).toBeLessThan(50_000);
    expect(shown).toContain("…");
  });

  it("shows an ordinary body as a whole", () => {
    const body = Array.from({ length: 300 }, (_, index) => ({ name: `SECRET_${index}` }));
    expect(redact(body)).toEqual(body);
  });
});

describe("of a URL", () => {
  it.each(URLS_WITH_PASSWORD("s3cret"))("the password is not shown, however it is written: %j", (url) => {
    const shown = withoutPassword(url, "REDACTED");
    expect(URL.parse(shown)).toMatchObject({ password: "REDACTED", host: URL.parse(url)?.host });
    for (const text of [shown, JSON.stringify(redact({ url }))]) expect(text).not.toMatch(/s3|cret/);
  });

  it.each(URLS_WITHOUT_PASSWORD)("that has no password nothing is taken: %j", (text) => {
    expect(withoutPassword(text, "REDACTED")).toBe(text);
  });

  it.each(["https:", " ", "https:u", "https://u:", "a:b:"])("the time does not grow with its square: %j", (part) => {
    const startedAt = performance.now();
    withoutPassword(part.repeat(200_000 / part.length), "REDACTED");
    withoutPassword(`https:${part.repeat(200_000 / part.length)}`, "REDACTED");
    expect(performance.now() - startedAt).toBeLessThan(2000);
  });
});
