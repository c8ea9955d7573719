import { z } from "zod";
import { availableRegions } from "./available-regions.ts";
import {
  HEALTH_SERVICES,
  HEALTH_STATUSES,
  INSTANCE_SIZES,
  POSTGRES_ENGINES,
  PROJECT_STATUSES,
  REGIONS,
  RELEASE_CHANNELS,
  SMART_GROUPS,
  USUAL_ERRORS,
  USUAL_ERRORS_500,
  deprecated,
  noParams,
  noQuery,
  openEnum,
  projectParams,
  response,
  secret,
  slugSchema,
} from "./fields.ts";
import { allOf, operation } from "./operation.ts";

/** Catalogue section "Projects". */

export const projectSchema = response({
  id: z.string(),
  ref: z.string(),
  organization_id: z.string().optional(),
  organization_slug: z.string(),
  name: z.string(),
  region: z.string(),
  created_at: z.string(),
  status: openEnum(PROJECT_STATUSES),
});
export type Project = z.output<typeof projectSchema>;

/** ProjectDetail = Project plus `database` (behaviour.md, Project). */
export const projectDetailSchema = projectSchema.extend({
  database: response({
    host: z.string(),
    version: z.string(),
    postgres_engine: z.string(),
    release_channel: openEnum(RELEASE_CHANNELS),
  }).optional(),
});
export type ProjectDetail = z.output<typeof projectDetailSchema>;

export const projectRefSchema = response({ id: z.number().int(), ref: z.string(), name: z.string() });

const restoreVersionsSchema = response({
  available_versions: z.array(
    response({
      version: z.string(),
      release_channel: openEnum(RELEASE_CHANNELS),
      postgres_engine: openEnum(POSTGRES_ENGINES),
    }),
  ),
});

const createProjectBody = z.strictObject({
  db_pass: secret(z.string().min(1)),
  name: z.string().min(1).max(256),
  organization_slug: slugSchema,
  organization_id: deprecated(z.string().optional()),
  plan: deprecated(z.enum(["free", "pro"]).optional()),
  region: deprecated(z.enum(REGIONS).optional()),
  region_selection: z
    .discriminatedUnion("type", [
      z.strictObject({ type: z.literal("specific"), code: z.enum(REGIONS) }),
      z.strictObject({ type: z.literal("smartGroup"), code: z.enum(SMART_GROUPS) }),
    ])
    .optional(),
  kps_enabled: deprecated(z.boolean().optional()),
  desired_instance_size: z.enum(INSTANCE_SIZES).optional(),
  template_url: z.url().optional(),
  high_availability: z.boolean().optional(),
});

const serviceHealthSchema = response({
  name: openEnum(HEALTH_SERVICES),
  healthy: z.boolean(),
  status: openEnum(HEALTH_STATUSES),
  /** what else a service says of itself is kept */
  info: response({
    name: z.string().optional(),
    version: z.string().optional(),
    description: z.string().optional(),
  }).nullish(),
  error: z.string().nullish(),
});
export type ServiceHealth = z.output<typeof serviceHealthSchema>;

const project = { limitScope: "project", stability: "stable" } as const;
const write = { scopes: ["projects:write"], permissions: allOf("project_admin_write") } as const;
const read = { scopes: ["projects:read"], permissions: allOf("project_admin_read") } as const;

export const projects = {
  create: operation({
    id: "projects.create",
    summary: "Create a project",
    method: "POST",
    path: "/v1/projects",
    params: noParams,
    query: noQuery,
    body: { encoding: "json", schema: createProjectBody },
    success: { kind: "json", status: 201, schema: projectSchema },
    errors: [400, 402, 409, ...USUAL_ERRORS],
    scopes: ["projects:write"],
    permissions: allOf("organization_projects_create"),
    limitScope: "bodyOrganization",
    stability: "stable",
    retry: "once",
  }),
  list: operation({
    id: "projects.list",
    summary: "List the projects of the identity",
    method: "GET",
    path: "/v1/projects",
    params: noParams,
    query: noQuery,
    success: { kind: "json", status: 200, schema: z.array(projectDetailSchema) },
    errors: USUAL_ERRORS,
    scopes: ["projects:read"],
    permissions: allOf("projects_read"),
    limitScope: "identity",
    stability: "stable",
    retry: "read",
  }),
  get: operation({
    ...project,
    ...read,
    id: "projects.get",
    summary: "Read a project",
    method: "GET",
    path: "/v1/projects/{ref}",
    params: projectParams,
    query: noQuery,
    success: { kind: "json", status: 200, schema: projectDetailSchema },
    errors: [404, ...USUAL_ERRORS_500],
    retry: "read",
  }),
  update: operation({
    ...project,
    ...write,
    id: "projects.update",
    summary: "Rename a project",
    method: "PATCH",
    path: "/v1/projects/{ref}",
    params: projectParams,
    query: noQuery,
    body: { encoding: "json", schema: z.strictObject({ name: z.string().min(1).max(256) }) },
    success: { kind: "json", status: 200, schema: projectRefSchema },
    errors: [400, 404, 409, ...USUAL_ERRORS_500],
    retry: "once",
  }),
  delete: operation({
    ...project,
    ...write,
    id: "projects.delete",
    summary: "Delete a project",
    method: "DELETE",
    path: "/v1/projects/{ref}",
    params: projectParams,
    query: noQuery,
    success: { kind: "json", status: 200, schema: projectRefSchema },
    errors: [400, 404, ...USUAL_ERRORS],
    retry: "idempotent",
  }),
  pause: operation({
    ...project,
    ...write,
    id: "projects.pause",
    summary: "Pause a project",
    method: "POST",
    path: "/v1/projects/{ref}/pause",
    params: projectParams,
    query: noQuery,
    success: { kind: "empty", status: 200 },
    errors: [400, 404, ...USUAL_ERRORS],
    retry: "once",
  }),
  restart: operation({
    ...project,
    ...write,
    id: "projects.restart",
    summary: "Restart a project",
    method: "POST",
    path: "/v1/projects/{ref}/restart",
    params: projectParams,
    query: noQuery,
    success: { kind: "empty", status: 200, body: {} },
    errors: [400, 404, ...USUAL_ERRORS],
    retry: "once",
  }),
  restore: operation({
    ...project,
    ...write,
    id: "projects.restore",
    summary: "Restore a paused project",
    method: "POST",
    path: "/v1/projects/{ref}/restore",
    params: projectParams,
    query: noQuery,
    success: { kind: "empty", status: 200 },
    errors: [400, 404, ...USUAL_ERRORS],
    retry: "once",
  }),
  listRestoreVersions: operation({
    ...project,
    ...read,
    id: "projects.listRestoreVersions",
    summary: "List the versions that a project can be restored to",
    method: "GET",
    path: "/v1/projects/{ref}/restore",
    params: projectParams,
    query: noQuery,
    success: { kind: "json", status: 200, schema: restoreVersionsSchema },
    errors: [404, ...USUAL_ERRORS],
    retry: "read",
  }),
  cancelRestore: operation({
    ...project,
    ...write,
    id: "projects.cancelRestore",
    summary: "Cancel the restoration of a project, which is paused again",
    method: "POST",
    path: "/v1/projects/{ref}/restore/cancel",
    params: projectParams,
    query: noQuery,
    success: { kind: "empty", status: 200, body: {} },
    errors: [400, 404, ...USUAL_ERRORS],
    retry: "once",
  }),
  availableRegions,
  health: operation({
    ...project,
    ...read,
    id: "projects.health",
    summary: "Read the health of a project's services",
    method: "GET",
    path: "/v1/projects/{ref}/health",
    params: projectParams,
    query: z.strictObject({
      services: z.array(z.enum(HEALTH_SERVICES)).min(1),
      timeout_ms: z.number().int().min(0).max(10_000).optional(),
    }),
    success: { kind: "json", status: 200, schema: z.array(serviceHealthSchema) },
    errors: [400, 404, ...USUAL_ERRORS_500],
    retry: "read",
  }),
  updatePassword: operation({
    ...project,
    id: "projects.updatePassword",
    summary: "Set the database password",
    method: "PATCH",
    path: "/v1/projects/{ref}/database/password",
    params: projectParams,
    query: noQuery,
    body: { encoding: "json", schema: z.strictObject({ password: secret(z.string().min(4)) }) },
    success: { kind: "json", status: 200, schema: response({ message: z.string() }) },
    errors: [400, 404, ...USUAL_ERRORS_500],
    scopes: ["database:write"],
    permissions: allOf("database_config_write"),
    retry: "once",
  }),
} as const;
