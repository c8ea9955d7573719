import { describe, expect, it } from "vitest";
import { z } from "zod";
import { secret } from "../../api/contract/fields.ts";
import { isWithinAny, refusalWords } from "./refusal-words.ts";

const MANY = 16_000;

const wordsOf = (schema: z.ZodType, value: unknown) =>
  refusalWords(schema.safeParse(value, { reportInput: true }).error?.issues ?? [], { schema, value, part: "body" });

describe("the words of a refusal", () => {
  const secrets = z.record(z.string().min(1).max(3), secret(z.string().max(3)));
  it.each([
    {
      value: { "": "v" },
      says: "secrets.'': Invalid name: Too small: expected string to have >=1 characters, received string",
    },
    {
      value: { long: "v" },
      says: "secrets.long: Invalid name: Too big: expected string to have <=3 characters, received 4",
    },
    { value: { ok: "hunter2" }, says: "secrets.ok: Too big: expected string to have <=3 characters, received 7" },
  ])("say of $value what is wrong with the name or the value", ({ value, says }) => {
    expect(wordsOf(z.strictObject({ secrets }), { secrets: value })).toBe(says);
    expect(wordsOf(z.union([z.string(), secrets]), value)).toBe(says.replace("secrets.", ""));
  });

  it("say what else can be written for true or false", () => {
    const says = "on: Invalid input: expected true or false, received string";
    expect(wordsOf(z.strictObject({ on: z.boolean() }), { on: "maybe" })).toBe(says);
    expect(wordsOf(z.strictObject({ on: z.boolean().nullish().default(true) }), { on: "maybe" })).toBe(says);
    expect(wordsOf(z.union([z.string(), z.boolean()]), 5)).toBe(
      "body: Invalid input: expected string, or Invalid input: expected true or false, received '5'",
    );
  });
});

describe("the words of many refusals", () => {
  it("are made of those that are said alone, whether they are of one list or of an alternative", () => {
    const looked = new Set<number>();
    const issues = Array.from({ length: MANY }, (_, at): z.core.$ZodIssue => {
      const issue: z.core.$ZodIssue = { code: "custom", path: [], message: "wrong" };
      return Object.defineProperty(issue, "code", { get: () => (looked.add(at), "custom") });
    });
    const refused = { schema: z.unknown(), value: null, part: "body" };
    const words = Array.from({ length: 5 }, () => "body: wrong, received undefined").join("; ");
    expect(refusalWords(issues, refused)).toBe(words);
    expect(looked.size).toBe(5);
    const within = issues.map((issue) => Object.defineProperty(issue, "path", { value: ["a"] }));
    looked.clear();
    const either: z.core.$ZodIssue = { code: "invalid_union", errors: [within], path: [], message: "" };
    expect(refusalWords([either], refused)).toBe(words.replaceAll("body", "a"));
    expect(looked.size).toBe(5);
  });

  it.each([
    { sent: { on: { a: "s3cret" } }, says: "name: Invalid input: expected string, received undefined", looks: 0 },
    { sent: { name: "shop", on: "x" }, says: "on: Invalid input: expected object, received string", looks: 0 },
    { sent: { name: {}, nmae: "x" }, says: "Unrecognized key(s): 'nmae'", looks: 1 },
    { sent: { name: 5, on: { a: "s3cret" } }, says: "name: Invalid input: expected string, received '5'", looks: 1 },
  ])("look for secrets only where something of the request is repeated: $says", ({ sent, says, looks }) => {
    const schema = z.strictObject({ name: z.string(), on: z.strictObject({ a: secret(z.string()) }).optional() });
    let looked = 0;
    const value = new Proxy(sent, {
      ownKeys: (one) => {
        looked += 1;
        return Reflect.ownKeys(one);
      },
    });
    const issues = schema.safeParse(sent, { reportInput: true }).error?.issues ?? [];
    expect(refusalWords(issues, { schema, value, part: "body" })).toContain(says);
    expect(looked).toBe(looks);
  });

  it("ask for the places of secrets without looking at each of them again", () => {
    let looks = 0;
    const places = Array.from(
      { length: MANY },
      (_, at) =>
        new Proxy(["headers", `h${at}`], {
          get: (place, key) => {
            looks += 1;
            const found: unknown = Reflect.get(place, key);
            return found;
          },
        }),
    );
    const isSecret = isWithinAny(places);
    looks = 0;
    expect([["headers", "h7"], ["headers", "h15999", 3], ["headers"], ["headers.h7"], []].map(isSecret)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
    expect(looks).toBe(0);
  });
});
