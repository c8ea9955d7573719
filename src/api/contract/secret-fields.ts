import type { z } from "zod";
import { sqlText, UNTOLD } from "./fields.ts";
import { type Place, placeOf, placesWithin } from "./declared-places.ts";

const SECRET_META = "x-secret";

/** Whether the values of a field are secret, whatever wraps it. */
export function isSecret(schema: z.core.$ZodType | undefined): boolean {
  if (schema === undefined) return false;
  if (hasSecretMark(schema)) return true;
  const { def } = (schema as z.core.$ZodTypes)._zod;
  return "innerType" in def && isSecret(def.innerType);
}

/** The texts of what a body has where its schema says `secret` (fields.ts), as far as it fits that, and the numbers as texts, for redaction: any other value may be as well what is no secret. */
export function secretValues(schema: z.core.$ZodType, value: unknown): readonly string[] {
  return foundIn(placeOf(schema, value), hasSecretMark).flatMap((found) => textsIn(found.value));
}

/** The texts of a request that are SQL by its schema (`sqlText` in fields.ts), in the same way. */
export function sqlValues(schema: z.core.$ZodType, value: unknown): readonly string[] {
  return foundIn(placeOf(schema, value), (one) => one === sqlText).flatMap((found) => textsIn(found.value));
}

/** Whether neither a log nor a refusal tells what is declared by this schema. */
export function isHidden(schema: z.core.$ZodType): boolean {
  return hasSecretMark(schema) || UNTOLD.has(schema);
}

function hasSecretMark(schema: z.core.$ZodType): boolean {
  return (schema as z.ZodType).meta()?.[SECRET_META] === true;
}

type Sought = (schema: z.core.$ZodType) => boolean;

function foundIn(place: Place, isSought: Sought): readonly Place[] {
  if (place.value === undefined || place.value === null || place.forms.length === 0) return [];
  return place.forms.some(isSought) ? [place] : placesWithin(place).flatMap((inner) => foundIn(inner, isSought));
}

/** The texts in a value where one secret text should be. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
