import { z } from "zod";
import { dataKey, list, objectName, text } from "../fields.ts";
import { commonFields, deletionPolicyField } from "../policies.ts";
import { connectionOnlyForUnmanaged, exactlyOneParent, parentFields } from "../references.ts";
import { immutable, ruled } from "../rules.ts";

/** Spec of a Secret: which keys of which Kubernetes Secrets are environment secrets of the functions. Values never stand here. */

const variableMessage =
  "write the name of an environment variable: letters, digits and '_', not beginning with a digit";
const variablePattern = "^[A-Za-z_][A-Za-z0-9_]*$";

const keyMapping = z.object({
  key: dataKey("Key in the Secret."),
  as: text("Name of the environment secret, after the prefix; the key when omitted.", {
    max: 256,
    pattern: variablePattern,
    message: variableMessage,
  }).optional(),
});

const sourceEntry = z.object({
  secretRef: z
    .object({ name: objectName("Name of a Kubernetes Secret in this namespace.") })
    .describe("The Kubernetes Secret that holds the values."),
  keys: list("Keys that are taken; every key when omitted.", keyMapping, {
    type: "atomic",
    max: 100,
    min: 1,
  }).optional(),
  prefix: text("Put before the name of each secret of this entry.", {
    max: 128,
    pattern: variablePattern,
    message: variableMessage,
  }).optional(),
});

const secretSpecFields = z.object({
  ...parentFields,
  from: list("Where the secrets come from. A name that two entries give is refused.", sourceEntry, {
    type: "atomic",
    max: 32,
    min: 1,
  }),
  ...commonFields,
  deletionPolicy: deletionPolicyField(
    "What happens to the remote secrets that this object set when it is deleted. If the Project or Branch is kept, or released, they are kept too.",
  ).default("Delete"),
});

export const secretSpec = ruled(secretSpecFields, [
  exactlyOneParent,
  immutable("projectRef", "projectRef is fixed: delete this Secret object and create it again for the other project"),
  immutable("branchRef", "branchRef is fixed: delete this Secret object and create it again for the other branch"),
  connectionOnlyForUnmanaged,
]);
export type SecretSpec = z.output<typeof secretSpec>;
