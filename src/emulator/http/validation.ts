import { z } from "zod";
import { ApiFailure, badRequest } from "../failure.ts";
import { isSensitive } from "./redact.ts";

/**
 * Requests against the contract's schemas: strings of the query become what the schema asks for, and a refusal names the field,
 * what was expected and what came (facts.md §5, "create with bad enum").
 */

/** Checks one part of a request. @throws ApiFailure 400 */
export function validate<S extends z.ZodType>(schema: S, value: unknown, part: string): z.output<S> {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  throw badRequest(
    result.error.issues
      .slice(0, MOST_ISSUES)
      .map((issue) => describe(issue, part))
      .join("; "),
  );
}

const MOST_ISSUES = 5;
const LONGEST_ECHO = 80;

type SchemaIssue = z.core.$ZodIssue;

function describe(issue: SchemaIssue, part: string): string {
  const field = issue.path.map(String).join(".") || part;
  return `${field}: ${expectation(issue)}${received(issue)}`;
}

function expectation(issue: SchemaIssue): string {
  if (issue.code === "invalid_value") return `Invalid enum value. Expected ${issue.values.map(quote).join(" | ")}`;
  if (issue.code === "unrecognized_keys") {
    return `Unrecognized key(s): ${issue.keys.map((key) => quote(cut(key))).join(", ")}`;
  }
  return issue.message.replace(/, received .*$/, "");
}

/** What came, by its type; by its value only where the field is of a kind that holds no secret. */
function received(issue: SchemaIssue): string {
  if (issue.code === "unrecognized_keys") return "";
  const { input } = issue;
  const type = typeName(input);
  const open = !issue.path.some((key) => isSensitive(String(key)));
  const echo = open && (issue.code === "invalid_value" || issue.code === "invalid_format" || typeof input === "number");
  if (echo && (typeof input === "string" || typeof input === "number")) {
    return `, received ${quote(cut(String(input)))}`;
  }
  if (typeof input === "string" && issue.code === "too_big") return `, received ${input.length}`;
  return `, received ${type}`;
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function cut(text: string): string {
  return text.length <= LONGEST_ECHO ? text : `${text.slice(0, LONGEST_ECHO)}…`;
}

function quote(text: unknown): string {
  return `'${String(text)}'`;
}

/** Query parameters as the wire has them, turned into the types of the schema where the text allows it. */
export function coerceQuery(schema: z.ZodObject, query: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(outOfBrackets(schema, query)).map(([key, value]) => {
      const field: unknown = Object.hasOwn(schema.shape, key) ? schema.shape[key] : undefined;
      return [key, field === undefined ? value : coerce(field, value)];
    }),
  );
}

/** `page[size]=5` becomes a field `size` of `page` where the schema has an object of that name; what else has brackets stays as it is. */
function outOfBrackets(schema: z.ZodObject, query: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const flat: [string, unknown][] = [];
  const objects = new Map<string, [string, unknown][]>();
  for (const [key, value] of Object.entries(query)) {
    const [, name = "", inner = ""] = /^([^[\]]+)\[([^[\]]+)\]$/.exec(key) ?? [];
    if (Object.hasOwn(schema.shape, name) && unwrapped(schema.shape[name]) instanceof z.ZodObject) {
      objects.set(name, [...(objects.get(name) ?? []), [inner, value]]);
    } else flat.push([key, value]);
  }
  const made = [...objects].map(([name, fields]): [string, unknown] => [name, Object.fromEntries(fields)]);
  return Object.fromEntries([...made, ...flat]); // a `page` without brackets is seen, and refused for what it is
}

function unwrapped(field: unknown): unknown {
  const wraps = field instanceof z.ZodOptional || field instanceof z.ZodNullable || field instanceof z.ZodDefault;
  return wraps ? unwrapped(field.unwrap()) : field;
}

function coerce(field: unknown, value: unknown): unknown {
  const bare = unwrapped(field);
  if (bare !== field) return coerce(bare, value);
  if (field instanceof z.ZodObject) {
    return typeof value === "object" && value !== null ? coerceQuery(field, { ...value }) : value;
  }
  if (field instanceof z.ZodArray) {
    const given: readonly unknown[] = Array.isArray(value) ? value : [value];
    const items = given.flatMap((item): readonly unknown[] => (typeof item === "string" ? item.split(",") : [item]));
    return items.map((item) => coerce(field.element, item));
  }
  if (typeof value !== "string") return value;
  if (field instanceof z.ZodBoolean) return value === "true" ? true : value === "false" ? false : value;
  if (field instanceof z.ZodNumber) return /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
  return value;
}

/** JSON text of a request body. @throws ApiFailure 400 */
export function parseJson(text: string, part: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ApiFailure(400, `${part}: expected JSON, received text that is not`);
  }
  if (isTooDeep(value)) throw badRequest(`${part}: expected at most ${DEEPEST} levels, received more`);
  return value;
}

/** Whatever walks a body goes a call deeper for each of its levels: the stack would end at some thousands. */
const DEEPEST = 500;

function isTooDeep(value: unknown): boolean {
  let level = [value].filter(isObject);
  for (let depth = 0; depth < DEEPEST && level.length > 0; depth += 1) {
    level = level.flatMap((one) => Object.values(one).filter(isObject));
  }
  return level.length > 0;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
