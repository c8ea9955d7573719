import { z } from "zod";
import { list, moment, toldText } from "../fields.ts";
import { baseStatusFields, statusText } from "../status.ts";

/** Status of Connection and ClusterConnection. */
export const connectionStatus = z.object({
  ...baseStatusFields,
  identity: z
    .object({
      type: statusText("User for a personal token, OAuthClient for an app that acts for a user."),
      id: toldText("The id of the account, whoever acts for it; ownership is counted by it."),
      name: toldText("The account's user name."),
      clientId: statusText("The OAuth app that acts for the account; request budgets are counted by it.").optional(),
    })
    .describe("Whose credential it is. Kept from the last time that the Management API told it.")
    .optional(),
  reachable: z
    .boolean()
    .describe("Whether the Management API answered the last request, whatever it answered.")
    .optional(),
  organizations: list("Slugs of the organizations that the credential reads.", toldText("An organization's slug."), {
    type: "atomic",
    max: 256,
  }).optional(),
  missingScopes: list(
    "For apps: scopes of operations that were refused (403) and that no other request has shown the app to have. Authorize the app with them.",
    toldText("A scope, as projects:write."),
    { type: "atomic", max: 64 },
  ).optional(),
  credentialSecrets: list(
    "The Secrets that the credential is made of, protected from deletion while objects under deletion need them; with oauth also the operator's " +
      "own one, which holds the newest refresh token.",
    z.object({
      namespace: statusText("Namespace of the Secret."),
      name: statusText("Name of the Secret."),
      deletedAt: moment("When it was asked to be deleted; absent while it is not.").optional(),
    }),
    { type: "atomic", max: 8 },
  ).optional(),
});
export type ConnectionStatus = z.output<typeof connectionStatus>;
