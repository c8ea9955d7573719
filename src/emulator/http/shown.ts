import type { z } from "zod";
import { secretPlaces, secretValues, sqlValues, urlPlaces } from "../../api/contract/secret-fields.ts";
import { onlyDeclared } from "./declared-fields.ts";
import { CENSOR, hasUserForScheme, redact } from "./redact.ts";

/** What the request log shows of a body or of a query: nothing that its declaration, or the name of a field, says is secret, nor what it does not declare. */
export function shown(schema: z.core.$ZodType | undefined, value: unknown): unknown {
  const declared = onlyDeclared(schema, value);
  if (schema === undefined) return redact(declared);
  const hidden = [...secretPlaces(schema, value), ...urlPlaces(schema, value).filter((url) => isBroken(url.value))];
  return redact(
    without(
      declared,
      hidden.map(({ path }) => path),
    ),
    { secrets: secretValues(schema, value), sql: sqlValues(schema, value) },
  );
}

/** Of what is no URL nobody knows where the password in it begins, nor where it ends. */
function isBroken(url: unknown): boolean {
  return typeof url !== "string" || !URL.canParse(url) || hasUserForScheme(url);
}

type Places = readonly (readonly PropertyKey[])[];

/** Copy of a value with nothing in these places. */
function without(value: unknown, places: Places): unknown {
  if (places.length === 0 || value === null || value === undefined) return value;
  if (typeof value !== "object" || places.some(({ length }) => length === 0)) return CENSOR;
  const byKey = Map.groupBy(places, ([key]) => String(key));
  const copied = (key: string, inner: unknown): unknown =>
    without(
      inner,
      (byKey.get(key) ?? []).map(([, ...rest]) => rest),
    );
  if (Array.isArray(value)) return value.map((item: unknown, index) => copied(String(index), item));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copied(key, inner)]));
}
