import { z } from "zod";
import { list } from "../fields.ts";
import { commonStatusFields, statusText } from "../status.ts";

/** Status of a Secret: names, never values, nor what would lay one open. */
export const secretStatus = z.object({
  ...commonStatusFields,
  ref: statusText("Ref of the project or branch that the secrets are set in.").optional(),
  names: list(
    "Names of the secrets that this object set; only these are ever deleted by it.",
    statusText("Name of a secret."),
    {
      type: "atomic",
      max: 1024,
    },
  ).optional(),
  sources: list(
    "Versions of the Kubernetes Secrets whose values were set last. A difference while they are the same is drift, with others it is an edit.",
    z.object({
      name: statusText("Name of the Secret."),
      uid: statusText("metadata.uid of the Secret."),
      resourceVersion: statusText("metadata.resourceVersion of the Secret when its values were set."),
    }),
    { type: "atomic", max: 16 },
  ).optional(),
  valuesMark: statusText(
    "Keyed mark of all values that were set last, never a value: by it other versions of the Secrets with the same values are no edit.",
  ).optional(),
  environment: z
    .object({
      revision: statusText(
        "The last change of the environment that was seen to be in force; a function that was deployed with another one is deployed again.",
      ).optional(),
      pending: statusText(
        "A change of the environment that was about to be written and is not seen to be in force yet. It becomes the revision.",
      ).optional(),
    })
    .describe("Changes of the environment that this object made under redeployOnSecretChange, by names of their own.")
    .optional(),
});
export type SecretStatus = z.output<typeof secretStatus>;
