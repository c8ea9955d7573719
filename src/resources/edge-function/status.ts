import { z } from "zod";
import { moment } from "../fields.ts";
import { commonStatusFields, statusText } from "../status.ts";

/** Status of an EdgeFunction. */
export const edgeFunctionStatus = z.object({
  ...commonStatusFields,
  id: statusText("Id of the function.").optional(),
  ref: statusText("Ref of the project or branch that it runs in.").optional(),
  slug: statusText("Slug of the function, the last part of its URL.").optional(),
  version: z.int().min(0).describe("Version of the function, which rises by one at each deploy.").optional(),
  state: statusText("State of the function in the platform's words, for example ACTIVE.").optional(),
  sourceHash: statusText("Digest of the files and settings that were deployed last.").optional(),
  source: z
    .object({
      name: statusText("Name of the ConfigMap."),
      uid: statusText("metadata.uid of the ConfigMap."),
      resourceVersion: statusText("metadata.resourceVersion of the ConfigMap when it was read."),
    })
    .describe("Version of the ConfigMap that the source was read from last; absent where it stands in the spec.")
    .optional(),
  bundleHash: statusText(
    "Digest of the bundle that the platform made of them; another one remotely is drift.",
  ).optional(),
  deployedAt: moment("When the platform last changed the function.").optional(),
});
export type EdgeFunctionStatus = z.output<typeof edgeFunctionStatus>;
