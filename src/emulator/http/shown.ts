import { z } from "zod";
import { secretSearch, sqlSearch } from "../../api/contract/secret-fields.ts";
import { onlyDeclared } from "./declared-fields.ts";
import { redact } from "./redact.ts";
import { coerceQuery } from "./validation.ts";

/** What the request log shows of a body or of a query: nothing that its declaration, or the name of a field, says is secret, nor what it does not declare. */
export function shown(schema: z.core.$ZodType | undefined, value: unknown): unknown {
  const [secrets, sql] = [secretSearch(), sqlSearch()];
  const declared = onlyDeclared(schema, value, [secrets, sql]);
  return redact(declared, { secrets: secrets.found, sql: sql.found });
}

const fields = z.looseObject({});

/** The same of a query, in which a list is one text: its items are judged, and it is shown as it came. */
export function shownQuery(schema: z.ZodObject | undefined, query: unknown): unknown {
  const { data: sent = {} } = fields.safeParse(query);
  if (schema === undefined) return shown(schema, sent);
  const read = coerceQuery(schema, sent);
  const isList = (key: string, value: unknown): boolean => typeof value === "string" && Array.isArray(read[key]);
  const judged = Object.entries(sent).map(([key, value]) => [key, isList(key, value) ? read[key] : value] as const);
  const told = fields.parse(shown(schema, Object.fromEntries(judged)));
  const asSent = Object.entries(told).map(([key, value]) =>
    Array.isArray(value) && isList(key, sent[key]) ? [key, value.join(",")] : [key, value],
  );
  return Object.fromEntries(asSent);
}
