import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, test } from "vitest";
import { z } from "zod";
import { operations } from "../../src/api/contract/contract.ts";
import { openApiDocument } from "../../src/api/openapi/document.ts";

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
