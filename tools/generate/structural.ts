import { z } from "zod";

/**
 * From zod to the structural schemas that the apiserver takes. zod's openapi-3.0 output is close, but says things that are refused there
 * (unions, open objects) or useless (the bounds of a safe integer). Whatever this file does not know is an error, so that nothing is
 * dropped in silence.
 */

/** A node of a structural schema. */
export interface StructuralSchema {
  readonly [key: string]: unknown;
  readonly description?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly items?: StructuralSchema;
  readonly additionalProperties?: StructuralSchema;
}

/** A schema that cannot be written as a structural one; the message names the field. */
export class NotStructuralError extends Error {
  readonly code = "NOT_STRUCTURAL";

  /** @param path the field, as `spec.region` @param problem what is wrong with it */
  constructor(path: string, problem: string) {
    super(`${path}: ${problem}`);
    this.name = "NotStructuralError";
  }
}

/** Keys that are copied as they are, in the order in which they are written. */
const copiedKeys = [
  "description",
  "type",
  "format",
  "nullable",
  "enum",
  "default",
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "pattern",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
  "required",
  "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-map-type",
  "x-kubernetes-int-or-string",
  "x-kubernetes-validations",
] as const;
const nestedKeys = ["properties", "items", "additionalProperties"] as const;
const knownKeys: ReadonlySet<string> = new Set([...copiedKeys, ...nestedKeys]);
const types: ReadonlySet<unknown> = new Set(["object", "array", "string", "integer", "number", "boolean"]);

type Node = Readonly<Record<string, unknown>>;

const nodeSchema = z.record(z.string(), z.unknown());

function asNode(value: unknown, path: string): Node {
  const parsed = nodeSchema.safeParse(value);
  if (!parsed.success) throw new NotStructuralError(path, "expected a schema");
  return parsed.data;
}

/** Whether a key says nothing to the apiserver: the bounds that zod gives any integer, an empty list as default. */
function saysNothing(key: string, value: unknown): boolean {
  if (key === "minimum") return value === Number.MIN_SAFE_INTEGER;
  if (key === "maximum") return value === Number.MAX_SAFE_INTEGER;
  return key === "default" && Array.isArray(value) && value.length === 0;
}

/** `kubectl explain` does not show defaults, so that the description says them. */
function withDefault(field: StructuralSchema): StructuralSchema {
  const { description, default: value } = field;
  if (description === undefined || value === undefined || saysNothing("default", value)) return field;
  return {
    ...field,
    description: `${description} Default: ${typeof value === "string" ? value : JSON.stringify(value)}.`,
  };
}

function convertProperties(node: Node, path: string): Readonly<Record<string, StructuralSchema>> {
  const properties = asNode(node["properties"], path);
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      const at = path === "" ? name : `${path}.${name}`;
      const converted = convert(asNode(property, at), at);
      if (converted.description === undefined) throw new NotStructuralError(at, "has no description");
      return [name, withDefault(converted)];
    }),
  );
}

function convertObject(node: Node, path: string): StructuralSchema {
  const { properties, additionalProperties } = node;
  if (properties !== undefined && additionalProperties !== undefined) {
    throw new NotStructuralError(
      path,
      "properties and additionalProperties exclude each other: use z.object, not loose or catchall",
    );
  }
  if (properties !== undefined) return { properties: convertProperties(node, path) };
  if (additionalProperties !== undefined) {
    const at = `${path}[*]`;
    return { additionalProperties: convert(asNode(additionalProperties, at), at) };
  }
  throw new NotStructuralError(path, "an object without declared members");
}

function convertArray(node: Node, path: string): StructuralSchema {
  if (node["maxItems"] === undefined) throw new NotStructuralError(path, "a list without a greatest length");
  if (node["x-kubernetes-list-type"] === undefined) throw new NotStructuralError(path, "a list without a list type");
  const { default: initial } = node;
  if (Array.isArray(initial) && initial.length > 0 && node["x-kubernetes-list-type"] !== "atomic") {
    throw new NotStructuralError(
      path,
      "a list that merges must have no default: server-side apply adds to it and cannot replace it",
    );
  }
  const at = `${path}[]`;
  return { items: convert(asNode(node["items"], at), at) };
}

/** A number or a text, which the apiserver knows under a name of its own: the union that zod writes is left out. */
function convertIntOrString({ anyOf: _union, ...node }: Node, path: string): StructuralSchema {
  return keptOf(node, path);
}

function keptOf(node: Node, path: string): Node {
  const unknown = Object.keys(node).filter((key) => !knownKeys.has(key));
  if (unknown.length > 0) throw new NotStructuralError(path, `not structural: ${unknown.join(", ")}`);
  return Object.fromEntries(
    copiedKeys
      .filter((key) => node[key] !== undefined && !saysNothing(key, node[key]))
      .map((key) => [key, node[key]] as const),
  );
}

function convert(node: Node, path: string): StructuralSchema {
  const { type } = node;
  if (node["x-kubernetes-int-or-string"] === true) return convertIntOrString(node, path);
  if (!types.has(type)) throw new NotStructuralError(path, "no single type (a union is written as optional members)");
  return {
    ...keptOf(node, path),
    ...(type === "integer" ? { format: "int64" } : {}),
    ...(type === "object" ? convertObject(node, path) : {}),
    ...(type === "array" ? convertArray(node, path) : {}),
  };
}

/**
 * The structural schema of what people write (defaults make fields optional). Schemas may carry x-kubernetes-* members and limits in
 * their metadata.
 *
 * @param path where the schema stands, for messages
 * @throws NotStructuralError naming the field for anything that the apiserver would refuse, and for a field without a description, a list
 *   without a bound or without a merge behaviour
 */
export function toStructural(schema: z.ZodType, path: string): StructuralSchema {
  const json = z.toJSONSchema(schema, {
    target: "openapi-3.0",
    io: "input",
    unrepresentable: "throw",
    cycles: "throw",
  });
  return convert(asNode(json, path), path);
}
