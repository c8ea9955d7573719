import { z } from "zod";
import { USUAL_ERRORS_500, noQuery, openEnum, projectParams, refSchema, response } from "./fields.ts";
import { allOf, operation } from "./operation.ts";

/** Catalogue section "Billing add-ons". */

export const ADDON_TYPES = [
  "custom_domain",
  "compute_instance",
  "pitr",
  "ipv4",
  "auth_mfa_phone",
  "auth_mfa_web_authn",
  "log_drain",
  "etl_pipeline",
] as const;
export type AddonType = (typeof ADDON_TYPES)[number];

/** `ci_<size>`: every size but nano, which is what a project has without one, and pico. */
export const COMPUTE_VARIANTS = [
  "ci_micro",
  "ci_small",
  "ci_medium",
  "ci_large",
  "ci_xlarge",
  "ci_2xlarge",
  "ci_4xlarge",
  "ci_8xlarge",
  "ci_12xlarge",
  "ci_16xlarge",
  "ci_24xlarge",
  "ci_24xlarge_optimized_cpu",
  "ci_24xlarge_optimized_memory",
  "ci_24xlarge_high_memory",
  "ci_48xlarge",
  "ci_48xlarge_optimized_cpu",
  "ci_48xlarge_optimized_memory",
  "ci_48xlarge_high_memory",
] as const;
export type ComputeVariant = (typeof COMPUTE_VARIANTS)[number];
export const PITR_VARIANTS = ["pitr_7", "pitr_14", "pitr_28"] as const;

/** What can be applied and removed (facts.md §1, add-on variants). */
const APPLICABLE_VARIANTS = [...COMPUTE_VARIANTS, "cd_default", ...PITR_VARIANTS, "ipv4_default"] as const;
export type ApplicableVariant = (typeof APPLICABLE_VARIANTS)[number];

/** Everything that may be selected. */
export const ADDON_VARIANTS = [
  ...APPLICABLE_VARIANTS,
  "auth_mfa_phone_default",
  "auth_mfa_web_authn_default",
  "log_drain_default",
] as const;
export type AddonVariant = (typeof ADDON_VARIANTS)[number];

const variantSchema = response({
  id: openEnum(ADDON_VARIANTS),
  name: z.string(),
  price: response({
    description: z.string(),
    type: openEnum(["fixed", "usage"]),
    interval: openEnum(["monthly", "hourly"]),
    amount: z.number(),
  }),
  meta: z.unknown().optional(),
});
export type Variant = z.output<typeof variantSchema>;

export const addonsSchema = response({
  selected_addons: z.array(response({ type: openEnum(ADDON_TYPES), variant: variantSchema })),
  available_addons: z.array(
    response({ type: openEnum(ADDON_TYPES), name: z.string(), variants: z.array(variantSchema) }),
  ),
});
export type Addons = z.output<typeof addonsSchema>;

const common = { query: noQuery, limitScope: "project", stability: "stable", scopes: [] } as const;
const write = { permissions: allOf("infra_add_ons_write"), errors: [400, 404, ...USUAL_ERRORS_500] } as const;

export const addons = {
  list: operation({
    ...common,
    id: "addons.list",
    summary: "List the selected add-ons, the compute size among them, and all that can be had",
    method: "GET",
    path: "/v1/projects/{ref}/billing/addons",
    params: projectParams,
    success: { kind: "json", status: 200, schema: addonsSchema },
    errors: [404, ...USUAL_ERRORS_500],
    permissions: allOf("infra_add_ons_read"),
    retry: "read",
  }),
  apply: operation({
    ...common,
    ...write,
    id: "addons.apply",
    summary: "Select a variant of an add-on; another compute size resizes the project",
    method: "PATCH",
    path: "/v1/projects/{ref}/billing/addons",
    params: projectParams,
    body: {
      encoding: "json",
      schema: z.strictObject({ addon_variant: z.enum(APPLICABLE_VARIANTS), addon_type: z.enum(ADDON_TYPES) }),
    },
    success: { kind: "empty", status: 200, body: {} },
    retry: "once",
  }),
  remove: operation({
    ...common,
    ...write,
    id: "addons.remove",
    summary: "Remove a variant of an add-on; compute goes back to its previous size",
    method: "DELETE",
    path: "/v1/projects/{ref}/billing/addons/{addon_variant}",
    params: z.strictObject({ ref: refSchema, addon_variant: z.enum(APPLICABLE_VARIANTS) }),
    success: { kind: "empty", status: 200, body: {} },
    retry: "idempotent",
  }),
} as const;
