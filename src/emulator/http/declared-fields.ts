import type { z } from "zod";
import { CENSOR } from "./redact.ts";

/** What a request has that its operation declares: of everything else nobody knows what it is, and it may be a secret. */

/**
 * Copy of a value in which what no schema declares is replaced; the names of such fields stay, whoever sent them needs those.
 *
 * @param schema undefined: nothing is declared
 */
export function onlyDeclared(schema: z.core.$ZodType | undefined, value: unknown): unknown {
  return declared(schema === undefined ? [] : shapesOf(schema), value);
}

type Shape = z.core.$ZodTypes;

/** The schemas of which a value may be any, without what is wrapped around them. */
function shapesOf(schema: z.core.$ZodType): readonly Shape[] {
  const shape = schema as Shape; // narrowing a schema by its definition is what zod documents this union for
  const { def } = shape._zod;
  if (def.type === "union") return def.options.flatMap(shapesOf);
  if (def.type === "intersection") return [def.left, def.right].flatMap(shapesOf);
  if (def.type === "pipe") return [def.in, def.out].flatMap(shapesOf);
  return "innerType" in def ? shapesOf(def.innerType) : [shape];
}

const ANYTHING: ReadonlySet<string> = new Set(["any", "unknown", "custom"]);
const COMPOSED: ReadonlySet<string> = new Set(["object", "record", "array"]);

function declared(shapes: readonly Shape[], value: unknown): unknown {
  if (value === null || value === undefined) return value;
  if (shapes.some(({ _zod: { def } }) => ANYTHING.has(def.type))) return value;
  if (Array.isArray(value)) {
    // a parameter that is given more than once is one of its declaration each time
    const items = shapes.flatMap((shape) =>
      shape._zod.def.type === "array" ? shapesOf(shape._zod.def.element) : [shape],
    );
    return value.map((item: unknown) => declared(items, item));
  }
  if (typeof value === "object") {
    return Object.fromEntries(
      Object.entries(value).map(([key, field]) => [key, declared(fieldsOf(shapes, key), field)]),
    );
  }
  return shapes.some(({ _zod: { def } }) => !COMPOSED.has(def.type)) ? value : CENSOR;
}

function fieldsOf(shapes: readonly Shape[], key: string): readonly Shape[] {
  const [name = key] = key.split("[", 1); // `page[size]` is of `page`
  return shapes.flatMap(({ _zod: { def } }) => {
    if (def.type === "record") return shapesOf(def.valueType);
    if (def.type !== "object" || !Object.hasOwn(def.shape, name)) return [];
    const field = def.shape[name];
    if (field === undefined) return [];
    return name === key
      ? shapesOf(field)
      : shapesOf(field).flatMap((shape) => fieldsOf([shape], key.slice(name.length + 1, -1)));
  });
}
