import type { z } from "zod";
import { type Form, type Place, placeOf, placesWithin } from "../../api/contract/declared-places.ts";
import { goesOn, isHidden, type Search } from "../../api/contract/secret-fields.ts";
import { CENSOR, hasUserForScheme } from "./redact.ts";

/**
 * What a request has that its operation declares, and not as a secret: of everything else nobody knows what it is, and it may be one.
 *
 * @param schema undefined: nothing is declared
 * @param searches what else is to be found on the same walk
 * @returns a copy in which everything else is replaced; the names of such fields stay, whoever sent them needs those
 */
export function onlyDeclared(
  schema: z.core.$ZodType | undefined,
  value: unknown,
  searches: readonly Search[] = [],
): unknown {
  return declared(placeOf(schema, value), searches);
}

const ANYTHING: ReadonlySet<string> = new Set(["any", "unknown", "custom"]);
const SINGLE: ReadonlySet<string> = new Set(["string", "number", "boolean", "bigint", "date", "enum", "literal"]);

/** Where a request has what `onlyDeclared` replaces. */
export function hiddenPlaces(schema: z.core.$ZodType, value: unknown): readonly Place[] {
  return hiddenIn(placeOf(schema, value));
}

function hiddenIn(place: Place): readonly Place[] {
  const seen = sightOf(place);
  if (seen === "hidden") return [place];
  return seen === "shown" ? [] : placesWithin(place).flatMap(hiddenIn);
}

function declared(place: Place, searches: readonly Search[]): unknown {
  const { value } = place;
  const seen = sightOf(place);
  const within = searches.filter((search) => goesOn(search, place));
  if (seen !== "in parts") {
    if (within.length > 0) for (const part of placesWithin(place)) declared(part, within);
    return seen === "hidden" ? CENSOR : value;
  }
  const parts = placesWithin(place);
  return Array.isArray(value)
    ? parts.map((part) => declared(part, within))
    : Object.fromEntries(parts.map((part) => [part.key, declared(part, within)]));
}

function sightOf({ value, forms }: Place): "hidden" | "shown" | "in parts" {
  if (value === null || value === undefined) return "shown";
  if (forms.some(isHidden) || (forms.some(isUrl) && isBroken(value))) return "hidden";
  if (isAny(forms, ANYTHING)) return "shown";
  if (typeof value === "object") return "in parts";
  return isAny(forms, SINGLE) ? "shown" : "hidden";
}

function isAny(forms: readonly Form[], types: ReadonlySet<string>): boolean {
  return forms.some(({ _zod: { def } }) => types.has(def.type));
}

function isUrl({ _zod: { def } }: Form): boolean {
  return def.type === "string" && "format" in def && def.format === "url";
}

/** Of what is no URL nobody knows where the password in it begins, nor where it ends. */
function isBroken(url: unknown): boolean {
  return typeof url !== "string" || !URL.canParse(url) || hasUserForScheme(url);
}
