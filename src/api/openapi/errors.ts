import type { z } from "zod";
import { errorBodySchema } from "../contract/fields.ts";
import type { Operation } from "../contract/operation.ts";
import { RATE_HEADERS } from "./headers.ts";
import type { JsonObject } from "./json.ts";
import type { SchemaWriter } from "./schemas.ts";

/** The refusals and failures that operations share: one response of the document for each status. */

interface DocumentedError {
  readonly name: string;
  readonly description: string;
}

/** What each status means (behaviour.md, Errors; facts.md §5). */
const ERRORS: Readonly<Record<number, DocumentedError>> = {
  400: { name: "BadRequest", description: "The values are refused; the message names the field." },
  401: { name: "Unauthorized", description: "The access token is missing, unknown or has expired." },
  402: { name: "PaymentRequired", description: "The organization's plan or quota does not allow this." },
  403: { name: "Forbidden", description: "The token lacks a scope or permission, or its user the rights." },
  404: { name: "NotFound", description: "It does not exist, or the token does not see it." },
  406: { name: "NotAcceptable", description: "It does not exist (any more)." },
  409: { name: "Conflict", description: "It clashes with something that exists or is under way." },
  422: { name: "UnprocessableContent", description: "This cannot be done in the present state." },
  429: {
    name: "TooManyRequests",
    description: "The request budget is spent until the window ends. Retry-After is not always there.",
  },
  500: { name: "InternalServerError", description: "The server failed; whether anything took effect is not known." },
  544: { name: "UpstreamTimeout", description: "A service behind the server did not answer in time, or refused." },
};

const ERROR_BODY = "Error";

/** Names of schemas that errors are made of. */
export const errorShapes: Readonly<Record<string, z.ZodType>> = { [ERROR_BODY]: errorBodySchema };

/**
 * Every failure that an operation may answer with: "those listed, the rows of section 5 here, 400 for a bad request, and 401, 403, 429"
 * (facts.md, head). What takes no token is not asked for rights; what takes no input can still be given some, which is refused.
 */
export function errorStatuses({ access, errors }: Operation): readonly number[] {
  const always = access === "public" ? [400, 429] : [400, 401, 403, 429];
  return [...new Set([...errors, ...always])].toSorted((a, b) => a - b);
}

/** The key among the document's responses of what an operation says with a status. */
export function errorResponseName({ bareErrors = [] }: Operation, status: number): string {
  return `${ERRORS[status]?.name ?? `Status${status}`}${bareErrors.includes(status) ? "OrWords" : ""}`;
}

/** Responses for every status that one of the operations may answer with, the words alone where one may. */
export function errorResponses(operations: readonly Operation[], schemas: SchemaWriter): JsonObject {
  const schema = schemas.write(errorBodySchema, "output");
  const said = operations.flatMap((one) =>
    errorStatuses(one).map((status) => [errorResponseName(one, status), { one, status }] as const),
  );
  return Object.fromEntries(
    [...new Map(said)]
      .toSorted(([, a], [, b]) => a.status - b.status)
      .map(([name, { one, status }]) => {
        const headers = status === 429 ? { ...RATE_HEADERS, "Retry-After": RETRY_AFTER } : RATE_HEADERS;
        const description = ERRORS[status]?.description ?? "The request is refused.";
        const body = one.bareErrors?.includes(status) === true ? { anyOf: [schema, { type: "string" }] } : schema;
        return [name, { description, headers, content: { "application/json": { schema: body } } }];
      }),
  );
}

const RETRY_AFTER = { $ref: "#/components/headers/RetryAfter" } as const;
