import { z } from "zod";
import { list, moment } from "../fields.ts";
import { baseStatusFields, statusText } from "../status.ts";

/** Status of Connection and ClusterConnection. */
export const connectionStatus = z.object({
  ...baseStatusFields,
  identity: z
    .object({
      type: statusText("User for a personal token, OAuthClient for an application."),
      id: statusText("The account's or client's id; budgets and ownership are counted by it."),
      name: statusText("The account's user name or the client's name."),
    })
    .describe("Whose credential it is. Kept from the last time that the Management API told it.")
    .optional(),
  reachable: z
    .boolean()
    .describe("Whether the Management API answered the last request, whatever it answered.")
    .optional(),
  organizations: list("Slugs of the organizations that the credential reads.", statusText("An organization's slug."), {
    type: "atomic",
    max: 256,
  }).optional(),
  credentialSecret: z
    .object({
      namespace: statusText("Namespace of the Secret."),
      name: statusText("Name of the Secret."),
      deletedAt: moment("When it was asked to be deleted; absent while it is not.").optional(),
    })
    .describe("The Secret whose token is in use, protected from deletion while objects under deletion need it.")
    .optional(),
});
export type ConnectionStatus = z.output<typeof connectionStatus>;
