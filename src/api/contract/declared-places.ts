import { z } from "zod";
import { member } from "../json.ts";

/**
 * What a schema says of each place in a value that need not fit it. One walk for what is secret there and for what is declared: where the two
 * differed, a secret in a structure that nobody asked for was neither.
 */

export type Form = z.core.$ZodTypes;

/** A place in a value. */
export interface Place {
  readonly path: readonly PropertyKey[];
  readonly value: unknown;
  /** all that it may be, with what is wrapped around that, which may bear a mark; empty: nothing declares it */
  readonly forms: readonly Form[];
}

/** @param schema undefined: nothing is declared */
export function placeOf(schema: z.core.$ZodType | undefined, value: unknown): Place {
  return placed(schema === undefined ? [] : [schema], value, []);
}

/** The items of an array, the fields of an object; of any other value none. */
export function placesWithin({ path, value, forms }: Place): readonly (Place & { readonly key: string })[] {
  if (typeof value !== "object" || value === null) return [];
  const ofItem = Array.isArray(value) ? itemsOf(forms) : undefined;
  return Object.entries(value).map(([key, part]: [string, unknown]) => ({
    key,
    ...placed(ofItem ?? fieldsOf(forms, key), part, [...path, key]),
  }));
}

function placed(schemas: readonly z.core.$ZodType[], value: unknown, path: readonly PropertyKey[]): Place {
  return { path, value, forms: schemas.flatMap((schema) => formsOf(schema, value)) };
}

function formsOf(schema: z.core.$ZodType, value: unknown): readonly Form[] {
  const form = schema as Form; // narrowing a schema by its definition is what zod documents this union for
  return [form, ...innerOf(form, value).flatMap((inner) => formsOf(inner, value))];
}

/** What a schema is wrapped around. */
function innerOf({ _zod: { def } }: Form, value: unknown): readonly z.core.$ZodType[] {
  if (def.type === "union") return optionsFor(def, value);
  if (def.type === "intersection") return [def.left, def.right];
  if (def.type === "pipe") return [def.in, def.out];
  const isAlone = typeof value !== "object"; // it may be an item that somebody forgot to wrap
  if (def.type === "array") return isAlone ? [def.element] : [];
  if (def.type === "record") return isAlone ? [def.valueType] : [];
  return "innerType" in def ? [def.innerType] : [];
}

/** The alternative that the value's own discriminator names; all of them where nothing tells which it is. */
function optionsFor(def: z.core.$ZodUnionDef, value: unknown): readonly z.core.$ZodType[] {
  if (!("discriminator" in def) || typeof def.discriminator !== "string") return def.options;
  const { discriminator } = def;
  const named = def.options.filter((option) => {
    const shape = (option as Form)._zod.def;
    const field = shape.type === "object" ? shape.shape[discriminator] : undefined;
    return field !== undefined && z.safeParse(field, member(value, discriminator)).success;
  });
  return named.length > 0 ? named : def.options;
}

/** Of an array where none is declared each item is what is: a parameter may be given more than once, and a body in a list. */
function itemsOf(forms: readonly Form[]): readonly z.core.$ZodType[] {
  return forms.flatMap((form) => {
    const { def } = form._zod;
    if (def.type === "array") return [def.element];
    if (def.type === "record") return [def.valueType];
    return innerOf(form, undefined).length > 0 ? [] : [form];
  });
}

function fieldsOf(forms: readonly Form[], key: string): readonly z.core.$ZodType[] {
  const [name = key] = key.split("[", 1); // `page[size]` is of `page`
  return forms.flatMap(({ _zod: { def } }) => {
    if (def.type === "array") return [def.element];
    if (def.type === "record") return [def.valueType];
    if (def.type !== "object" || !Object.hasOwn(def.shape, name)) return [];
    const field = def.shape[name];
    if (field === undefined) return [];
    return name === key ? [field] : fieldsOf(formsOf(field, {}), key.slice(name.length + 1, -1));
  });
}
