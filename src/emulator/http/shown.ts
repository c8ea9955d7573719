import type { z } from "zod";
import { secretValues, sqlValues } from "../../api/contract/secret-fields.ts";
import { onlyDeclared } from "./declared-fields.ts";
import { redact } from "./redact.ts";

/** What the request log shows of a body or of a query: nothing that its declaration, or the name of a field, says is secret, nor what it does not declare. */
export function shown(schema: z.core.$ZodType | undefined, value: unknown): unknown {
  const declared = onlyDeclared(schema, value);
  if (schema === undefined) return redact(declared);
  return redact(declared, { secrets: secretValues(schema, value), sql: sqlValues(schema, value) });
}
