import { describe, expect, test } from "vitest";
import { z } from "zod";
import { NotStructuralError, toStructural } from "./structural.ts";

const described = (schema: z.ZodType): z.ZodType => z.object({ field: schema.describe("A field.") });

describe("toStructural", () => {
  test("writes a number with a fraction as one", () => {
    expect(toStructural(described(z.number().min(0)), "spec")).toMatchObject({
      properties: { field: { type: "number", minimum: 0 } },
    });
  });

  test("writes what may be a number or text as the apiserver knows it", () => {
    const either = z.union([z.int(), z.string()]).meta({ pattern: "^[0-9]+$", "x-kubernetes-int-or-string": true });
    expect(toStructural(described(either), "spec")).toMatchObject({
      properties: { field: { pattern: "^[0-9]+$", "x-kubernetes-int-or-string": true } },
    });
  });

  test("writes types, limits, defaults and descriptions as a CRD has them", () => {
    const schema = z.object({
      word: z.string().max(9).describe("A word."),
      choice: z.enum(["a", "b"]).default("a").describe("A choice."),
      count: z.int().min(1).max(5).optional().describe("A count."),
      flag: z.boolean().optional().describe("A flag."),
    });
    expect(toStructural(schema, "")).toEqual({
      type: "object",
      required: ["word"],
      properties: {
        word: { description: "A word.", type: "string", maxLength: 9 },
        choice: { description: "A choice. Default: a.", type: "string", enum: ["a", "b"], default: "a" },
        count: { description: "A count.", type: "integer", format: "int64", minimum: 1, maximum: 5 },
        flag: { description: "A flag.", type: "boolean" },
      },
    });
  });

  test("leaves out what zod says of any integer, and an empty list as default", () => {
    const list = z
      .array(z.string())
      .max(3)
      .meta({ description: "A list.", "x-kubernetes-list-type": "set" })
      .default([]);
    const schema = z.object({ count: z.int().describe("A count."), list });
    expect(toStructural(schema, "")).toEqual({
      type: "object",
      required: ["count"],
      properties: {
        count: { description: "A count.", type: "integer", format: "int64" },
        list: {
          description: "A list.",
          type: "array",
          maxItems: 3,
          "x-kubernetes-list-type": "set",
          items: { type: "string" },
        },
      },
    });
  });

  test("writes a record as additionalProperties", () => {
    const schema = described(z.record(z.string(), z.string().max(4)));
    expect(toStructural(schema, "").properties?.["field"]).toEqual({
      description: "A field.",
      type: "object",
      additionalProperties: { type: "string", maxLength: 4 },
    });
  });

  test("writes a field that may be null as nullable", () => {
    const schema = described(z.string().nullable());
    expect(toStructural(schema, "").properties?.["field"]).toEqual({
      description: "A field.",
      type: "string",
      nullable: true,
    });
  });

  test.each([
    { why: "a union", schema: described(z.union([z.string(), z.boolean()])), at: "spec.field" },
    { why: "an open object", schema: described(z.looseObject({ a: z.string().describe("A.") })), at: "spec.field" },
    { why: "anything at all", schema: described(z.unknown()), at: "spec.field" },
    {
      why: "a field without a description",
      schema: z.object({ a: z.object({ b: z.string() }).describe("A.") }),
      at: "spec.a.b",
    },
    {
      why: "a list without a bound",
      schema: described(z.array(z.string()).meta({ "x-kubernetes-list-type": "set" })),
      at: "spec.field",
    },
    {
      why: "a list that merges and has a default",
      schema: described(z.array(z.string()).max(1).meta({ "x-kubernetes-list-type": "set" }).default(["*"])),
      at: "spec.field",
    },
    { why: "a list without a list type", schema: described(z.array(z.string()).max(1)), at: "spec.field" },
    { why: "a schema referred to by id", schema: described(z.string().meta({ id: "shared" })), at: "spec" },
  ])("refuses $why and names the field", ({ schema, at }) => {
    expect(() => toStructural(schema, "spec")).toThrow(NotStructuralError);
    expect(() => toStructural(schema, "spec")).toThrow(`${at}: `);
  });
});
