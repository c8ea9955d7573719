import { z } from "zod";
import { dataKey, list, objectName, text } from "../fields.ts";
import { celString, type Rule, ruled } from "../rules.ts";
import { statusText } from "../status.ts";
import {
  configMapVariables,
  explainVariables,
  isOutputVariable,
  type OutputVariable,
  secretVariables,
  serviceKeyVariable,
  usualSecretVariables,
} from "./variables.ts";

/** Connection outputs of Projects and Branches: a Secret and a ConfigMap with what a program needs to reach them. */

/** Entries that every output Secret has: the Service Binding layout. Its own type is SECRET_TYPE_PREFIX and this `type`. */
export const BINDING_ENTRIES = { type: "postgresql", provider: "baas.dev" } as const;
export const BINDING_SECRET_TYPE = `servicebinding.io/${BINDING_ENTRIES.type}`;

/** `$(name)`, and `$$(` for a `$(` that begins none, as in the command of a container. Its group is what follows the first dollar. */
const MENTION = /\$(\$\(|\([a-z-]+\))/gu;

/** A piece of a value: text as it stands, or a variable. */
export type ValuePart = { readonly text: string } | { readonly variable: OutputVariable };

/** A value in its pieces. Nothing of it is evaluated: a variable is a name and no more. */
export function partsOfValue(value: string): readonly ValuePart[] {
  // A split by an expression with one group: texts at even places, mentions at odd ones. That of an escape is the text that it stands for.
  return value.split(MENTION).flatMap((piece, at): readonly ValuePart[] => {
    const name = piece.slice(1, -1);
    if (at % 2 === 1 && isOutputVariable(name)) return [{ variable: name }];
    return piece === "" ? [] : [{ text: piece }];
  });
}

/** Texts in which every `$(` begins the name of a variable, unless it is escaped. The same to JavaScript and RE2. */
function valuePattern(names: readonly OutputVariable[]): string {
  return `^([^$]|\\$\\((${names.join("|")})\\)|\\$\\$\\(|\\$+([^$(]|$))+$`;
}

interface OutputEntry {
  readonly key: string;
  readonly value?: string | undefined;
}

function isNamed(names: readonly OutputVariable[]): Rule<OutputEntry> {
  return {
    cel: `has(self.value) || self.key in [${names.map((name) => celString(name)).join(", ")}]`,
    message: `a key without a value must be one of ${names.join(", ")}: add a value such as $(${names[0] ?? ""})`,
    fieldPath: ".key",
    holds: ({ key, value }) => value !== undefined || names.some((name) => name === key),
  };
}

const unreserved: Rule<OutputEntry> = {
  cel: `!(self.key in [${Object.keys(BINDING_ENTRIES).map(celString).join(", ")}])`,
  message: "type and provider are always written, as Service Binding has them: choose another key",
  fieldPath: ".key",
  holds: ({ key }) => !Object.hasOwn(BINDING_ENTRIES, key),
};

const entryFields = (names: readonly OutputVariable[]) => ({
  key: dataKey("Key to write. Without a value it holds the variable of its own name."),
  value: text(
    "What the key holds: text in which $(name) stands for a variable, for example $(uri)?sslmode=require, and $$( for $( itself. There is no other expression. When omitted: $(<key>).",
    {
      max: 2048,
      pattern: valuePattern(names),
      message: `write text in which each $( begins a variable and ends with ): $(name) with a name of ${names.join(", ")}; $( as text is written $$(`,
    },
  ).optional(),
});

function keysField<Item extends z.ZodType>(item: Item, names: readonly OutputVariable[], usual: string) {
  const description = `The keys to write, in place of ${usual}. Variables: ${explainVariables(names)}.`;
  return list(description, item, { type: { keys: ["key"] }, max: 64, min: 1 });
}

interface SecretOutput {
  readonly keys?: readonly OutputEntry[] | undefined;
  readonly includeServiceKey: boolean;
}

const mention = `$(${serviceKeyVariable})`;

const serviceKeyAllowed: Rule<SecretOutput> = {
  cel:
    "self.includeServiceKey || !has(self.keys) || !self.keys.exists(entry, " +
    `has(entry.value) ? entry.value.contains(${celString(mention)}) : entry.key == ${celString(serviceKeyVariable)})`,
  message: `${serviceKeyVariable} passes by every row-level policy and is written only with includeServiceKey: true`,
  fieldPath: ".keys",
  holds: ({ includeServiceKey, keys = [] }) =>
    includeServiceKey || !keys.some(({ key, value = `$(${key})` }) => value.includes(mention)),
};

const secretOutput = ruled(
  z
    .object({
      name: objectName("Name of the Secret, in the namespace of this object."),
      keys: keysField(
        ruled(z.object(entryFields(secretVariables)), [isNamed(secretVariables), unreserved]),
        secretVariables,
        usualSecretVariables.join(", "),
      ).optional(),
      includeServiceKey: z
        .boolean()
        .describe(
          `Whether the Secret may hold ${serviceKeyVariable}, which passes by every row-level policy. Few programs need it, so that it is written only where this says so.`,
        )
        .default(false),
    })
    .describe(
      "The Secret to write with what a program needs to connect, in the layout of Service Binding (keys type and provider, type " +
        `${BINDING_SECRET_TYPE}; status.binding names it). It belongs to this object: made when all its values are there, written again when one ` +
        "changes, put back when somebody edits or deletes it, and deleted with this object or when another name stands here. One that exists and was not " +
        "made for this object is never written.",
    ),
  [serviceKeyAllowed],
);

const configMapOutput = z
  .object({
    name: objectName("Name of the ConfigMap, in the namespace of this object."),
    keys: keysField(
      ruled(z.object(entryFields(configMapVariables)), [isNamed(configMapVariables)]),
      configMapVariables,
      "all of them",
    ).optional(),
  })
  .describe(
    "The ConfigMap to write with what is no secret: addresses and names, and no key of any kind. It belongs to this object as its Secret does.",
  );

/** The members of a spec that ask for outputs. */
export const outputFields = {
  writeConnectionSecretToRef: secretOutput.optional(),
  writeConnectionConfigMapToRef: configMapOutput.optional(),
};

/** The member of a status that tells of them: what Service Binding calls a provisioned service. */
export const outputStatusFields = {
  binding: z
    .object({ name: statusText("Name of the Secret.") })
    .describe("The Secret to bind to, once it was written: what Service Binding looks for.")
    .optional(),
};
