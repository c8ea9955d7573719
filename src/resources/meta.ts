import { z } from "zod";

/**
 * src/resources: our kinds as data: schemas, defaults, rules, printer columns, conditions and reasons. Imports zod and nothing else; no
 * behaviour beyond reading and checking values lives here.
 *
 * This file: the parts that every Kubernetes object shares, ours or not.
 */

/** Names a kind of the Kubernetes API. `group` is "" for the core group. */
export interface ResourceType {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

const ownerReferenceSchema = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  name: z.string(),
  uid: z.string(),
  controller: z.boolean().optional(),
  blockOwnerDeletion: z.boolean().optional(),
});

/** metadata of an object as the apiserver returns it; unknown fields are kept. */
export const objectMetaSchema = z.looseObject({
  name: z.string(),
  namespace: z.string().optional(),
  uid: z.string(),
  resourceVersion: z.string(),
  generation: z.number().int().optional(),
  creationTimestamp: z.string().optional(),
  deletionTimestamp: z.string().optional(),
  deletionGracePeriodSeconds: z.number().optional(),
  labels: z.record(z.string(), z.string()).optional(),
  annotations: z.record(z.string(), z.string()).optional(),
  finalizers: z.array(z.string()).optional(),
  ownerReferences: z.array(ownerReferenceSchema).optional(),
});
export type ObjectMeta = Readonly<z.infer<typeof objectMetaSchema>>;

/** An object of any kind: identity known, the rest not yet looked at. */
export const kubeObjectSchema = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: objectMetaSchema,
});
export type KubeObject = Readonly<z.infer<typeof kubeObjectSchema>>;

/** A condition as metav1.Condition defines it, with the generation that it speaks of. */
export const conditionSchema = z.object({
  type: z.string().describe("What the condition speaks of, for example Ready. One entry per type."),
  status: z.enum(["True", "False", "Unknown"]).describe("True, False, or Unknown while it cannot be told."),
  reason: z
    .string()
    .describe("One word in CamelCase for why the condition has this status; equal to the reason of the event."),
  message: z
    .string()
    .describe("What is the matter and what to do about it, for people. Free of secrets, request ids and timestamps."),
  lastTransitionTime: z
    .string()
    .meta({ description: "When the status last changed from one value to another.", format: "date-time" }),
  observedGeneration: z
    .number()
    .int()
    .optional()
    .describe(
      "The metadata.generation that this condition speaks of; an older one says that the newest spec was not looked at yet.",
    ),
});
export type Condition = Readonly<z.infer<typeof conditionSchema>>;

/** The apiVersion string of a type: "v1", "apps/v1". */
export function apiVersionOf(type: Pick<ResourceType, "group" | "version">): string {
  return type.group === "" ? type.version : `${type.group}/${type.version}`;
}
