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

/**
 * The texts of what a body has where its schema says `secret` (fields.ts), also where the structure around it is another, and the numbers
 * as texts, for redaction: any other value may be as well what is no secret.
 */
export function secretValues(schema: z.core.$ZodType, value: unknown): readonly string[] {
  const search = secretSearch();
  lookThrough(placeOf(schema, value), search);
  return search.found;
}

function lookThrough(place: Place, search: Search): void {
  if (goesOn(search, place)) for (const [, part] of placesWithin(place)) lookThrough(part, search);
}

/** A search for texts by what is declared of them, on a walk through the places of a value. */
export interface Search {
  readonly isSought: (schema: z.core.$ZodType) => boolean;
  /** in the order of the walk */
  readonly found: string[];
}

/** For what `secretValues` gives. */
export function secretSearch(): Search {
  return { isSought: hasSecretMark, found: [] };
}

/** For the texts that are SQL by their schema (`sqlText` in fields.ts), in the same way. */
export function sqlSearch(): Search {
  return { isSought: (schema) => schema === sqlText, found: [] };
}

/** Comes to a place, all of which is found where it is sought. @returns whether there may be more within it */
export function goesOn({ isSought, found }: Search, { value, forms, misplaced }: Place): boolean {
  if (value === undefined || value === null || forms.length + misplaced.length === 0) return false;
  if (!forms.some(isSought) && !misplaced.some(isSought)) return true;
  addTexts(value, found);
  return false;
}

/** Whether neither a log nor a refusal tells what is declared by this schema. */
export function isHidden(schema: z.core.$ZodType): boolean {
  return hasSecretMark(schema) || UNTOLD.has(schema);
}

function hasSecretMark(schema: z.core.$ZodType): boolean {
  return (schema as z.ZodType).meta()?.[SECRET_META] === true;
}

/** The texts in a value where one text should be. */
function addTexts(value: unknown, texts: string[]): void {
  if (typeof value === "string") texts.push(value);
  if (typeof value === "number") texts.push(String(value));
  if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) addTexts(inner, texts);
}
