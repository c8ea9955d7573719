import { describe, expect, it } from "vitest";
import { z } from "zod";
import { secret } from "../../api/contract/fields.ts";
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

  const secrets = z.strictObject({
    headers: z.record(z.string(), secret(z.string())).optional(),
    keys: z.array(secret(z.string())).optional(),
    either: z.union([secret(z.enum(["one"])), z.strictObject({ a: z.enum(["two"]) })]).optional(),
    whole: secret(z.strictObject({ a: z.string() })).optional(),
    pages: z
      .string()
      .regex(/^[a-z]*$/, "letters")
      .optional(),
    url: z.url().optional(),
  });

  it.each([
    { value: { headers: { A: 987_654_321 } }, says: "headers.A: Invalid input: expected string, received number" },
    { value: { headers: 987_654_321 }, says: "headers: Invalid input: expected record, received number" },
    {
      value: { headers: { A: { b: 987_654_321 } } },
      says: "headers.A: Invalid input: expected string, received object",
    },
    { value: { keys: [987_654_321] }, says: "keys.0: Invalid input: expected string, received number" },
    { value: { keys: 987_654_321 }, says: "keys: Invalid input: expected array, received number" },
    { value: { either: 987_654_321 }, says: "either: Invalid enum value. Expected 'one', received number" },
    { value: { whole: { a: 987_654_321 } }, says: "whole.a: Invalid input: expected string, received number" },
    { value: { whole: { a: "", s987: 1 } }, says: "whole: Unrecognized key(s)" },
    { value: { url: "ht!tp://u:s987@y" }, says: "url: Invalid URL, received string" },
    { value: { pages: "ht!tp://u:s987@y" }, says: "pages: letters, received 'ht!tp://u:[redacted]@y'" },
    { value: { pages: "u:s987@y" }, says: "pages: letters, received '[redacted]'" },
    { value: { pages: "https://y?s987" }, says: "pages: letters, received 'https://y?[redacted]'" },
    { value: { "//u:s987@y": 1 }, says: "body: Unrecognized key(s): '//u:[redacted]@y'" },
  ])("of $value says no secret, whatever it is instead of a text", ({ value, says }) => {
    expect(refusal(() => validate(secrets, value, "body"))).toBe(says);
  });

  const either = z.strictObject({
    ref: z.union([z.string().regex(/^[a-z]{3}$/, "a ref is three letters"), z.uuid()]).optional(),
    disk: z
      .discriminatedUnion("type", [
        z.strictObject({ type: z.literal("gp3"), size: z.number() }),
        z.strictObject({ type: z.literal("io2") }),
      ])
      .optional(),
    when: z.union([z.number(), z.strictObject({ at: z.number().max(5) })]).optional(),
    deep: z.union([z.boolean(), z.union([z.enum(["a"]), z.enum(["b"])])]).optional(),
  });

  it.each([
    { value: { ref: "ABC" }, says: "ref: a ref is three letters, or Invalid UUID, received 'ABC'" },
    { value: { ref: 5 }, says: "ref: Invalid input: expected string, received '5'" },
    { value: { disk: { type: "gp4" } }, says: "disk.type: Invalid enum value. Expected 'gp3' | 'io2', received 'gp4'" },
    { value: { disk: { type: "gp3" } }, says: "disk.size: Invalid input: expected number, received undefined" },
    { value: { disk: {} }, says: "disk.type: Invalid enum value. Expected 'gp3' | 'io2', received undefined" },
    { value: { when: { at: 6 } }, says: "when.at: Too big: expected number to be <=5, received '6'" },
    { value: { when: { at: "x" } }, says: "when.at: Invalid input: expected number, received string" },
    {
      value: { when: "x" },
      says: "when: Invalid input: expected number, or expected object, received string",
    },
    {
      value: { deep: "c" },
      says: "deep: Invalid enum value. Expected 'a', or Invalid enum value. Expected 'b', received 'c'",
    },
  ])("of $value says what each alternative expects, or what the one that is meant does", ({ value, says }) => {
    expect(refusal(() => validate(either, value, "body"))).toBe(says);
  });

  it.each([
    { value: { headers: { "https://u:s987@h/": 5 } }, place: "headers.https://u:[redacted]@h/" },
    { value: { headers: { "u:s987@h": 5 } }, place: "headers.[redacted]" },
    { value: { headers: { ["x".repeat(200_000)]: 5 } }, place: `headers.${"x".repeat(80)}…` },
  ])("of what stands at $place names it without a secret, and not at any length", ({ value, place }) => {
    const says = `${place}: Invalid input: expected string, received number`;
    expect(refusal(() => validate(secrets, value, "body"))).toBe(says);
  });

  it("names the first levels of a place that lies deep", () => {
    const nested = z.strictObject({ a: z.json() });
    let value: unknown = () => 1;
    for (let level = 0; level < 400; level += 1) value = { kkkk: value };
    expect(refusal(() => validate(nested, { a: value }, "body"))).toMatch(/^a(?:\.kkkk){9}\.…: /);
  });

  it("says a few of the keys that nobody knows", () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`k${at}`, 1]));
    expect(refusal(() => validate(schema, many, "body"))).toBe(
      "body: Unrecognized key(s): 'k0', 'k1', 'k2', 'k3', 'k4', …",
    );
  });

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
