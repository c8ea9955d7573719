import { z } from "zod";
import { choice, duration, objectName } from "./fields.ts";
import { driftPolicies, managementPolicies } from "./policy-choices.ts";

/**
 * The fields that every managed kind has, flattened into its spec. Those that a connection or the operator may also set have no default in
 * the CRD, so that "not set here" can be told from a value; the one in effect and where it came from stand in status.effective.
 */

export type DriftPolicy = (typeof driftPolicies)[number];
export type ManagementPolicy = (typeof managementPolicies)[number];

const deletionPolicies = ["Retain", "Delete"] as const;
export type DeletionPolicy = (typeof deletionPolicies)[number];

const adoptionPolicies = ["Never", "IfNameMatches"] as const;
export type AdoptionPolicy = (typeof adoptionPolicies)[number];

/** Where a policy in effect was set; the first that sets it wins, in this order (engine.md §6). */
export type PolicyOrigin = "Object" | "Connection" | "Operator" | "Default";

/** `deletionTimeout` where an object does not say. */
export const DEFAULT_DELETION_TIMEOUT = "15m";

const connectionKinds = ["Connection", "ClusterConnection"] as const;
export type ConnectionKind = (typeof connectionKinds)[number];

/** What an object, its connection or the operator may set, in that order. */
export const inheritableFields = {
  driftPolicy: choice(
    "What happens when the remote side no longer matches the declared fields: Correct writes them again, Report only sets the condition Drifted, " +
      "Ignore does not look. Inherited from the connection, then from the operator (Correct), when omitted.",
    driftPolicies,
  ).optional(),
  managementPolicy: choice(
    "Manage creates, changes and deletes; Observe only reads and reports. Inherited from the connection, then from the operator (Manage), when omitted.",
    managementPolicies,
  ).optional(),
  driftInterval: duration(
    "How often the remote side is compared with the declared fields, for example 10m. Inherited from the connection, then from the operator, when omitted.",
    { atLeast: "30s", atMost: "168h" },
  ).optional(),
};

const connectionRefSchema = z
  .object({
    kind: choice("Connection (of this namespace) or ClusterConnection.", connectionKinds).default("Connection"),
    name: objectName("Name of the connection."),
  })
  .meta({
    description:
      "The connection that reaches the Management API. When omitted: the Connection named default in this namespace, " +
      "else the ClusterConnection named default, if it admits this namespace.",
  });

/** Fields of every kind that manages something remote. `deletionPolicy` is added by each, since its default differs. */
export const commonFields = {
  ...inheritableFields,
  connectionRef: connectionRefSchema.optional(),
  adoptionPolicy: choice(
    "What happens when something of the same name exists that this object did not create: Never reports Conflict and writes nothing, " +
      "IfNameMatches takes it over.",
    adoptionPolicies,
  ).default("Never"),
  provisioningTimeout: duration(
    "How long something under way (creating, pausing, restoring, deploying) may take before the object is reported as Stalled. It is still watched " +
      "afterwards, and nothing is deleted or created again.",
    { atLeast: "1m", atMost: "168h" },
  ).default("30m"),
  deletionTimeout: duration(
    "How long a deletion may wait in a namespace that is being deleted, or without a usable credential, before the object is let go with a warning. " +
      "Elsewhere a deletion waits until it succeeds or is released by hand.",
    { atLeast: "1m", atMost: "168h" },
  ).default(DEFAULT_DELETION_TIMEOUT),
};

/** The deletionPolicy of a kind; the description says the kind's default. */
export function deletionPolicyField(description: string): z.ZodEnum<{ Retain: "Retain"; Delete: "Delete" }> {
  return choice(description, deletionPolicies);
}
