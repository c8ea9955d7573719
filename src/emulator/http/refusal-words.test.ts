import { describe, expect, it } from "vitest";
import { z } from "zod";
import { secret } from "../../api/contract/fields.ts";
import { refusalWords } from "./refusal-words.ts";

const MANY = 16_000;

const wordsOf = (schema: z.ZodType, value: unknown, part = "body") =>
  refusalWords(schema.safeParse(value, { reportInput: true }).error?.issues ?? [], { schema, value, part });

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

  it("say what else can be written for true or false, with which signs", () => {
    const says = "on: Invalid input: expected true or false";
    for (const on of [z.boolean(), z.boolean().nullish().default(true)]) {
      expect(wordsOf(z.strictObject({ on }), { on: "true" })).toBe(`${says} without quotes, received string`);
      expect(wordsOf(z.strictObject({ on }), { on: "maybe" }, "query")).toBe(`${says}, received string`);
      expect(wordsOf(z.strictObject({ on }), { on: 1 })).toBe(`${says}, received '1'`);
    }
    expect(wordsOf(z.union([z.string(), z.boolean()]), 5)).toBe(
      "body: Invalid input: expected string, or expected true or false, received '5'",
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

  const wide = Array.from({ length: 100 }, () => ({ a: "s3cret" }));
  it.each([
    { sent: { on: { a: "s3cret" } }, says: "name: Invalid input: expected string, received undefined", looks: 0 },
    { sent: { name: "shop", on: "x" }, says: "on: Invalid input: expected object, received string", looks: 0 },
    { sent: { name: {}, nmae: "x" }, says: "Unrecognized key(s): 'nmae'", looks: 0 },
    { sent: { name: "shop", on: { b: "x" } }, says: "on: Unrecognized key(s): 'b'", looks: 1 },
    { sent: { name: 5, on: { a: "s3cret" } }, says: "name: Invalid input: expected string, received '5'", looks: 1 },
    {
      sent: { name: "shop", at: [...wide, 5] },
      says: "at.100: Invalid input: expected object, or expected string, received '5'",
      looks: 2,
    },
    { sent: { name: "shop", at: { a: wide, b: [[5]] } }, says: "at: Invalid input: expected array", looks: 0 },
    {
      sent: { name: "shop", either: { zz: 1 }, at: wide },
      says: "either: Unrecognized key(s): 'zz'",
      looks: 1,
    },
  ])("look for secrets only where something of the request is repeated, and only there: $says", ({ sent, ...told }) => {
    const schema = z.strictObject({
      name: z.string(),
      on: z.strictObject({ a: secret(z.string()) }).optional(),
      at: z.array(z.union([z.strictObject({ a: secret(z.string()) }), z.string()])).optional(),
      either: z
        .union([z.strictObject({ p: z.string().optional() }), z.strictObject({ q: z.string().optional() })])
        .optional(),
    });
    const { value, looks } = watched(sent);
    const issues = schema.safeParse(sent, { reportInput: true }).error?.issues ?? [];
    expect(refusalWords(issues, { schema, value, part: "body" })).toContain(told.says);
    expect(looks()).toBe(told.looks);
  });

  it.each([
    { levels: 1, width: 1000 },
    { levels: 400, width: 1 },
    { levels: 400, width: 1000 },
  ])("cost the way to what they repeat: $levels levels of $width values", ({ levels, width }) => {
    const row = Array.from({ length: width }, () => 1);
    const nested = (inner: unknown): unknown =>
      Array.from({ length: levels }).reduce<unknown>((value) => ({ next: value, row, last: row }), inner);
    const schema = z.strictObject({ x: z.looseObject({}) });
    const { value, looks } = watched({ x: nested({}) });
    const path = ["x", ...Array.from({ length: levels }, () => "next"), "n"];
    const issues: z.core.$ZodIssue[] = Array.from({ length: MANY }, () => ({
      code: "unrecognized_keys",
      keys: ["k"],
      path,
      message: "",
    }));
    expect(refusalWords(issues, { schema, value, part: "body" })).toContain("Unrecognized key(s)");
    expect(looks()).toBeLessThanOrEqual(5 * path.length);
  });
});

/** A value that counts how often somebody looks for something in it, at any depth. */
function watched(value: unknown): { readonly value: unknown; readonly looks: () => number } {
  let looks = 0;
  const watch = (one: unknown): unknown => {
    if (typeof one !== "object" || one === null) return one;
    return new Proxy(one, {
      get: (target, key) => {
        looks += 1;
        return watch(Reflect.get(target, key));
      },
      ownKeys: (target) => {
        const keys = Reflect.ownKeys(target);
        looks += keys.length;
        return keys;
      },
    });
  };
  return { value: watch(value), looks: () => looks };
}
