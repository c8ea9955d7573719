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
    { body: ["A", "B"], shows: ["A", "B"] },
  ])("shows the shape of $body and no secret", ({ body, shows }) => {
    expect(redact(body)).toEqual(shows);
  });
});
