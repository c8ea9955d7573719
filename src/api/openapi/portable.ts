import type { JsonObject } from "./json.ts";

/**
 * Schemas in forms that generators of clients read. JSON Schema has several ways to say the same; these are the ones that the generators
 * for Go, Python, TypeScript and Rust turn into plain types instead of refusing the document or wrapping every value in a union.
 */

/** The same schema, and all in it, in those forms. What it accepts stays the same. */
export function portable(schema: JsonObject): JsonObject {
  const within = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, portableValue(value)]));
  return namedApart(separateTypes(wideInteger(nullableType(oneString(within)))));
}

function portableValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(portableValue);
  return isObject(value) ? portable(value) : value;
}

const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null;

/** Texts that differ in their patterns are one type: a client's caller gives a text, and chooses no alternative first. */
function oneString(schema: JsonObject): JsonObject {
  const { anyOf, ...rest } = schema;
  const alternatives: readonly unknown[] = Array.isArray(anyOf) ? anyOf : [];
  const patterns = alternatives.map((one) => (isPattern(one) ? `(?:${String(one["pattern"])})` : undefined));
  if (patterns.length === 0 || patterns.includes(undefined)) return schema;
  return { type: "string", pattern: patterns.join("|"), ...rest };
}

/** A format says what the pattern says already. */
function isPattern(schema: unknown): schema is JsonObject {
  if (!isObject(schema) || schema["type"] !== "string" || !("pattern" in schema)) return false;
  return Object.keys(schema).every((key) => ["type", "pattern", "format"].includes(key));
}

/**
 * Null beside one type is one of the schema's types and no alternative: `integer or null` is a pointer, an alternative is a union. With a set
 * of values it stays an alternative, or null would have to be one of the named constants.
 */
function nullableType(schema: JsonObject): JsonObject {
  const { anyOf, ...rest } = schema;
  const alternatives: readonly unknown[] = Array.isArray(anyOf) ? anyOf : [];
  const [value, none, ...more] = alternatives;
  if (!isObject(value) || !isObject(none) || none["type"] !== "null" || more.length > 0) return schema;
  if (typeof value["type"] !== "string" || "enum" in value || "const" in value) return schema;
  return { ...value, type: [value["type"], "null"], ...rest };
}

const INT32 = { least: -(2 ** 31), most: 2 ** 31 - 1 };

/** Whole numbers that 32 bits may not hold say so: without a format, generators for Java, Kotlin and C# take 32. */
function wideInteger(schema: JsonObject): JsonObject {
  const { type, minimum, maximum, format } = schema;
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  if (!types.includes("integer") || format !== undefined) return schema;
  const fits = isAtLeast(minimum, INT32.least) && isAtMost(maximum, INT32.most);
  return fits ? schema : { ...schema, format: "int64" };
}

function isAtLeast(bound: unknown, least: number): boolean {
  return typeof bound === "number" && bound >= least;
}

function isAtMost(bound: unknown, most: number): boolean {
  return typeof bound === "number" && bound <= most;
}

/** A value of several types is told by alternatives: a list of types is read by generators only where it is one type and null. */
function separateTypes(schema: JsonObject): JsonObject {
  const { type, ...rest } = schema;
  const types: readonly unknown[] = Array.isArray(type) ? type : [];
  const several = types.filter((one) => one !== "null").length > 1;
  return several ? { ...rest, anyOf: types.map((one) => ({ type: one })) } : schema;
}

/** `connection_string` and `connectionString` are the same name in Go: the later one is given another. */
function namedApart(schema: JsonObject): JsonObject {
  const { properties } = schema;
  if (!isObject(properties)) return schema;
  const seen = new Set<string>();
  const named = Object.entries(properties).map(([name, field]): readonly [string, unknown] => {
    const own = pascalCase(name);
    const taken = seen.has(own) && isObject(field);
    seen.add(own);
    return [name, taken ? { ...field, "x-go-name": `${own}CamelCase` } : field];
  });
  return { ...schema, properties: Object.fromEntries(named) };
}

function pascalCase(name: string): string {
  return name.replaceAll(/(?:^|[^a-zA-Z0-9]+)([a-zA-Z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
