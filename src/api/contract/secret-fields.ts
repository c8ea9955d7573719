import { z } from "zod";
import { member } from "../json.ts";
import { sqlText, UNTOLD } from "./fields.ts";

const SECRET_META = "x-secret";

/** Whether the values of a field are secret, whatever wraps it. */
export function isSecret(schema: z.core.$ZodType | undefined): boolean {
  if (schema === undefined) return false;
  if (hasSecretMark(schema)) return true;
  const { def } = (schema as z.core.$ZodTypes)._zod;
  return "innerType" in def && isSecret(def.innerType);
}

/** A value within a body. */
interface Found {
  readonly path: readonly PropertyKey[];
  readonly value: unknown;
}

/**
 * Where a body has what its schema marks as secret (`secret` and `untold` in fields.ts), whatever stands there but nothing. A value that does not
 * fit the schema is walked as far as it fits.
 */
export function secretPlaces(schema: z.core.$ZodType, value: unknown): readonly Found[] {
  return foundIn(schema, { path: [], value }, (one) => hasSecretMark(one) || UNTOLD.has(one));
}

/** The texts of what no answer shows either, and the numbers as texts, for redaction: any other value may be as well what is no secret. */
export function secretValues(schema: z.core.$ZodType, value: unknown): readonly string[] {
  return foundIn(schema, { path: [], value }, hasSecretMark).flatMap((found) => textsIn(found.value));
}

/** The texts of a request that are SQL by its schema (`sqlText` in fields.ts), in the same way. */
export function sqlValues(schema: z.core.$ZodType, value: unknown): readonly string[] {
  return foundIn(schema, { path: [], value }, (one) => one === sqlText).flatMap((found) => textsIn(found.value));
}

/** Where a body has a URL by its schema, in the same way. */
export function urlPlaces(schema: z.core.$ZodType, value: unknown): readonly Found[] {
  return foundIn(schema, { path: [], value }, (one) => {
    const { def } = (one as z.core.$ZodTypes)._zod;
    return def.type === "string" && "format" in def && def.format === "url";
  });
}

function hasSecretMark(schema: z.core.$ZodType): boolean {
  return (schema as z.ZodType).meta()?.[SECRET_META] === true;
}

type Sought = (schema: z.core.$ZodType) => boolean;

function foundIn(schema: z.core.$ZodType, at: Found, isSought: Sought): readonly Found[] {
  const { path, value } = at;
  if (value === undefined || value === null) return [];
  if (isSought(schema)) return [at];
  const within = (inner: z.core.$ZodType, one = at): readonly Found[] => foundIn(inner, one, isSought);
  // Narrowing a schema by its definition is what zod documents this union for.
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "object") {
    return Object.entries(def.shape).flatMap(([key, field]) =>
      within(field, { path: [...path, key], value: member(value, key) }),
    );
  }
  if (def.type === "array") return itemsOf(at).flatMap((item) => within(def.element, item));
  if (def.type === "record") return itemsOf(at).flatMap((item) => within(def.valueType, item));
  if (def.type === "union") return optionsFor(def, value).flatMap((option) => within(option));
  if (def.type === "intersection") return [def.left, def.right].flatMap((side) => within(side));
  if (def.type === "pipe") return [def.in, def.out].flatMap((side) => within(side));
  return "innerType" in def ? within(def.innerType) : [];
}

/** The alternative that the value's own discriminator names; all of them where nothing tells which it is. */
function optionsFor(def: z.core.$ZodUnionDef, value: unknown): readonly z.core.$ZodType[] {
  if (!("discriminator" in def) || typeof def.discriminator !== "string") return def.options;
  const { discriminator } = def;
  const named = def.options.filter((option) => {
    const shape = (option as z.core.$ZodTypes)._zod.def;
    const field = shape.type === "object" ? shape.shape[discriminator] : undefined;
    return field !== undefined && z.safeParse(field, member(value, discriminator)).success;
  });
  return named.length > 0 ? named : def.options;
}

/** Items of an array, or values of an object; what is neither may be one that somebody forgot to wrap. */
function itemsOf(at: Found): readonly Found[] {
  if (typeof at.value !== "object" || at.value === null) return [at];
  return Object.entries(at.value).map(([key, value]: [string, unknown]) => ({ path: [...at.path, key], value }));
}

/** The texts in a value where one secret text should be. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
