import { z } from "zod";
import { USUAL_ERRORS_500, noParams, noQuery, openEnum, refSchema, response } from "./fields.ts";
import { allOf, operation } from "./operation.ts";

/** Catalogue section "SQL snippets": what users saved in the SQL editor. No operation writes them. */

const SNIPPET_SORT_KEYS = ["name", "inserted_at"] as const;
const SNIPPET_SORT_ORDERS = ["asc", "desc"] as const;
/** Page size where none is asked for, and the largest. */
export const SNIPPETS_PER_PAGE = 100;

const user = response({ id: z.number().int(), username: z.string() });

export const snippetSummarySchema = response({
  id: z.string(),
  inserted_at: z.string(),
  updated_at: z.string(),
  type: openEnum(["sql"]),
  visibility: openEnum(["user", "project", "org", "public"]),
  name: z.string(),
  description: z.string().nullish(),
  project: response({ id: z.number().int(), name: z.string() }),
  owner: user,
  updated_by: user,
  favorite: z.boolean(),
});

export type SnippetSummary = z.output<typeof snippetSummarySchema>;

export const snippetSchema = snippetSummarySchema.extend({
  content: response({ favorite: z.boolean().optional(), schema_version: z.string(), sql: z.string() }),
});

const listQuery = z.strictObject({
  project_ref: refSchema.optional(),
  cursor: z.string().min(1).optional(),
  /** a number written as text */
  limit: z
    .string()
    .regex(/^([1-9]\d?|100)$/, `expected a number from 1 to ${SNIPPETS_PER_PAGE}`)
    .optional(),
  sort_by: z.enum(SNIPPET_SORT_KEYS).optional(),
  sort_order: z.enum(SNIPPET_SORT_ORDERS).optional(),
});

const common = {
  method: "GET",
  scopes: ["database:read"],
  permissions: allOf("snippets_read"),
  limitScope: "identity",
  stability: "stable",
  retry: "read",
} as const;

export const snippets = {
  list: operation({
    ...common,
    id: "snippets.list",
    summary: "List the SQL snippets that the user sees",
    path: "/v1/snippets",
    params: noParams,
    query: listQuery,
    success: {
      kind: "json",
      status: 200,
      /** cursor of the next page; absent on the last one */
      schema: response({ data: z.array(snippetSummarySchema), cursor: z.string().nullish() }),
    },
    pagination: { by: "cursor", items: "data" },
    errors: [400, 404, ...USUAL_ERRORS_500],
  }),
  get: operation({
    ...common,
    id: "snippets.get",
    summary: "Read an SQL snippet",
    path: "/v1/snippets/{id}",
    params: z.strictObject({ id: z.string().min(1) }),
    query: noQuery,
    success: { kind: "json", status: 200, schema: snippetSchema },
    /** unknown: 406 (facts.md §5) */
    errors: [400, 406, ...USUAL_ERRORS_500],
  }),
} as const;
