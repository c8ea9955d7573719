import { z } from "zod";
import { cursorList, pageQuery } from "./cursor-list.ts";
import { USUAL_ERRORS, noQuery, openEnum, response, slugSchema } from "./fields.ts";
import { allOf, operation } from "./operation.ts";

/** Catalogue section "Organizations and profile": who belongs to an organization and what its plan allows. */

/** Roles that every organization has (behaviour.md, MemberV2: "name string (example Developer)"). */
export const ROLE_NAMES = ["Owner", "Administrator", "Developer", "Read-only"] as const;
/** behaviour.md, MemberV2: "scope string (example organization)" */
const ROLE_SCOPES = ["organization", "project"] as const;

export const entitlementSchema = response({
  feature: response({ key: z.string(), type: z.string() }),
  hasAccess: z.boolean(),
  type: z.string(),
  config: response({ enabled: z.boolean().optional() }),
});
export type Entitlement = z.output<typeof entitlementSchema>;

export const memberV1Schema = response({
  user_id: z.string(),
  user_name: z.string(),
  email: z.string().nullish(),
  role_name: openEnum(ROLE_NAMES),
  avatar_url: z.string().nullish(),
  mfa_enabled: z.boolean(),
});
export type MemberV1 = z.output<typeof memberV1Schema>;

const projectNameSchema = response({ ref: z.string(), name: z.string() });

export const memberSchema = response({
  type: z.string(),
  id: z.string(),
  attributes: response({
    username: z.string(),
    primary_email: z.string().nullish(),
    mfa_enabled: z.boolean(),
    is_sso_user: z.boolean(),
    avatar_url: z.string().nullish(),
    roles: z.array(
      response({
        id: z.number().int(),
        name: openEnum(ROLE_NAMES),
        scope: openEnum(ROLE_SCOPES),
        projects: z.array(projectNameSchema).nullish(),
      }),
    ),
  }),
});
export type Member = z.output<typeof memberSchema>;

export const roleSchema = response({
  type: z.string(),
  id: z.string(),
  attributes: response({
    name: openEnum(ROLE_NAMES),
    scope: openEnum(ROLE_SCOPES),
    base_role_id: z.number().int().nullish(),
    projects: z.array(projectNameSchema).nullish(),
  }),
});
export type OrganizationRole = z.output<typeof roleSchema>;

/** The catalogue calls `filter` an object and shows no field: these are the attributes of what is listed. All that are given must match. */
const memberFilter = z.strictObject({
  username: z.string().optional(),
  primary_email: z.string().optional(),
  mfa_enabled: z.boolean().optional(),
  is_sso_user: z.boolean().optional(),
  /** name of a role that the member has */
  role: z.enum(ROLE_NAMES).optional(),
});
const roleFilter = z.strictObject({
  name: z.enum(ROLE_NAMES).optional(),
  scope: z.enum(ROLE_SCOPES).optional(),
});

const onOrganization = {
  params: z.strictObject({ slug: slugSchema }),
  scopes: ["organizations:read"],
  limitScope: "organization",
  stability: "stable",
  retry: "read",
} as const;

export const organizationMembers = {
  entitlements: operation({
    ...onOrganization,
    id: "organizations.entitlements",
    summary: "List what an organization's plan allows",
    method: "GET",
    path: "/v1/organizations/{slug}/entitlements",
    query: noQuery,
    success: { kind: "json", status: 200, schema: response({ entitlements: z.array(entitlementSchema) }) },
    errors: [404, ...USUAL_ERRORS],
    permissions: allOf("organization_admin_read"),
  }),
  members: operation({
    ...onOrganization,
    id: "organizations.members",
    summary: "List the members of an organization, all at once",
    method: "GET",
    path: "/v1/organizations/{slug}/members",
    query: noQuery,
    success: { kind: "json", status: 200, schema: z.array(memberV1Schema) },
    errors: [404, ...USUAL_ERRORS],
    permissions: allOf("members_read"),
  }),
  listMembers: operation({
    ...onOrganization,
    id: "organizations.listMembers",
    summary: "List the members of an organization, by cursor",
    method: "GET",
    path: "/v2/organizations/{slug}/members",
    query: z.strictObject({ page: pageQuery.optional(), filter: memberFilter.optional() }),
    success: { kind: "json", status: 200, schema: cursorList(memberSchema) },
    pagination: { by: "links", items: "data" },
    errors: [400, 404, ...USUAL_ERRORS],
    permissions: allOf("members_read"),
  }),
  listRoles: operation({
    ...onOrganization,
    id: "organizations.listRoles",
    summary: "List the roles of an organization, by cursor",
    method: "GET",
    path: "/v2/organizations/{slug}/roles",
    query: z.strictObject({ page: pageQuery.optional(), filter: roleFilter.optional() }),
    success: { kind: "json", status: 200, schema: cursorList(roleSchema) },
    pagination: { by: "links", items: "data" },
    errors: [400, 404, ...USUAL_ERRORS],
    permissions: allOf("members_read"),
  }),
} as const;
