import { z } from "zod";
import { PAID_PLANS, REGIONS, USUAL_ERRORS_500, noQuery, projectParams } from "./fields.ts";
import { allOf, operation } from "./operation.ts";

/** Catalogue section "Backups and replicas": read replicas. What there is shows in organizations.listProjects and pooler.get. */

const common = {
  method: "POST",
  params: projectParams,
  query: noQuery,
  success: { kind: "empty", status: 204 },
  scopes: [],
  permissions: allOf("infra_read_replicas_write"),
  limitScope: "project",
  stability: "beta",
  retry: "once",
} as const;

export const readReplicas = {
  setup: operation({
    ...common,
    id: "readReplicas.setup",
    summary: "Set up a read replica",
    path: "/v1/projects/{ref}/read-replicas/setup",
    body: { encoding: "json", schema: z.strictObject({ read_replica_region: z.enum(REGIONS) }) },
    errors: [400, 402, 404, ...USUAL_ERRORS_500],
    plans: PAID_PLANS,
  }),
  remove: operation({
    ...common,
    id: "readReplicas.remove",
    summary: "Remove a read replica",
    path: "/v1/projects/{ref}/read-replicas/remove",
    body: { encoding: "json", schema: z.strictObject({ database_identifier: z.string().min(1) }) },
    errors: [400, 404, ...USUAL_ERRORS_500],
  }),
} as const;
