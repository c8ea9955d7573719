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
  credentialDeletedAt: moment("When the token's Secret was asked to be deleted; absent while it is not.").optional(),
});
export type ConnectionStatus = z.output<typeof connectionStatus>;
