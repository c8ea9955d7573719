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
});
