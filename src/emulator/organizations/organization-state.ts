import { z } from "zod";
import { ORGANIZATION_PLANS } from "../../api/contract/fields.ts";
import { ROLE_NAMES } from "../../api/contract/organization-members.ts";

/** Organizations and their members, under the slug. */

export type Role = (typeof ROLE_NAMES)[number];

/** How much an organization may have. */
const quotas = z
  .strictObject({ projects: z.number(), functionsPerProject: z.number(), secretsPerProject: z.number() })
  .readonly();
export type Quotas = z.output<typeof quotas>;

const organizationRecord = z
  .strictObject({
    id: z.string(),
    slug: z.string(),
    name: z.string(),
    plan: z.enum(ORGANIZATION_PLANS),
    quotas,
    /** role by user id */
    members: z.record(z.string(), z.enum(ROLE_NAMES)).readonly(),
  })
  .readonly();
export type OrganizationRecord = z.output<typeof organizationRecord>;
export const organizations = { name: "organizations", row: organizationRecord } as const;
