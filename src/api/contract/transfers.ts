import { z } from "zod";
import { USUAL_ERRORS, noQuery, projectParams, response, slugSchema } from "./fields.ts";
import { allOf, operation } from "./operation.ts";

/** Catalogue section "Projects": a project's move to another organization. */

/** "{data:{type:'project_transfer_input', attributes:{target_organization_slug}}}" (facts.md §2, transfer v2) */
const transferInput = z.strictObject({
  data: z.strictObject({
    type: z.literal("project_transfer_input"),
    attributes: z.strictObject({ target_organization_slug: slugSchema }),
  }),
});

const finding = response({ key: z.string(), message: z.string() });
export type TransferFinding = z.output<typeof finding>;

export const transferPreviewSchema = response({
  data: response({
    type: z.string(),
    attributes: response({
      valid: z.boolean(),
      warnings: z.array(finding),
      errors: z.array(finding),
      info: z.array(finding),
    }),
  }),
});
export type TransferPreview = z.output<typeof transferPreviewSchema>;

const onProject = {
  method: "POST",
  params: projectParams,
  query: noQuery,
  body: { encoding: "json", schema: transferInput },
  errors: [400, 404, ...USUAL_ERRORS],
  scopes: [],
  limitScope: "project",
  stability: "stable",
} as const;

export const transfers = {
  preview: operation({
    ...onProject,
    id: "transfers.preview",
    summary: "Say what would come of a project's transfer to another organization",
    path: "/v2/projects/{ref}/transfers/previews",
    success: { kind: "json", status: 200, schema: transferPreviewSchema },
    permissions: allOf("project_admin_read"),
    retry: "read",
  }),
  create: operation({
    ...onProject,
    id: "transfers.create",
    summary: "Transfer a project to another organization",
    path: "/v2/projects/{ref}/transfers",
    success: { kind: "empty", status: 200, body: {} },
    permissions: allOf("organization_admin_write"),
    retry: "once",
  }),
} as const;
