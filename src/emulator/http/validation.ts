import { z } from "zod";
import { DEEPEST, unsayable } from "../../base/json-value.ts";
import { ApiFailure, badRequest } from "../failure.ts";
import { placeWords, refusalWords } from "./refusal-words.ts";

/**
 * Requests against the contract's schemas: strings of the query become what the schema asks for, and a refusal names the field,
 * what was expected and what came (refusal-words.ts).
 */

/** Checks one part of a request. @throws ApiFailure 400 */
export function validate<S extends z.ZodType>(schema: S, value: unknown, part: string): z.output<S> {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  throw badRequest(refusalWords(result.error.issues, { schema, value, part }));
}

/** Checks a body, which nobody has looked at: nothing may be in it that cannot be kept. @throws ApiFailure 400 */
export function validateBody<S extends z.ZodType>(schema: S, value: unknown, part: string): z.output<S> {
  const found = unsayable(value);
  if (found !== undefined) throw badRequest(`${placeWords(found.path) || part}: ${found.message}`);
  return validate(schema, value, part);
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

/** JSON text of a request body, before it is known who sent it. @throws ApiFailure 400 */
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
