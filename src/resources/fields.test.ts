import { describe, expect, test } from "vitest";
import { duration, objectName, organizationSlug, remoteRef, sourcePath, text, webUrl } from "./fields.ts";

interface Example {
  readonly field: string;
  readonly schema: ReturnType<typeof text>;
  readonly good: readonly string[];
  readonly bad: readonly string[];
}

const examples: readonly Example[] = [
  {
    field: "a project ref",
    schema: remoteRef("a ref"),
    good: ["abcdefghijklmnopqrst"],
    bad: ["", "abc", "ABCDEFGHIJKLMNOPQRST", "abcdefghijklmnopqrs1", "abcdefghijklmnopqrstu", "abcdefghijklmnopqrst\n"],
  },
  {
    field: "an organization's slug",
    schema: organizationSlug("a slug"),
    good: ["acme", "acme-2", "Acme_EU", "0f4c"],
    bad: ["", "Acme Inc.", "acme/eu", "acmé"],
  },
  {
    field: "the name of an object",
    schema: objectName("a name"),
    good: ["shop", "shop.eu-1", "1shop"],
    bad: ["", "Shop", "-shop", "shop-", "shop..eu", "shop/eu", `${"a".repeat(254)}`],
  },
  {
    field: "a path in a function's source",
    schema: sourcePath("a path"),
    good: ["index.ts", "lib/db.ts", ".env", "..a/b", "...", "a b/c d.html", "_shared/x+y@1.ts"],
    bad: [
      "",
      "/index.ts",
      "lib/",
      "lib//db.ts",
      ".",
      "..",
      "../x.ts",
      "a/../b",
      "a/./b",
      "a\\b.ts",
      "a/..",
      " index.ts",
    ],
  },
  {
    field: "a URL",
    schema: webUrl("a URL"),
    good: ["https://example.com", "http://localhost:8080/hook?x=1#y", "https://example.com?x"],
    bad: ["", "example.com", "ftp://example.com", "https://", "https://user@example.com", "https://example.com/a b"],
  },
  {
    field: "a duration of 1m to 24h",
    schema: duration("a time", { atLeast: "1m", atMost: "24h" }),
    good: ["1m", "60s", "24h", "1h30m"],
    bad: ["", "59s", "24h1s", "1d", "90"],
  },
];

describe.each(examples)("$field", ({ schema, good, bad }) => {
  test.each(good)("may be '%s'", (value) => {
    expect(schema.safeParse(value).success).toBe(true);
  });
  test.each(bad)("may not be '%s'", (value) => {
    expect(schema.safeParse(value).success).toBe(false);
  });
});

test("length is counted in characters, as the apiserver counts it, not in UTF-16 units", () => {
  const name = text("a name", { max: 3 });
  expect(name.safeParse("🦊🦊🦊").success).toBe(true);
  expect(name.safeParse("🦊🦊🦊🦊").success).toBe(false);
});
