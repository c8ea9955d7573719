import { describe, expect, it } from "vitest";
import { redact } from "./redact.ts";

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
      body: { url: "https://u:x@hook.test/a?token=x&key=a=b#state=x" },
      shows: { url: "https://u:[redacted]@hook.test/a?token=[redacted]&key=[redacted]#state=[redacted]" },
    },
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
    expect(redact(body, ["s3cret"])).toEqual({
      headers: { "X-Custom": "[redacted]" },
      dsn: "[redacted]",
      name: "drain",
    });
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
