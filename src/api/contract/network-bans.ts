import { z } from "zod";
import { USUAL_ERRORS_500, noQuery, projectParams, response } from "./fields.ts";
import { allOf, operation } from "./operation.ts";

/** Catalogue section "Network": addresses that the database refuses because of failed logins. */

const common = { params: projectParams, query: noQuery, limitScope: "project", stability: "beta" } as const;
/** POST, but it changes nothing. */
const list = {
  ...common,
  method: "POST",
  errors: [404, ...USUAL_ERRORS_500],
  scopes: ["projects:read"],
  permissions: allOf("database_network_bans_read"),
  retry: "read",
} as const;

export const networkBans = {
  list: operation({
    ...list,
    id: "networkBans.list",
    summary: "List the banned addresses",
    path: "/v1/projects/{ref}/network-bans/retrieve",
    success: { kind: "json", status: 201, schema: response({ banned_ipv4_addresses: z.array(z.string()) }) },
  }),
  listEnriched: operation({
    ...list,
    id: "networkBans.listEnriched",
    summary: "List the banned addresses with the databases that banned them",
    path: "/v1/projects/{ref}/network-bans/retrieve/enriched",
    success: {
      kind: "json",
      status: 201,
      schema: response({
        banned_ipv4_addresses: z.array(
          response({ banned_address: z.string(), identifier: z.string(), type: z.string() }),
        ),
      }),
    },
  }),
  delete: operation({
    ...common,
    id: "networkBans.delete",
    summary: "Lift bans",
    method: "DELETE",
    path: "/v1/projects/{ref}/network-bans",
    body: {
      encoding: "json",
      schema: z.strictObject({
        ipv4_addresses: z.array(z.ipv4('expected an IPv4 address, such as "203.0.113.7"')),
        /** also the address that the request comes from */
        requester_ip: z.boolean().optional(),
        /** only bans of this database; without addresses all of them */
        identifier: z.string().optional(),
      }),
    },
    success: { kind: "empty", status: 200 },
    errors: [400, 404, ...USUAL_ERRORS_500],
    scopes: ["projects:write"],
    permissions: allOf("database_network_bans_write"),
    retry: "idempotent",
  }),
} as const;
