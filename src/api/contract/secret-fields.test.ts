import { expect, test } from "vitest";
import { z } from "zod";
import { secret } from "./fields.ts";
import { secretValues } from "./secret-fields.ts";

const text = secret(z.string());
const schema = z.strictObject({
  url: text.optional(),
  headers: z.record(z.string(), text),
  keys: z.array(z.strictObject({ key: text })),
  name: z.string(),
});

test.each([
  { value: { url: "s3cret", name: "plain" }, found: ["s3cret"], why: "as it should be" },
  { value: { url: ["s3cret"] }, found: ["s3cret"], why: "in a list that nobody asked for" },
  { value: { url: { user: { pass: "s3cret" } } }, found: ["s3cret"], why: "in an object that nobody asked for" },
  { value: { headers: { "x-key": "s3cret" } }, found: ["s3cret"], why: "under any name" },
  { value: { headers: { "x-key": ["s3cret"] } }, found: ["s3cret"], why: "in a list under any name" },
  { value: { headers: "x-key: s3cret" }, found: ["x-key: s3cret"], why: "as text instead of names and values" },
  { value: { headers: [["x-key", "s3cret"]] }, found: ["x-key", "s3cret"], why: "as pairs" },
  { value: { keys: { key: "s3cret" } }, found: [], why: "not where nothing tells an item from its field" },
  { value: { url: 5, headers: { a: 1e21 } }, found: ["5", "1e+21"], why: "as numbers" },
  { value: { url: true, headers: { a: null } }, found: [], why: "not what any other value may be as well" },
  { value: { name: ["plain"] }, found: [], why: "not what is no secret, whatever its type" },
  { value: "s3cret", found: [], why: "not what is no body at all" },
])("the secrets of $value are found $why", ({ value, found }) => {
  expect(secretValues(schema, value)).toEqual(found);
});
