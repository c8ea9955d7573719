import { z } from "zod";
import { ROLE_NAMES } from "../../api/contract/organization-members.ts";

/** A role on some projects of an organization, under its id as text. */
const projectRoleRecord = z
  .strictObject({
    id: z.number(),
    organizationSlug: z.string(),
    userId: z.string(),
    role: z.enum(ROLE_NAMES),
    /** refs or names */
    projects: z.array(z.string()).readonly(),
  })
  .readonly();
export type ProjectRole = z.output<typeof projectRoleRecord>;
export const projectRoles = { name: "projectRoles", row: projectRoleRecord } as const;
