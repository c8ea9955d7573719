import { z } from "zod";
import { list, moment, toldText } from "./fields.ts";
import { conditionSchema } from "./meta.ts";

/**
 * What every status holds. Rules of engine.md §7: nothing here changes while nothing changes (no counters, heartbeats, budgets), and
 * nothing is secret.
 */

/**
 * A text in a status, of what this program made or its objects declare; what others tell is `toldText`. Lists in a status are atomic (nothing else writes
 * them), and times that the platform reports stay text, since the apiserver would refuse the whole status for one odd value.
 */
export function statusText(description: string): z.ZodString {
  return z.string().describe(description);
}

function effectivePolicy(name: string): z.ZodOptional<
  z.ZodObject<{
    value: z.ZodString;
    origin: z.ZodString;
  }>
> {
  return z
    .object({
      value: statusText(`The ${name} in effect.`),
      origin: statusText("Where it was set: Object, Connection, Operator, or Default where none of them did."),
    })
    .meta({ description: `The ${name} in effect and where it was set.` })
    .optional();
}

const connectionInUseSchema = z
  .object({
    kind: statusText("Connection or ClusterConnection."),
    name: statusText("Name of the connection."),
    identity: statusText("Whose credential it was: the account or OAuth client that requests were made as."),
    server: statusText(
      "Base URL of the platform that it was. Absent in records that are older than this field.",
    ).optional(),
  })
  .describe("The connection that the remote side was last reached through.");

/** Status of kinds that manage nothing remote themselves. */
export const baseStatusFields = {
  conditions: list("What is the case now, as Kubernetes conditions.", conditionSchema, {
    type: { keys: ["type"] },
    max: 32,
  }).default([]),
  observedGeneration: z
    .int()
    .min(-1)
    .default(-1)
    .describe("The metadata.generation that this status speaks of; -1 before the first look."),
  lastHandledReconcileAt: statusText(
    "The value of the annotation baas.dev/reconcile-at that was last acted on.",
  ).optional(),
};

/** Status of every kind that manages something remote. */
export const commonStatusFields = {
  ...baseStatusFields,
  effective: z
    .object({
      driftPolicy: effectivePolicy("driftPolicy"),
      managementPolicy: effectivePolicy("managementPolicy"),
      driftInterval: effectivePolicy("driftInterval"),
      deletionPolicy: effectivePolicy("deletionPolicy"),
    })
    .describe("Policies in effect, with where each was set.")
    .optional(),
  connection: connectionInUseSchema.optional(),
  recordedFor: statusText(
    "metadata.uid of the object that the recorded identity (ref, id) belongs to; with another uid it is void.",
  ).optional(),
  syncedGeneration: z
    .int()
    .describe(
      "The metadata.generation whose declared fields were last seen, or written, remotely; a difference at this generation is drift, at a newer one an edit.",
    )
    .optional(),
  underway: z
    .object({
      operation: statusText("What is under way: Creating, Pausing, Resuming, Deploying, Deleting and the like."),
      since: moment("When it began; compared with provisioningTimeout or deletionTimeout."),
    })
    .describe("A remote change that has not ended, with the time it began. Absent at rest.")
    .optional(),
};

/** Written before a create request is sent, so that a lost answer never makes two (engine.md §4). */
export const intentSchema = z
  .object({
    name: statusText("The remote name asked for."),
    fingerprint: statusText("Digest of the create request, without its secrets."),
    time: moment("The server's clock when nothing of that name existed and the request was about to be sent."),
    uid: statusText("metadata.uid of the object that meant it; an intent with another uid is void."),
  })
  .describe("A create request that was recorded as about to be sent and whose result is not known yet.");
export type Intent = Readonly<z.infer<typeof intentSchema>>;

/** What was last sent for a field that cannot be read back: enough to tell a changed Secret, not enough to tell its value. */
export const sentValueSchema = z
  .object({
    hash: statusText("Keyed hash of the value last sent; never the value."),
    keyId: statusText("Which key of the operator's key ring made the hash."),
    secretUid: statusText("metadata.uid of the Secret it came from."),
    secretResourceVersion: statusText("metadata.resourceVersion of that Secret when it was read."),
  })
  .describe("What was last sent, as a keyed hash with the version of the Secret it came from.");
export type SentValue = Readonly<z.infer<typeof sentValueSchema>>;

export const servicesField = list(
  "Health of the services, as the platform reports it.",
  z.object({
    name: toldText("Name of the service, for example auth or db."),
    healthy: z.boolean().describe("Whether the platform calls it healthy."),
    state: toldText("Its state in the platform's words, for example ACTIVE_HEALTHY."),
    message: toldText("What the platform says is wrong.").optional(),
  }),
  { type: "atomic", max: 64 },
).optional();
