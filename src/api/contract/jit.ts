import { z } from "zod";
import {
  USUAL_ERRORS_500,
  messageSchema,
  noQuery,
  openEnum,
  projectParams,
  refSchema,
  response,
  secret,
} from "./fields.ts";
import { NO_PERMISSIONS, allOf, operation } from "./operation.ts";

/** Catalogue section "Database: access, roles, JIT": who may assume a database role, for how long and from where. */

const JIT_STATES = ["enabled", "disabled", "unavailable"] as const;
export const JIT_UNAVAILABLE_REASONS = ["postgres_upgrade_required", "temporarily_unavailable"] as const;

const cidrs = z.array(response({ cidr: z.string() }));
export const jitRoleSchema = response({
  role: z.string(),
  /** seconds since the epoch */
  expires_at: z.number().int().nullish(),
  allowed_networks: response({ allowed_cidrs: cidrs.nullish(), allowed_cidrs_v6: cidrs.nullish() }).nullish(),
  branches_only: z.boolean().nullish(),
});
export const jitUserSchema = response({ user_id: z.string(), user_roles: z.array(jitRoleSchema) });
export type JitUser = z.output<typeof jitUserSchema>;
export type JitRole = z.output<typeof jitRoleSchema>;

const jitListSchema = response({
  items: z.array(
    response({
      user_id: z.string(),
      primary_email: z.string().nullish(),
      /** of somebody who was invited and has not accepted yet */
      invite_id: z.string().nullish(),
      /** when the invitation ends */
      expires_at: z.union([z.string(), z.number()]).nullish(),
      user_roles: z.array(jitRoleSchema),
    }),
  ),
});

/** A role as callers grant it. */
export const newJitRoleSchema = z.strictObject({
  role: z.string().min(1),
  /** seconds since the epoch; absent: for ever */
  expires_at: z.number().int().min(0).optional(),
  allowed_networks: z
    .strictObject({
      allowed_cidrs: z.array(z.strictObject({ cidr: z.cidrv4("expected an IPv4 CIDR as 192.0.2.0/24") })).optional(),
      allowed_cidrs_v6: z
        .array(z.strictObject({ cidr: z.cidrv6("expected an IPv6 CIDR as 2001:db8::/32") }))
        .optional(),
    })
    .optional(),
  branches_only: z.boolean().optional(),
});
export type NewJitRole = z.output<typeof newJitRoleSchema>;

const common = { limitScope: "project", stability: "stable" } as const;
const own = { scopes: ["database:read"], permissions: allOf("database_jit_read") } as const;
const write = { scopes: [], permissions: allOf("database_jit_write") } as const;
const oneUser = { kind: "json", status: 200, schema: jitUserSchema } as const;
const errors = [400, 404, ...USUAL_ERRORS_500] as const;

export const jit = {
  acceptInvite: operation({
    ...common,
    id: "jit.acceptInvite",
    summary: "Accept an invitation with the token that came by mail",
    method: "POST",
    path: "/v1/projects/{ref}/database/jit/invite/accept",
    params: projectParams,
    query: noQuery,
    body: { encoding: "json", schema: z.strictObject({ email: z.email(), token: secret(z.string().min(1)) }) },
    success: oneUser,
    errors: [400, 404, 429, 500],
    scopes: [],
    permissions: NO_PERMISSIONS,
    access: "public",
    retry: "once",
  }),
  invite: operation({
    ...common,
    ...write,
    id: "jit.invite",
    summary: "Invite somebody from outside, with their first roles",
    method: "POST",
    path: "/v1/projects/{ref}/database/jit/invite",
    params: projectParams,
    query: noQuery,
    body: {
      encoding: "json",
      schema: z.strictObject({ email: z.email(), roles: z.array(newJitRoleSchema).min(1) }),
    },
    success: {
      kind: "json",
      status: 200,
      schema: response({ email: z.string(), invite_id: z.string(), user_roles: z.array(jitRoleSchema) }),
    },
    errors,
    retry: "once",
  }),
  deleteInvite: operation({
    ...common,
    ...write,
    id: "jit.deleteInvite",
    summary: "Revoke an invitation",
    method: "DELETE",
    path: "/v1/projects/{ref}/database/jit/invite/{invite_id}",
    params: z.strictObject({ ref: refSchema, invite_id: z.string().min(1) }),
    query: noQuery,
    success: { kind: "empty", status: 200, body: {} },
    errors,
    retry: "idempotent",
  }),
  authorize: operation({
    ...common,
    ...own,
    id: "jit.authorize",
    summary: "Ask whether the caller may assume a role from a host",
    method: "POST",
    path: "/v1/projects/{ref}/database/jit",
    params: projectParams,
    query: noQuery,
    body: { encoding: "json", schema: z.strictObject({ role: z.string().min(1), rhost: z.string().min(1) }) },
    success: { kind: "json", status: 200, schema: response({ user_id: z.string(), user_role: jitRoleSchema }) },
    errors,
    retry: "once",
  }),
  get: operation({
    ...common,
    ...own,
    id: "jit.get",
    summary: "Read the roles that the caller may assume",
    method: "GET",
    path: "/v1/projects/{ref}/database/jit",
    params: projectParams,
    query: noQuery,
    success: oneUser,
    errors,
    retry: "read",
  }),
  update: operation({
    ...common,
    ...write,
    id: "jit.update",
    summary: "Set the roles that a user may assume",
    method: "PUT",
    path: "/v1/projects/{ref}/database/jit",
    params: projectParams,
    query: noQuery,
    body: {
      encoding: "json",
      schema: z.strictObject({ user_id: z.uuid("a user's id is a uuid"), roles: z.array(newJitRoleSchema) }),
    },
    success: oneUser,
    errors,
    retry: "idempotent",
  }),
  list: operation({
    ...common,
    id: "jit.list",
    summary: "List who may assume roles, and who is invited",
    method: "GET",
    path: "/v1/projects/{ref}/database/jit/list",
    params: projectParams,
    query: noQuery,
    success: { kind: "json", status: 200, schema: jitListSchema },
    errors,
    scopes: [],
    permissions: allOf("database_jit_read"),
    retry: "read",
  }),
  delete: operation({
    ...common,
    ...write,
    id: "jit.delete",
    summary: "Remove every role of a user",
    method: "DELETE",
    path: "/v1/projects/{ref}/database/jit/{user_id}",
    params: z.strictObject({ ref: refSchema, user_id: z.string().min(1) }),
    query: noQuery,
    success: { kind: "empty", status: 200, body: {} },
    errors,
    retry: "idempotent",
  }),
} as const;

const jitAccessSchema = response({
  state: openEnum(JIT_STATES),
  /** absent while it is unavailable */
  appliedSuccessfully: z.boolean().optional(),
  unavailableReason: openEnum(JIT_UNAVAILABLE_REASONS).optional(),
});
export type JitAccess = z.output<typeof jitAccessSchema>;

const beta = { limitScope: "project", stability: "beta" } as const;

export const jitAccess = {
  get: operation({
    ...beta,
    id: "jitAccess.get",
    summary: "Read whether roles can be assumed at all",
    method: "GET",
    path: "/v1/projects/{ref}/jit-access",
    params: projectParams,
    query: noQuery,
    success: { kind: "json", status: 200, schema: jitAccessSchema },
    errors: [404, ...USUAL_ERRORS_500],
    scopes: ["database:read"],
    permissions: allOf("project_admin_read"),
    retry: "read",
  }),
  update: operation({
    ...beta,
    id: "jitAccess.update",
    summary: "Switch just-in-time access on or off",
    method: "PUT",
    path: "/v1/projects/{ref}/jit-access",
    params: projectParams,
    query: noQuery,
    body: { encoding: "json", schema: z.strictObject({ state: z.enum(["enabled", "disabled"]) }) },
    success: { kind: "json", status: 200, schema: jitAccessSchema },
    errors,
    scopes: ["database:write"],
    permissions: allOf("project_admin_write"),
    retry: "idempotent",
  }),
} as const;

const loginRoleWrite = { scopes: ["database:write"], permissions: allOf("database_write") } as const;

export const loginRole = {
  create: operation({
    ...beta,
    ...loginRoleWrite,
    id: "loginRole.create",
    summary: "Make a database role that can log in for a while",
    method: "POST",
    path: "/v1/projects/{ref}/cli/login-role",
    params: projectParams,
    query: noQuery,
    body: { encoding: "json", schema: z.strictObject({ read_only: z.boolean() }) },
    success: {
      kind: "json",
      status: 201,
      schema: response({ role: z.string(), password: secret(z.string()), ttl_seconds: z.number().int() }),
    },
    errors,
    retry: "once",
  }),
  delete: operation({
    ...beta,
    ...loginRoleWrite,
    id: "loginRole.delete",
    summary: "Delete the login roles that there are",
    method: "DELETE",
    path: "/v1/projects/{ref}/cli/login-role",
    params: projectParams,
    query: noQuery,
    success: { kind: "json", status: 200, schema: messageSchema },
    errors: [404, ...USUAL_ERRORS_500],
    retry: "idempotent",
  }),
} as const;
