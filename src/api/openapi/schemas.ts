import { z } from "zod";
import type { JsonObject } from "./json.ts";
import { portable } from "./portable.ts";

/** Whether a schema says what a caller may give or what it gets: fields with defaults differ. */
export type Side = z.core.JSONSchemaGeneratorParams["io"] & string;

/** Writes schemas of the contract as JSON Schema 2020-12, which is OpenAPI 3.1's own, and collects those that have a name. */
export interface SchemaWriter {
  /** The schema whole, but for the named ones in it, which become references; a named one becomes a reference itself. */
  write(schema: z.ZodType, side: Side): JsonObject;
  /** The named ones that were referred to so far. */
  components(): Readonly<Record<string, JsonObject>>;
}

interface SidedSchema {
  readonly schema: z.core.$ZodType;
  readonly side: Side;
}

/** @param names names of schemas, each by its very object */
export function schemaWriter(names: ReadonlyMap<z.core.$ZodType, string>): SchemaWriter {
  const wanted = new Map<string, SidedSchema>();
  const refer = (schema: z.core.$ZodType, side: Side): string | undefined => {
    const name = names.get(schema);
    if (name === undefined) return undefined;
    const own = freeName(wanted, name, { schema, side });
    wanted.set(own, { schema, side });
    return `#/components/schemas/${own}`;
  };
  const inline = (schema: z.core.$ZodType, side: Side): JsonObject => {
    const { $schema: _, ...json } = z.toJSONSchema(schema, {
      io: side,
      unrepresentable: "any",
      override: ({ zodSchema, jsonSchema }) => {
        const reference = zodSchema === schema ? undefined : refer(zodSchema, side);
        if (reference === undefined) settleFormat(jsonSchema);
        else replace(jsonSchema, { $ref: reference });
      },
    });
    return portable(json);
  };
  return {
    write: (schema, side) => {
      const reference = refer(schema, side);
      return reference === undefined ? inline(schema, side) : { $ref: reference };
    },
    components: () => {
      const written: Record<string, JsonObject> = {};
      // writing one may name further ones, which the iteration of a Map reaches too
      for (const [name, { schema, side }] of wanted) written[name] = inline(schema, side);
      return Object.fromEntries(Object.entries(written).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    },
  };
}

/** A shape that is both given and got has two schemas; the second one's name says which side it is of. */
function freeName(wanted: ReadonlyMap<string, SidedSchema>, name: string, { schema, side }: SidedSchema): string {
  const taken = wanted.get(name);
  if (taken === undefined || (taken.schema === schema && taken.side === side)) return name;
  return `${name}${side === "input" ? "Input" : "Output"}`;
}

/** Names of formats that are zod's own; their patterns say the same to everyone. */
const OWN_FORMATS: ReadonlySet<string> = new Set(["cidrv4", "cidrv6"]);

/** What shows documents and fills in forms knows `password`. */
function settleFormat(json: z.core.JSONSchema.BaseSchema): void {
  if (json.format !== undefined && OWN_FORMATS.has(json.format)) delete json.format;
  if (json["x-secret"] === true && json.type === "string") json.format ??= "password";
}

function replace(json: z.core.JSONSchema.BaseSchema, by: JsonObject): void {
  for (const key of Object.keys(json)) delete json[key];
  Object.assign(json, by);
}
