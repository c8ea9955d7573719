import { z } from "zod";
import { toldText } from "../fields.ts";
import { outputStatusFields } from "../outputs/spec.ts";
import { commonStatusFields, intentSchema, sentValueSchema, servicesField, statusText } from "../status.ts";
import { requestStatusFields } from "../requests.ts";
import { sectionFactsFields, sectionsField } from "../settings/status.ts";
import { lifecycleStatusFields } from "./lifecycle.ts";

/** Status of a Project. */
export const projectStatus = z.object({
  ...commonStatusFields,
  ref: statusText("Ref of the project, once it was created or adopted.").optional(),
  name: toldText("Its name, as the platform reports it.").optional(),
  state: toldText("Its state in the platform's words, for example ACTIVE_HEALTHY or COMING_UP.").optional(),
  organization: toldText("Slug of the organization that it is in.").optional(),
  region: toldText("The region that it runs in.").optional(),
  host: toldText("Host name of its database.").optional(),
  databaseVersion: toldText("Version of its database.").optional(),
  createdAt: toldText("When the platform created it, as it says.").optional(),
  services: servicesField,
  sections: sectionsField,
  ...sectionFactsFields,
  databasePassword: z
    .object({
      secretName: statusText("The Secret that holds it."),
      key: statusText("The key in that Secret."),
      generated: z.boolean().describe("Whether the operator generated it; a Secret of the user otherwise."),
      sent: sentValueSchema.optional(),
    })
    .describe("Where the database's password is, when this object set it. Never the password.")
    .optional(),
  ...outputStatusFields,
  ...lifecycleStatusFields,
  ...requestStatusFields,
  intent: intentSchema.optional(),
});
export type ProjectStatus = z.output<typeof projectStatus>;
