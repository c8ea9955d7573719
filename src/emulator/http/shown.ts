import type { z } from "zod";
import { secretSearch, sqlSearch } from "../../api/contract/secret-fields.ts";
import { onlyDeclared } from "./declared-fields.ts";
import { redact } from "./redact.ts";

/** What the request log shows of a body or of a query: nothing that its declaration, or the name of a field, says is secret, nor what it does not declare. */
export function shown(schema: z.core.$ZodType | undefined, value: unknown): unknown {
  const [secrets, sql] = [secretSearch(), sqlSearch()];
  const declared = onlyDeclared(schema, value, [secrets, sql]);
  return redact(declared, { secrets: secrets.found, sql: sql.found });
}
