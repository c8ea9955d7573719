import { z } from "zod";
import { USUAL_ERRORS_500, noQuery, openEnum, projectParams, queryBoolean, response } from "./fields.ts";
import { type LimitClass, allOf, operation } from "./operation.ts";

/** Catalogue section "Custom hostname and vanity subdomain": the custom hostname, with the DELETE that facts.md adds. */

const CUSTOM_HOSTNAME_STATUSES = [
  "1_not_started",
  "2_initiated",
  "3_challenge_verified",
  "4_origin_setup_completed",
  "5_services_reconfigured",
] as const;

/** Three rows of behaviour.md, "Endpoint exceptions": each of the operations has its own 10 a minute. */
const tenAMinute = (name: string): LimitClass => ({ name, windows: [{ requests: 10, windowMs: 60_000 }] });

/** "1–253 chars" (facts.md §2): labels of letters, digits and inner hyphens, at least two of them. */
const hostname = z
  .string()
  .min(1)
  .max(253)
  .regex(
    /^(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/,
    "expected a host name such as api.example.com, without scheme, port or path",
  );

export const customHostnameSchema = response({
  status: openEnum(CUSTOM_HOSTNAME_STATUSES),
  custom_hostname: z.string(),
  data: response({
    success: z.boolean(),
    errors: z.array(z.unknown()),
    messages: z.array(z.unknown()),
    result: response({
      id: z.string(),
      hostname: z.string(),
      ssl: response({
        status: z.string(),
        validation_records: z.array(response({ txt_name: z.string(), txt_value: z.string() })).nullish(),
        validation_errors: z.array(response({ message: z.string() })).nullish(),
      }),
      ownership_verification: response({ type: z.string(), name: z.string(), value: z.string() }).nullish(),
      custom_origin_server: z.string().nullish(),
      verification_errors: z.array(z.string()).nullish(),
      status: z.string(),
    }),
  }),
});
export type CustomHostname = z.output<typeof customHostnameSchema>;

const onProject = {
  params: projectParams,
  query: noQuery,
  errors: [400, 404, ...USUAL_ERRORS_500, 544],
  limitScope: "project",
  stability: "beta",
} as const;
const write = {
  method: "POST",
  success: { kind: "json", status: 201, schema: customHostnameSchema },
  scopes: ["domains:write"],
  permissions: allOf("custom_domain_write"),
  retry: "once",
} as const;

export const customHostname = {
  get: operation({
    ...onProject,
    id: "customHostname.get",
    summary: "Read a project's custom hostname",
    method: "GET",
    path: "/v1/projects/{ref}/custom-hostname",
    success: { kind: "json", status: 200, schema: customHostnameSchema },
    scopes: ["domains:read"],
    permissions: allOf("custom_domain_read"),
    retry: "read",
  }),
  initialize: operation({
    ...onProject,
    ...write,
    id: "customHostname.initialize",
    summary: "Begin to set up a custom hostname",
    path: "/v1/projects/{ref}/custom-hostname/initialize",
    body: { encoding: "json", schema: z.strictObject({ custom_hostname: hostname }) },
    limitClass: tenAMinute("custom-hostname-initialize"),
  }),
  reverify: operation({
    ...onProject,
    ...write,
    id: "customHostname.reverify",
    summary: "Check a custom hostname's DNS records again",
    path: "/v1/projects/{ref}/custom-hostname/reverify",
    limitClass: tenAMinute("custom-hostname-reverify"),
  }),
  activate: operation({
    ...onProject,
    ...write,
    id: "customHostname.activate",
    summary: "Put a verified custom hostname into service",
    path: "/v1/projects/{ref}/custom-hostname/activate",
  }),
  delete: operation({
    ...onProject,
    id: "customHostname.delete",
    summary: "Remove a project's custom hostname",
    method: "DELETE",
    path: "/v1/projects/{ref}/custom-hostname",
    query: z.strictObject({ remove_addon: queryBoolean.optional() }),
    success: { kind: "empty", status: 200 },
    scopes: ["domains:write"],
    permissions: allOf("custom_domain_write"),
    limitClass: tenAMinute("custom-hostname-delete"),
    retry: "idempotent",
  }),
} as const;
