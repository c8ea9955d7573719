import { z } from "zod";
import { PAID_PLANS, USUAL_ERRORS_500, noQuery, openEnum, projectParams, response } from "./fields.ts";
import { type LimitClass, allOf, operation } from "./operation.ts";

/** Catalogue section "Custom hostname and vanity subdomain": the vanity subdomain. */

const VANITY_SUBDOMAIN_STATUSES = ["not-used", "custom-domain-used", "active"] as const;

/** A row of behaviour.md, "Endpoint exceptions". */
const VANITY_SUBDOMAIN_READS: LimitClass = {
  name: "vanity-subdomain",
  windows: [{ requests: 10, windowMs: 60_000 }],
};

/** "≤63 chars" (facts.md §2): one label of a host name. */
const subdomain = z
  .string()
  .min(1)
  .max(63)
  .regex(
    /^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/,
    "a subdomain has letters, digits and hyphens, and neither begins nor ends with a hyphen",
  );
const subdomainBody = { encoding: "json", schema: z.strictObject({ vanity_subdomain: subdomain }) } as const;

const onProject = {
  params: projectParams,
  query: noQuery,
  errors: [400, 404, ...USUAL_ERRORS_500],
  limitScope: "project",
  stability: "beta",
} as const;
const write = { scopes: ["domains:write"], permissions: allOf("vanity_subdomain_write") } as const;

export const vanitySubdomain = {
  get: operation({
    ...onProject,
    id: "vanitySubdomain.get",
    summary: "Read a project's vanity subdomain",
    method: "GET",
    path: "/v1/projects/{ref}/vanity-subdomain",
    success: {
      kind: "json",
      status: 200,
      schema: response({ status: openEnum(VANITY_SUBDOMAIN_STATUSES), custom_domain: z.string().nullish() }),
    },
    scopes: ["domains:read"],
    permissions: allOf("vanity_subdomain_read"),
    plans: PAID_PLANS,
    limitClass: VANITY_SUBDOMAIN_READS,
    retry: "read",
  }),
  checkAvailability: operation({
    ...onProject,
    ...write,
    id: "vanitySubdomain.checkAvailability",
    summary: "Say whether a vanity subdomain is free",
    method: "POST",
    path: "/v1/projects/{ref}/vanity-subdomain/check-availability",
    body: subdomainBody,
    success: { kind: "json", status: 201, schema: response({ available: z.boolean() }) },
    plans: PAID_PLANS,
    retry: "read",
  }),
  activate: operation({
    ...onProject,
    ...write,
    id: "vanitySubdomain.activate",
    summary: "Give a project a vanity subdomain",
    method: "POST",
    path: "/v1/projects/{ref}/vanity-subdomain/activate",
    body: subdomainBody,
    success: { kind: "json", status: 201, schema: response({ custom_domain: z.string() }) },
    plans: PAID_PLANS,
    retry: "once",
  }),
  delete: operation({
    ...onProject,
    ...write,
    id: "vanitySubdomain.delete",
    summary: "Take a project's vanity subdomain away",
    method: "DELETE",
    path: "/v1/projects/{ref}/vanity-subdomain",
    success: { kind: "empty", status: 200 },
    retry: "idempotent",
  }),
} as const;
