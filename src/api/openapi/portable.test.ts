import { describe, expect, test } from "vitest";
import { portable } from "./portable.ts";

const string = { type: "string" } as const;

describe("a schema is written in the form that generators of clients read", () => {
  const cases = [
    {
      why: "null beside a type is a type",
      given: { anyOf: [{ type: "integer", minimum: 0 }, { type: "null" }], description: "of it" },
      is: { type: ["integer", "null"], minimum: 0, format: "int64", description: "of it" },
    },
    {
      why: "also of what has schemas of its own",
      given: { anyOf: [{ type: "array", items: string }, { type: "null" }] },
      is: { type: ["array", "null"], items: string },
    },
    {
      why: "whole numbers that 32 bits may not hold say so",
      given: {
        type: "object",
        properties: { bytes: { type: "integer", minimum: 0 }, at: { type: ["integer", "null"], maximum: 2 ** 53 } },
      },
      is: {
        type: "object",
        properties: {
          bytes: { type: "integer", minimum: 0, format: "int64" },
          at: { type: ["integer", "null"], maximum: 2 ** 53, format: "int64" },
        },
      },
    },
    {
      why: "those that 32 bits hold are as they are, and so is what says its format",
      given: {
        anyOf: [
          { type: "integer", minimum: -5, maximum: 2 ** 31 - 1 },
          { type: "integer", format: "uint16" },
        ],
      },
      is: {
        anyOf: [
          { type: "integer", minimum: -5, maximum: 2 ** 31 - 1 },
          { type: "integer", format: "uint16" },
        ],
      },
    },
    {
      why: "several types are alternatives",
      given: { type: ["string", "number", "null"], "x-secret": true },
      is: { anyOf: [string, { type: "number" }, { type: "null" }], "x-secret": true },
    },
    {
      why: "texts with patterns are one text",
      given: {
        anyOf: [
          { type: "string", pattern: "^a$" },
          { type: "string", pattern: "^b|c$", format: "uuid" },
        ],
      },
      is: { type: "string", pattern: "(?:^a$)|(?:^b|c$)" },
    },
    {
      why: "names that Go would make the same are told apart",
      given: { type: "object", properties: { db_url: string, dbUrl: string, url: string } },
      is: {
        type: "object",
        properties: { db_url: string, dbUrl: { ...string, "x-go-name": "DbUrlCamelCase" }, url: string },
      },
    },
    {
      why: "however deep it stands",
      given: { type: "array", items: { properties: { a: { anyOf: [string, { type: "null" }] } } } },
      is: { type: "array", items: { properties: { a: { type: ["string", "null"] } } } },
    },
  ] as const;
  test.each(cases)("$why", ({ given, is }) => {
    expect(portable(given)).toEqual(is);
  });

  const kept = [
    { given: { type: ["string", "null"] }, why: "one type and null" },
    { given: { anyOf: [{ type: "string", enum: ["a"] }, { type: "null" }] }, why: "null is none of the constants" },
    { given: { anyOf: [{ $ref: "#/components/schemas/A" }, { type: "null" }] }, why: "a reference has no types" },
    { given: { anyOf: [{ type: "string", pattern: "^a$" }, string] }, why: "any text passes" },
    { given: { anyOf: [{ type: "string", pattern: "^a$", minLength: 1 }, string] }, why: "more than a pattern" },
    { given: { properties: { type: { enum: ["a", null] }, anyOf: string } }, why: "fields may have such names" },
  ];
  test.each(kept)("stays as it is: $why", ({ given }) => {
    expect(portable(given)).toEqual(given);
  });
});
