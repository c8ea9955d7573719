import type { z } from "zod";
import { type Form, type Place, placeOf, placesWithin, placeWithin } from "../../api/contract/declared-places.ts";
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

/** Whether `onlyDeclared` replaces what is at a path of a request: a walk along the path, however much there is beside it. */
export function isHiddenAt(schema: z.core.$ZodType, value: unknown, path: readonly PropertyKey[]): boolean {
  let place: Place | undefined = placeOf(schema, value);
  for (const key of path) {
    const seen: Sight = sightOf(place);
    if (seen !== "in parts") return seen === "hidden";
    place = placeWithin(place, String(key));
    if (place === undefined) return false;
  }
  return sightOf(place) === "hidden";
}

function declared(place: Place, searches: readonly Search[]): unknown {
  const { value } = place;
  const seen = sightOf(place);
  const within = searches.filter((search) => goesOn(search, place));
  if (seen !== "in parts") {
    if (within.length > 0) for (const [, part] of placesWithin(place)) declared(part, within);
    return seen === "hidden" ? CENSOR : value;
  }
  const parts = placesWithin(place).map(([key, part]) => [key, declared(part, within)] as const);
  return Array.isArray(value) ? Array.from(parts, ([, part]) => part) : Object.fromEntries(parts);
}

type Sight = "hidden" | "shown" | "in parts";

function sightOf({ value, forms, misplaced }: Place): Sight {
  if (value === null || value === undefined) return "shown";
  if (mayBe(isHidden) || (mayBe(isUrl) && isBroken(value))) return "hidden";
  if (isAny(forms, ANYTHING)) return "shown";
  if (typeof value === "object") return "in parts";
  return isAny(forms, SINGLE) ? "shown" : "hidden";

  function mayBe(is: (form: Form) => boolean): boolean {
    return forms.some(is) || misplaced.some(is);
  }
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
