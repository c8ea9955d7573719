import { z } from "zod";
import {
  BRANCH_INSTANCE_SIZES,
  DATABASE_STATUSES,
  DATABASE_TYPES,
  DISK_TYPES,
  ORGANIZATION_PLANS,
  PROJECT_STATUSES,
  RELEASE_CHANNELS,
  USUAL_ERRORS,
  USUAL_ERRORS_500,
  noParams,
  noQuery,
  openEnum,
  response,
  slugSchema,
} from "./fields.ts";
import { NO_PERMISSIONS, allOf, operation } from "./operation.ts";
import { organizationMembers } from "./organization-members.ts";

/** Catalogue section "Organizations and profile". */

export const organizationSummarySchema = response({ id: z.string(), slug: z.string(), name: z.string() });

const organizationDetailSchema = response({
  id: z.string(),
  name: z.string(),
  plan: openEnum(ORGANIZATION_PLANS).nullish(),
  opt_in_tags: z.array(z.string()).optional(),
  allowed_release_channels: z.array(openEnum(RELEASE_CHANNELS)).optional(),
});

const databaseItemSchema = response({
  infra_compute_size: openEnum(BRANCH_INSTANCE_SIZES).optional(),
  region: z.string(),
  status: openEnum(DATABASE_STATUSES),
  cloud_provider: z.string(),
  identifier: z.string(),
  type: openEnum(DATABASE_TYPES),
  disk_volume_size_gb: z.number().int().optional(),
  disk_type: openEnum(DISK_TYPES).optional(),
  disk_throughput_mbps: z.number().int().optional(),
  disk_last_modified_at: z.string().optional(),
});

export const orgProjectItemSchema = response({
  ref: z.string(),
  name: z.string(),
  cloud_provider: z.string().optional(),
  region: z.string(),
  is_branch: z.boolean(),
  status: openEnum(PROJECT_STATUSES),
  inserted_at: z.string().nullish(),
  databases: z.array(databaseItemSchema).optional(),
});
export type OrgProjectItem = z.output<typeof orgProjectItemSchema>;

export const profileSchema = response({ auth_id: z.string(), primary_email: z.string(), username: z.string() });

const slugParams = z.strictObject({ slug: slugSchema });

export const organizations = {
  create: operation({
    id: "organizations.create",
    summary: "Create an organization",
    method: "POST",
    path: "/v1/organizations",
    params: noParams,
    query: noQuery,
    body: { encoding: "json", schema: z.strictObject({ name: z.string().min(1).max(256) }) },
    success: { kind: "json", status: 201, schema: organizationSummarySchema },
    errors: [400, ...USUAL_ERRORS_500],
    scopes: [],
    permissions: allOf("organizations_create"),
    limitScope: "identity",
    stability: "stable",
    retry: "once",
  }),
  list: operation({
    id: "organizations.list",
    summary: "List the organizations of the identity",
    method: "GET",
    path: "/v1/organizations",
    params: noParams,
    query: noQuery,
    success: { kind: "json", status: 200, schema: z.array(organizationSummarySchema) },
    errors: USUAL_ERRORS_500,
    scopes: ["organizations:read"],
    permissions: allOf("organizations_read"),
    limitScope: "identity",
    stability: "stable",
    retry: "read",
  }),
  get: operation({
    id: "organizations.get",
    summary: "Read an organization",
    method: "GET",
    path: "/v1/organizations/{slug}",
    params: slugParams,
    query: noQuery,
    success: { kind: "json", status: 200, schema: organizationDetailSchema },
    errors: [404, ...USUAL_ERRORS],
    scopes: ["organizations:read"],
    permissions: allOf("organization_admin_read"),
    limitScope: "organization",
    stability: "stable",
    retry: "read",
  }),
  listProjects: operation({
    id: "organizations.listProjects",
    summary: "List the projects of an organization, by offset",
    method: "GET",
    path: "/v1/organizations/{slug}/projects",
    params: slugParams,
    query: z.strictObject({
      offset: z.number().int().min(0).optional(),
      limit: z.number().int().min(1).max(100).optional(),
      search: z.string().optional(),
      sort: z.enum(["name_asc", "name_desc", "created_asc", "created_desc"]).optional(),
      statuses: z.string().optional(),
    }),
    success: {
      kind: "json",
      status: 200,
      schema: response({
        projects: z.array(orgProjectItemSchema),
        pagination: response({ count: z.number(), limit: z.number(), offset: z.number() }),
      }),
    },
    pagination: { by: "offset", items: "projects" },
    errors: [400, 404, ...USUAL_ERRORS_500],
    scopes: ["projects:read"],
    permissions: allOf("organization_projects_read"),
    limitScope: "organization",
    stability: "stable",
    retry: "read",
  }),
  ...organizationMembers,
} as const;

export const profile = {
  get: operation({
    id: "profile.get",
    summary: "Read the identity's own profile",
    method: "GET",
    path: "/v1/profile",
    params: noParams,
    query: noQuery,
    success: { kind: "json", status: 200, schema: profileSchema },
    errors: USUAL_ERRORS,
    scopes: [],
    permissions: NO_PERMISSIONS,
    limitScope: "identity",
    stability: "stable",
    retry: "read",
  }),
} as const;
