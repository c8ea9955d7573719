import { z } from "zod";
import { USUAL_ERRORS, noQuery, openEnum, projectParams, response } from "./fields.ts";
import { allOf, operation } from "./operation.ts";

/** Catalogue section "Advisors": findings about a project's database. */

const LINT_LEVELS = ["ERROR", "WARN", "INFO"] as const;
const LINT_CATEGORIES = ["PERFORMANCE", "SECURITY", "HEALTH"] as const;

export const lintSchema = response({
  name: z.string(),
  title: z.string(),
  level: openEnum(LINT_LEVELS),
  facing: openEnum(["EXTERNAL"]),
  categories: z.array(openEnum(LINT_CATEGORIES)),
  description: z.string(),
  detail: z.string(),
  remediation: z.string(),
  metadata: response({
    schema: z.string().optional(),
    name: z.string().optional(),
    entity: z.string().optional(),
    type: z.string().optional(),
    fkey_name: z.string().optional(),
    fkey_columns: z.array(z.number().int()).optional(),
  }).optional(),
  cache_key: z.string(),
});
export type Lint = z.output<typeof lintSchema>;

const common = {
  method: "GET",
  params: projectParams,
  success: { kind: "json", status: 200, schema: response({ lints: z.array(lintSchema) }) },
  errors: [400, 404, ...USUAL_ERRORS, 544],
  scopes: ["database:read"],
  permissions: allOf("advisors_read"),
  limitScope: "project",
  stability: "experimental",
  deprecated: true,
  retry: "read",
} as const;

export const advisors = {
  performance: operation({
    ...common,
    id: "advisors.performance",
    summary: "Find what makes a database slow",
    path: "/v1/projects/{ref}/advisors/performance",
    query: noQuery,
  }),
  security: operation({
    ...common,
    id: "advisors.security",
    summary: "Find what makes a database unsafe",
    path: "/v1/projects/{ref}/advisors/security",
    /** `lint_type` param: sql (facts.md §1, lint) */
    query: z.strictObject({ lint_type: z.enum(["sql"]).optional() }),
  }),
} as const;
