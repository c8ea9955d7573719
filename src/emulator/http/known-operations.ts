import { z } from "zod";
import { operations } from "../../api/contract/contract.ts";
import { nearInWords } from "../../base/near.ts";

const ids: ReadonlySet<string> = new Set(operations.map(({ id }) => id));

/** The id of an operation that is served: a fault or a question about any other would never meet a request. */
export const operationId = z.string().refine((id) => ids.has(id), unknownIn(ids));

/** The id of an operation, or `*` for all. */
export const operationIdOrAll = z.string().refine((id) => id === "*" || ids.has(id), unknownIn(["*", ...ids]));

function unknownIn(known: Iterable<string>): { readonly error: (issue: { readonly input?: unknown }) => string } {
  return {
    error: ({ input }) => `no operation has the id ${JSON.stringify(input)}${nearInWords(String(input), known)}`,
  };
}
