import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ApiFailure } from "../failure.ts";
import { coerceQuery, parseJson, validate } from "./validation.ts";

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 400) return error.message;
    throw error;
  }
  throw new Error("was not refused");
}

describe("a refusal", () => {
  const schema = z.strictObject({
    size: z.enum(["micro", "small"]).optional(),
    count: z.number().int().min(1).max(5).optional(),
    name: z.string().max(3).optional(),
    ref: z
      .string()
      .regex(/^[a-z]{3}$/, "a ref is three letters")
      .optional(),
    list: z.array(z.strictObject({ value: z.string().max(4) })).optional(),
    db_pass: z.enum(["one"]).optional(),
  });

  it.each([
    { value: { size: "huge" }, says: "size: Invalid enum value. Expected 'micro' | 'small', received 'huge'" },
    { value: { count: "2" }, says: "count: Invalid input: expected number, received string" },
    { value: { count: 9 }, says: "count: Too big: expected number to be <=5, received '9'" },
    { value: { name: "long" }, says: "name: Too big: expected string to have <=3 characters, received 4" },
    { value: { ref: "AB" }, says: "ref: a ref is three letters, received 'AB'" },
    { value: { colour: 1 }, says: "body: Unrecognized key(s): 'colour'" },
    { value: null, says: "body: Invalid input: expected object, received null" },
    { value: [], says: "body: Invalid input: expected object, received array" },
    {
      value: { list: [{ value: "ok" }, { value: 5 }] },
      says: "list.1.value: Invalid input: expected string, received number",
    },
  ])("of $value names the field, what was expected and what came", ({ value, says }) => {
    expect(refusal(() => validate(schema, value, "body"))).toBe(says);
  });

  it.each([{ list: [{ value: "hunter2-secret" }] }, { db_pass: "hunter2-secret" }])(
    "of %o does not repeat what may be a secret",
    (value) => {
      expect(refusal(() => validate(schema, value, "body"))).not.toContain("hunter2");
    },
  );

  it("cuts what it repeats", () => {
    expect(refusal(() => validate(schema, { size: "x".repeat(5000) }, "body")).length).toBeLessThan(200);
  });

  it.each([
    { levels: 500, gives: "ok" },
    { levels: 501, gives: "body: expected at most 500 levels, received more" },
    { levels: 500_000, gives: "body: expected at most 500 levels, received more" },
  ])("of $levels levels of JSON: $gives, since what walks a body has a stack that ends", ({ levels, gives }) => {
    const text = "[".repeat(levels) + "]".repeat(levels);
    expect(levels === 500 ? (parseJson(text, "body"), "ok") : refusal(() => parseJson(text, "body"))).toBe(gives);
    const object = '{"a":'.repeat(levels) + "1" + "}".repeat(levels);
    expect(levels === 500 ? (parseJson(object, "body"), "ok") : refusal(() => parseJson(object, "body"))).toBe(gives);
  });

  it("tells of text that is no JSON without repeating it", () => {
    expect(refusal(() => parseJson('{"db_pass": "hunter2-secret"', "body"))).not.toContain("hunter2");
  });
});

describe("a query", () => {
  const schema = z.strictObject({
    flag: z.boolean().optional(),
    limit: z.number().optional(),
    services: z.array(z.enum(["db", "auth"])),
    text: z.string().optional(),
    page: z.strictObject({ size: z.number().optional(), after: z.string().optional() }).optional(),
  });

  it.each([
    { query: { flag: "true" }, gives: { flag: true }, because: "booleans are boolean strings" },
    { query: { flag: "1" }, gives: { flag: "1" }, because: "and nothing else: left for the schema to refuse" },
    { query: { limit: "20" }, gives: { limit: 20 }, because: "numbers are digits" },
    { query: { limit: "0x20" }, gives: { limit: "0x20" }, because: "and nothing that JavaScript takes for one" },
    { query: { limit: "" }, gives: { limit: "" }, because: "nothing is not zero" },
    { query: { services: "db,auth" }, gives: { services: ["db", "auth"] }, because: "a list may be comma-separated" },
    { query: { services: ["db", "auth"] }, gives: { services: ["db", "auth"] }, because: "or repeated" },
    { query: { services: "db" }, gives: { services: ["db"] }, because: "or have one item" },
    { query: { text: "true" }, gives: { text: "true" }, because: "text stays text" },
    { query: { other: "1" }, gives: { other: "1" }, because: "an unknown name is left for the schema to refuse" },
    {
      query: { "page[size]": "5", "page[after]": "7" },
      gives: { page: { size: 5, after: "7" } },
      because: "fields of an object stand in brackets",
    },
    {
      query: { "page[color]": "1" },
      gives: { page: { color: "1" } },
      because: "unknown ones are refused by the schema",
    },
    { query: { page: "5" }, gives: { page: "5" }, because: "and so is text where an object is expected" },
    { query: { "page[size]": "5", page: "5" }, gives: { page: "5" }, because: "also beside brackets" },
    { query: { "text[a]": "1" }, gives: { "text[a]": "1" }, because: "what is no object has no fields" },
    { query: { "page[a][b]": "1" }, gives: { "page[a][b]": "1" }, because: "one level of brackets, not two" },
  ])("$query becomes $gives: $because", ({ query, gives }) => {
    expect(coerceQuery(schema, query)).toEqual(gives);
  });

  it("takes no name of Object's own for a field", () => {
    expect(coerceQuery(schema, Object.fromEntries([["constructor", "1"]]))).toHaveProperty("constructor", "1");
  });
});
