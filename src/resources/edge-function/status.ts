import { z } from "zod";
import { list, moment, toldText } from "../fields.ts";
import { commonStatusFields, statusText } from "../status.ts";

/** Most entries of `environment`. What is beyond stands there together, in the last one. */
export const MOST_REVISIONS = 1024;

function environmentField(description: string): z.ZodOptional<
  z.ZodArray<
    z.ZodObject<{
      name: z.ZodString;
      uid: z.ZodString;
      revision: z.ZodString;
    }>
  >
> {
  return list(
    description,
    z.object({
      name: statusText("Namespace and name of the Secret object (secrets.baas.dev)."),
      uid: statusText("metadata.uid of it."),
      revision: statusText("Its status.environment.revision."),
    }),
    { type: "atomic", max: MOST_REVISIONS },
  ).optional();
}

/** Status of an EdgeFunction. */
export const edgeFunctionStatus = z.object({
  ...commonStatusFields,
  id: toldText("Id of the function.").optional(),
  ref: statusText("Ref of the project or branch that it runs in.").optional(),
  slug: statusText("Slug of the function, the last part of its URL.").optional(),
  version: z.int().min(0).describe("Version of the function, which rises by one at each deploy.").optional(),
  state: toldText("State of the function in the platform's words, for example ACTIVE.").optional(),
  sourceHash: statusText("Digest of the files and settings that were deployed last.").optional(),
  source: z
    .object({
      name: statusText("Name of the ConfigMap."),
      uid: statusText("metadata.uid of the ConfigMap."),
      resourceVersion: statusText("metadata.resourceVersion of the ConfigMap when it was read."),
    })
    .describe("Version of the ConfigMap that the source was read from last; absent where it stands in the spec.")
    .optional(),
  artifact: z
    .object({
      kind: statusText("Kind of the source object of Flux."),
      name: statusText("Name of the source object."),
      revision: statusText("Its revision, for example main@sha1:… of a GitRepository."),
      digest: statusText("Digest of its artifact."),
      path: statusText("Folder of the artifact that the source is; absent for all of it.").optional(),
      importMap: statusText("Path of the import map or deno.json in it that is in use; absent for none.").optional(),
    })
    .describe("The artifact that the source in force was read from; absent where the source comes from elsewhere.")
    .optional(),
  bundleHash: toldText(
    "Digest of the bundle that the platform made of them; another one remotely is drift.",
  ).optional(),
  deployedAt: moment("When the platform last changed the function.").optional(),
  environment: environmentField(
    "Which changes of the environment the function was deployed with, of Secret objects with redeployOnSecretChange. Where these are more than it holds, the last entry stands for all others together.",
  ),
  redeployment: z
    .object({
      version: z.int().describe("Version of the function before; another one says that it was deployed since."),
      time: moment("The server's clock when the deployment was about to be sent."),
      environment: environmentField("What status.environment is once it was."),
    })
    .describe(
      "A deployment for a changed environment that was recorded as about to be sent and whose result is not known yet.",
    )
    .optional(),
});
export type EdgeFunctionStatus = z.output<typeof edgeFunctionStatus>;
