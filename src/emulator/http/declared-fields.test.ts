import { expect, it } from "vitest";
import { z } from "zod";
import { contract } from "../../api/contract/contract.ts";
import { onlyDeclared } from "./declared-fields.ts";

const schema = z.strictObject({
  name: z.string().optional(),
  page: z.strictObject({ size: z.coerce.number() }).optional(),
  tags: z
    .array(z.strictObject({ id: z.string() }))
    .nullable()
    .optional(),
  by: z.record(z.string(), z.number()).optional(),
  source: z.union([z.strictObject({ a: z.string() }), z.strictObject({ b: z.string() })]).optional(),
  free: z.unknown(),
});

it.each([
  { sent: { name: "shop", nmae: "x" }, shows: { name: "shop", nmae: "[redacted]" }, why: "a slip" },
  {
    sent: { name: { first: "x", more: ["y"] } },
    shows: { name: { first: "[redacted]", more: ["[redacted]"] } },
    why: "a text is no object",
  },
  { sent: { tags: [{ id: "a", note: "x" }] }, shows: { tags: [{ id: "a", note: "[redacted]" }] }, why: "in a list" },
  { sent: { tags: "x", by: { a: 1 } }, shows: { tags: "[redacted]", by: { a: 1 } }, why: "a list is no text" },
  {
    sent: { source: { a: "1", b: "2", c: "x" } },
    shows: { source: { a: "1", b: "2", c: "[redacted]" } },
    why: "of either",
  },
  {
    sent: { "page[size]": "5", "page[sizes]": "x", page: { size: 5 } },
    shows: { "page[size]": "5", "page[sizes]": "[redacted]", page: { size: 5 } },
    why: "in brackets",
  },
  { sent: { free: { any: ["thing"] } }, shows: { free: { any: ["thing"] } }, why: "whatever it is, it is declared" },
  { sent: { name: ["a", "b"], tags: null }, shows: { name: ["a", "b"], tags: null }, why: "given twice" },
  { sent: "x", shows: "[redacted]", why: "no object at all" },
  {
    sent: JSON.parse('{"__proto__": "x", "constructor": "x"}'),
    shows: JSON.parse('{"__proto__": "[redacted]", "constructor": "[redacted]"}'),
    why: "names that every object has",
  },
])("what is not declared shows its name alone: $sent, $why", ({ sent, shows }) => {
  expect(onlyDeclared(schema, sent)).toEqual(shows);
});

it("nothing is declared where there is no schema", () => {
  expect(onlyDeclared(undefined, { a: "x", b: { c: 1 } })).toEqual({ a: "[redacted]", b: { c: "[redacted]" } });
});

it("what operations declare is shown as it was", () => {
  const body = { name: "shop", organization_slug: "acme", region_selection: { type: "specific", code: "eu-west-1" } };
  expect(onlyDeclared(contract.projects.create.body.schema, body)).toEqual(body);
});
