import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, test } from "vitest";
import { z } from "zod";
import { operations } from "../../src/api/contract/contract.ts";
import { openApiDocument } from "../../src/api/openapi/document.ts";

/** What RE2 reads besides plain text (Go's regexp, and what takes it for its patterns): no look-around, no reference back. */
const RE2 =
  /^(?:\\x[0-9A-Fa-f]{2}|\\[^A-Za-z0-9]|\\[AbBdDsSwWzafnrtv]|\(\?:|\((?!\?)|\{\d{1,3}(?:,(?:\d{1,3})?)?\}|[^\\({])*$/;

/** Every `pattern` in a document, wherever it stands. */
function patternsIn(node: unknown): readonly string[] {
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node).flatMap(([name, value]: readonly [string, unknown]) =>
    name === "pattern" && typeof value === "string" ? [value] : patternsIn(value),
  );
}

/** The document as it goes over the wire, held against what others wrote: a validator of OpenAPI 3.1. */
function wire(): Record<string, unknown> {
  const document = openApiDocument(operations, { version: "1.2.3", serverUrl: "https://api.example.com" });
  return z.record(z.string(), z.unknown()).parse(JSON.parse(JSON.stringify(document)));
}

test("the document of the contract is what the schema of OpenAPI 3.1 asks for", async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(wire());
  expect(errors).toBeUndefined();
  expect([valid, validator.version]).toEqual([true, "3.1"]);
});

test("that schema refuses a document with something wrong", async () => {
  const paths = { "/v1/profile": { get: { operationId: 7, responses: {} } } };
  expect(await new Validator().validate({ ...wire(), paths })).toMatchObject({ valid: false });
});

test("has no pattern that clients in Go could not compile", () => {
  const patterns = [...new Set(patternsIn(wire()))];
  expect(patterns.length).toBeGreaterThan(20);
  expect(patterns.filter((pattern) => !RE2.test(pattern))).toEqual([]);
});

test.each([
  "(?=a)b",
  "(?!a)b",
  "(?<=a)b",
  "(?<!a)b",
  "(a)\\1",
  "(?<x>a)\\k<x>",
  "\\u0061",
  "\\cA",
  "\\p{L}",
  "a{1001}",
])("a pattern like %s would be found", (pattern) => {
  expect(RE2.test(pattern)).toBe(false);
});
