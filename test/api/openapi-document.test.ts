import { fileURLToPath } from "node:url";
import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, test } from "vitest";
import { z } from "zod";
import { operations } from "../../src/api/contract/contract.ts";
import { openApiDocument } from "../../src/api/openapi/document.ts";
import { run, succeeded } from "../support/programs/run.ts";

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

/** What Go's own regexp does not compile, of several at once: to start it takes longest. */
async function refusedByGo(patterns: readonly string[]): Promise<readonly string[]> {
  const program = fileURLToPath(new URL("programs/patterns.go", import.meta.url));
  const env = { GOWORK: "off", GOTOOLCHAIN: "local", GOFLAGS: "-buildvcs=false", CGO_ENABLED: "0" };
  const ran = await run("go", ["run", program], { stdin: JSON.stringify(patterns), env, timeoutMs: 240_000 });
  return z.array(z.string()).parse(JSON.parse(succeeded(ran)));
}

test("has no pattern that clients in Go could not compile", { timeout: 250_000 }, async () => {
  const patterns = [...new Set(patternsIn(wire()))];
  expect(patterns.length).toBeGreaterThan(20);
  expect(await refusedByGo(patterns)).toEqual([]);
});

test("a pattern that they could not compile would be found", { timeout: 250_000 }, async () => {
  const refused = [
    "(?=a)b",
    "(?!a)b",
    "(?<=a)b",
    "(?<!a)b",
    "(a)\\1",
    "(?<x>a)\\k<x>",
    "\\u0061",
    "\\cA",
    "a{1001}",
    "[^]",
    "[]",
    "[a-\\d]",
    "(?:a{600}){2}",
  ];
  expect(await refusedByGo(["^[a-z]+$", ...refused, "[\\d-]"])).toEqual(refused);
});
