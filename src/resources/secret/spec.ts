import { z } from "zod";
import { dataKey, list, objectName, text } from "../fields.ts";
import { commonFields, deletionPolicyField } from "../policies.ts";
import { connectionOnlyForUnmanaged, exactlyOneParent, parentFields } from "../references.ts";
import type { Rule } from "../rules.ts";
import { celString, immutable, ruled } from "../rules.ts";

/** Spec of a Secret: which keys of which Kubernetes Secrets are environment secrets of the functions. Values never stand here. */

const variableMessage =
  "write the name of an environment variable: letters, digits and '_', not beginning with a digit";
const variablePattern = "^[A-Za-z_][A-Za-z0-9_]*$";

const longestVariable = 256;
const isVariable = new RegExp(variablePattern);

const keyMapping = z.object({
  key: dataKey("Key in the Secret."),
  as: text("Name of the environment secret, after the prefix; the key when omitted.", {
    max: longestVariable,
    pattern: variablePattern,
    message: variableMessage,
  }).optional(),
});

interface KeyMapping {
  readonly key: string;
  readonly as?: string | undefined;
}

interface SourceEntry {
  readonly keys?: readonly KeyMapping[] | undefined;
  readonly prefix?: string | undefined;
}

/** The name of an environment secret: the prefix of its entry, then `as` or else the key (facts.md §2 limits it to 256 characters). */
export function variableName(entry: Pick<SourceEntry, "prefix">, mapping: KeyMapping): string {
  return `${entry.prefix ?? ""}${mapping.as ?? mapping.key}`;
}

/*
 * The rules: `as` is a reserved word of CEL, in which the field is written __as__. Only truth values are chosen between, never texts: of a
 * chosen or joined text the apiserver knows no length, and refuses the rule as too costly.
 */

const namesAreVariables: Rule<SourceEntry> = {
  cel:
    "!has(self.keys) || self.keys.all(k, has(k.__as__) || " +
    `(has(self.prefix) ? k.key.matches("^[A-Za-z0-9_]+$") : k.key.matches(${celString(variablePattern)})))`,
  message: `a key gives no name of an environment variable: set as for it; ${variableMessage}`,
  fieldPath: ".keys",
  holds: (entry) => (entry.keys ?? []).every((mapping) => isVariable.test(variableName(entry, mapping))),
};

const namesFit: Rule<SourceEntry> = {
  cel:
    "!has(self.keys) || !has(self.prefix) || " +
    `self.keys.all(k, size(self.prefix) + size(has(k.__as__) ? k.__as__ : k.key) <= ${longestVariable})`,
  message: `prefix and as (or key, where as is omitted) make a name of more than ${longestVariable} characters: shorten one`,
  fieldPath: ".keys",
  holds: (entry) => (entry.keys ?? []).every((mapping) => variableName(entry, mapping).length <= longestVariable),
};

const namesAreDistinct: Rule<SourceEntry> = {
  cel:
    "!has(self.keys) || self.keys.all(a, self.keys.exists_one(b, " +
    "has(a.__as__) ? (has(b.__as__) ? a.__as__ == b.__as__ : a.__as__ == b.key) : " +
    "(has(b.__as__) ? a.key == b.__as__ : a.key == b.key)))",
  message: "two keys give the same name: remove one, or give it another name with as",
  fieldPath: ".keys",
  holds: ({ keys = [] }) => new Set(keys.map((mapping) => variableName({}, mapping))).size === keys.length,
};

const sourceEntry = ruled(
  z.object({
    secretRef: z
      .object({ name: objectName("Name of a Kubernetes Secret in this namespace.") })
      .describe("The Kubernetes Secret that holds the values."),
    keys: list("Keys that are taken; every key when omitted.", keyMapping, {
      type: "atomic",
      max: 64,
      min: 1,
    }).optional(),
    prefix: text("Put before the name of each secret of this entry.", {
      max: 128,
      pattern: variablePattern,
      message: variableMessage,
    }).optional(),
  }),
  [namesAreVariables, namesFit, namesAreDistinct],
);

const secretSpecFields = z.object({
  ...parentFields,
  from: list("Where the secrets come from. A name that two entries give is refused.", sourceEntry, {
    type: "atomic",
    max: 16,
    min: 1,
  }),
  redeployOnSecretChange: z
    .boolean()
    .describe(
      "Whether the EdgeFunctions of the same project or branch are deployed again, once for each change, when this object has set or deleted " +
        "values there, so that they read the new environment. Deleting the object deploys nothing.",
    )
    .default(false),
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
