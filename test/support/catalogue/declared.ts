import { z } from "zod";
import type { Operation } from "../../../src/api/contract/operation.ts";
import { arrayOf, mapOf, type Shape, under } from "./shapes.ts";

/** Declarations in the form in which the catalogue's text is read, so that the two can be compared. */

type Json = Readonly<Record<string, unknown>>;
const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);
const membersOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isJson) : []);

/** A field of a request: "string", "integer", "array of string"; "" where several types are allowed. */
export interface DeclaredField {
  readonly name: string;
  readonly required: boolean;
  readonly type: string;
  readonly deprecated: boolean;
}

function jsonSchema(schema: z.ZodType, io: "input" | "output"): Json {
  return { ...z.toJSONSchema(schema, { io, unrepresentable: "any" }) };
}

/** Alternatives of a schema; null is no alternative but a value of the others. */
function alternatives(schema: Json): readonly Json[] {
  const types: unknown = schema["type"];
  const several = Array.isArray(types)
    ? types.map((type: unknown) => ({ ...schema, type }))
    : [...membersOf(schema["anyOf"]), ...membersOf(schema["oneOf"])].flatMap(alternatives);
  return several.length === 0 ? [schema] : several.filter(({ type }) => type !== "null");
}

function typeOf(schema: Json): string {
  const types = new Set(alternatives(schema).map(({ type }) => (typeof type === "string" ? type : "")));
  const [type = ""] = types;
  return types.size === 1 ? type : "";
}

/** Every field of an answer that a schema names, by path. */
export const shapeOfAnswer = (schema: z.ZodType): Shape => shapeOf(jsonSchema(schema, "output"));

function shapeOf(schema: Json): Shape {
  const shapes = alternatives(schema).map(shapeOfOne);
  return new Map([...shapes.flatMap((shape) => [...shape]), ["", typeOf(schema)] as const]);
}

function shapeOfOne(schema: Json): Shape {
  const { type, properties, items, additionalProperties } = schema;
  if (type === "array" && isJson(items)) return arrayOf(shapeOf(items));
  const fields = isJson(properties) ? Object.entries(properties) : [];
  const isMap = type === "object" && fields.length === 0;
  if (isMap && isJson(additionalProperties)) return mapOf(shapeOf(additionalProperties));
  const below = fields.flatMap(([name, field]) => (isJson(field) ? [...under(name, shapeOf(field))] : []));
  return new Map([["", typeOf(schema)], ...below]);
}

function fieldsOf(schema: Json): readonly DeclaredField[] {
  const { properties, required } = schema;
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(isJson(properties) ? properties : {}).map(([name, field]) => ({
    name,
    required: names.includes(name),
    type: isJson(field) ? typeWords(field) : "",
    deprecated: isJson(field) && field["deprecated"] === true,
  }));
}

function typeWords(schema: Json): string {
  const [first = {}] = alternatives(schema);
  const type = typeOf(schema);
  return type === "array" && isJson(first["items"]) ? `array of ${typeOf(first["items"]) || "unknown"}` : type;
}

export const declaredQuery = ({ query }: Operation): readonly DeclaredField[] => fieldsOf(jsonSchema(query, "input"));

/** Fields of the body's top level; of a body that has none, what it is instead. */
export function declaredBody({ body }: Operation): readonly DeclaredField[] | string | undefined {
  if (body === undefined) return undefined;
  if (body.encoding === "multipart") {
    const required = { required: true, deprecated: false };
    return [
      { ...required, name: "file", required: false, type: "array of string" },
      { ...required, name: "metadata", type: "object" },
    ];
  }
  const schema = jsonSchema(body.schema, "input");
  return schema["type"] === "object" ? fieldsOf(schema) : typeWords(schema);
}
