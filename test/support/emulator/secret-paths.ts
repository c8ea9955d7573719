import type { z } from "zod";

/** Where the secrets of a body can stand, and bodies that have one there. */

type Path = readonly (string | number)[];

/** A key of a map that takes any. */
const ANY_KEY = "ANY_KEY";

type IsSought = (schema: z.core.$ZodType) => boolean;
const isMarked: IsSought = (schema) => (schema as z.ZodType).meta()?.["x-secret"] === true;

/** The place of every field that a schema marks as secret, or of any others that are sought. */
export function secretPaths(schema: z.core.$ZodType, at: Path = [], isSought = isMarked): readonly Path[] {
  if (isSought(schema)) return [at];
  const within = (inner: z.core.$ZodType, path: Path): readonly Path[] => secretPaths(inner, path, isSought);
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "object") return Object.entries(def.shape).flatMap(([key, field]) => within(field, [...at, key]));
  if (def.type === "array") return within(def.element, [...at, 0]);
  if (def.type === "record") return within(def.valueType, [...at, ANY_KEY]);
  if (def.type === "union") return def.options.flatMap((option) => within(option, at));
  if (def.type === "intersection") return [def.left, def.right].flatMap((side) => within(side, at));
  return "innerType" in def ? within(def.innerType, at) : [];
}

/** The body with a value at a place, where there may be nothing yet. */
export function withValue(body: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value;
  if (typeof key === "number") {
    const items: readonly unknown[] = Array.isArray(body) ? body : [];
    return [withValue(items[key], rest, value), ...items.slice(1)];
  }
  const fields: Readonly<Record<string, unknown>> = typeof body === "object" && body !== null ? { ...body } : {};
  return { ...fields, [key]: withValue(fields[key], rest, value) };
}

/** What stands at a place of a body; undefined where nothing does. */
export function valueAt(body: unknown, [key, ...rest]: Path): unknown {
  if (key === undefined) return body;
  if (typeof body !== "object" || body === null) return undefined;
  return valueAt(key === ANY_KEY ? Object.values(body)[0] : Reflect.get(body, key), rest);
}
