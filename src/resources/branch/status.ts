import { z } from "zod";
import { moment, toldText } from "../fields.ts";
import { outputStatusFields } from "../outputs/spec.ts";
import { commonStatusFields, intentSchema, servicesField, statusText } from "../status.ts";
import { requestStatusFields } from "../requests.ts";
import { sectionFactsFields, sectionsField } from "../settings/status.ts";

/** Status of a Branch. */
export const branchStatus = z.object({
  ...commonStatusFields,
  id: toldText("Id of the branch.").optional(),
  ref: statusText("Ref of the branch: what its functions and secrets are addressed by.").optional(),
  parentRef: statusText("Ref of the project that it belongs to.").optional(),
  name: toldText("Its name, as the platform reports it.").optional(),
  state: toldText("State of the branch in the platform's words, for example FUNCTIONS_DEPLOYED.").optional(),
  projectState: toldText(
    "State of the branch's own project in the platform's words, for example ACTIVE_HEALTHY.",
  ).optional(),
  isDefault: z
    .boolean()
    .describe("Whether it is the default branch of the project, which cannot be deleted alone.")
    .optional(),
  persistent: z.boolean().describe("Whether the platform keeps it until it is deleted by hand.").optional(),
  host: toldText("Host name of its database.").optional(),
  createdAt: toldText("When the platform created it, as it says.").optional(),
  ttl: statusText("The ttl that expiresAt was counted by.").optional(),
  expiresAt: moment(
    "When its ttl ends, as it was counted when this object made the branch, took it over or was given that ttl.",
  ).optional(),
  deletionScheduledAt: toldText("When the platform will delete it, if that was scheduled, as it says.").optional(),
  services: servicesField,
  sections: sectionsField,
  ...sectionFactsFields,
  ...outputStatusFields,
  ...requestStatusFields,
  intent: intentSchema.optional(),
});
export type BranchStatus = z.output<typeof branchStatus>;
