import { z } from "zod";
import { USUAL_ERRORS_500, noQuery, openEnum, projectParams, response } from "./fields.ts";
import { allOf, operation } from "./operation.ts";

/** Catalogue section "Network": from where the database may be reached. */

export const NETWORK_ENTITLEMENTS = ["disallowed", "allowed"] as const;
const NETWORK_STATUSES = ["stored", "applied"] as const;
const CIDR_TYPES = ["v4", "v6"] as const;

const cidrListsSchema = z.strictObject({
  dbAllowedCidrs: z.array(z.cidrv4('expected an IPv4 range in CIDR form, such as "203.0.113.0/24"')).optional(),
  dbAllowedCidrsV6: z.array(z.cidrv6('expected an IPv6 range in CIDR form, such as "2001:db8::/32"')).optional(),
});
/** Ranges of both families; a list that is left out is empty. */
export type CidrLists = z.output<typeof cidrListsSchema>;

/** "old_config, updated_at, applied_at optional" (facts.md §3) */
function restrictions<C extends z.ZodType>(config: C) {
  return response({
    entitlement: openEnum(NETWORK_ENTITLEMENTS),
    config,
    old_config: config.optional(),
    status: openEnum(NETWORK_STATUSES),
    updated_at: z.string().optional(),
    applied_at: z.string().optional(),
  });
}

export const networkRestrictionsSchema = restrictions(
  response({
    dbAllowedCidrs: z.array(z.string()).optional(),
    dbAllowedCidrsV6: z.array(z.string()).optional(),
  }),
);
export type NetworkRestrictions = z.output<typeof networkRestrictionsSchema>;

/** "answered in the {address,type} form" (facts.md §2, network apply) */
export const typedNetworkRestrictionsSchema = restrictions(
  response({
    dbAllowedCidrs: z.array(response({ address: z.string(), type: openEnum(CIDR_TYPES) })).optional(),
  }),
);
export type TypedNetworkRestrictions = z.output<typeof typedNetworkRestrictionsSchema>;

const common = { params: projectParams, query: noQuery, limitScope: "project" } as const;
const write = { scopes: ["projects:write"], permissions: allOf("database_network_restrictions_write") } as const;

export const networkRestrictions = {
  get: operation({
    ...common,
    id: "networkRestrictions.get",
    summary: "Read from which address ranges the database may be reached",
    method: "GET",
    path: "/v1/projects/{ref}/network-restrictions",
    success: { kind: "json", status: 200, schema: networkRestrictionsSchema },
    errors: [404, ...USUAL_ERRORS_500],
    scopes: ["projects:read"],
    permissions: allOf("database_network_restrictions_read"),
    stability: "beta",
    retry: "read",
  }),
  apply: operation({
    ...common,
    ...write,
    id: "networkRestrictions.apply",
    summary: "Replace both lists of address ranges from which the database may be reached",
    method: "POST",
    path: "/v1/projects/{ref}/network-restrictions/apply",
    body: { encoding: "json", schema: cidrListsSchema },
    success: { kind: "json", status: 201, schema: networkRestrictionsSchema },
    errors: [400, 404, ...USUAL_ERRORS_500],
    stability: "beta",
    retry: "once",
  }),
  update: operation({
    ...common,
    ...write,
    id: "networkRestrictions.update",
    summary: "Add and remove address ranges from which the database may be reached",
    method: "PATCH",
    path: "/v1/projects/{ref}/network-restrictions",
    body: {
      encoding: "json",
      schema: z.strictObject({ add: cidrListsSchema.optional(), remove: cidrListsSchema.optional() }),
    },
    success: { kind: "json", status: 200, schema: typedNetworkRestrictionsSchema },
    errors: [400, 404, ...USUAL_ERRORS_500],
    stability: "alpha",
    retry: "once",
  }),
} as const;
