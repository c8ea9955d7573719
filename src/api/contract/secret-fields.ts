import { z } from "zod";
import { member } from "../json.ts";
import { sqlText } from "./fields.ts";

const SECRET_META = "x-secret";

/** Whether the values of a field are secret, whatever wraps it. */
export function isSecret(schema: z.core.$ZodType | undefined): boolean {
  if (schema === undefined) return false;
  if (hasSecretMark(schema)) return true;
  const { def } = (schema as z.core.$ZodTypes)._zod;
  return "innerType" in def && isSecret(def.innerType);
}

/**
 * The values of a body that its schema marks as secret (`secret` in fields.ts), wherever they stand in it. For redaction; a value that
 * does not fit the schema is walked as far as it fits.
 */
export function secretValues(schema: z.core.$ZodType, value: unknown): readonly string[] {
  return valuesOf(schema, value, hasSecretMark);
}

/** The texts of a request that are SQL by its schema (`sqlText` in fields.ts), in the same way. */
export function sqlValues(schema: z.core.$ZodType, value: unknown): readonly string[] {
  return valuesOf(schema, value, (one) => one === sqlText);
}

function hasSecretMark(schema: z.core.$ZodType): boolean {
  return (schema as z.ZodType).meta()?.[SECRET_META] === true;
}

type Sought = (schema: z.core.$ZodType) => boolean;

function valuesOf(schema: z.core.$ZodType, value: unknown, isSought: Sought): readonly string[] {
  if (isSought(schema)) return textsIn(value);
  const within = (inner: z.core.$ZodType, one: unknown): readonly string[] => valuesOf(inner, one, isSought);
  // Narrowing a schema by its definition is what zod documents this union for.
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "object") {
    return Object.entries(def.shape).flatMap(([key, field]) => within(field, member(value, key)));
  }
  if (def.type === "array") return itemsOf(value).flatMap((item) => within(def.element, item));
  if (def.type === "record") return itemsOf(value).flatMap((item) => within(def.valueType, item));
  if (def.type === "union") return optionsFor(def, value).flatMap((option) => within(option, value));
  if (def.type === "intersection") return [def.left, def.right].flatMap((side) => within(side, value));
  if (def.type === "pipe") return [def.in, def.out].flatMap((side) => within(side, value));
  return "innerType" in def ? within(def.innerType, value) : [];
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
function itemsOf(value: unknown): readonly unknown[] {
  return typeof value === "object" && value !== null ? Object.values(value) : [value];
}

/** The texts in a value where one secret text should be. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
