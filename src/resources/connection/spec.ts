import { z } from "zod";
import { blank, choice, dataKey, list, namespaceName, objectName, secretKeySelector, text } from "../fields.ts";
import { inheritableFields } from "../policies.ts";
import type { Rule } from "../rules.ts";
import { ruled } from "../rules.ts";

/** Connections: where the Management API is, whose credential is used, and what may be reached through it. */

const loopback = "(localhost|127\\.[0-9]{1,3}\\.[0-9]{1,3}\\.[0-9]{1,3}|\\[::1\\])";
const baseUrlPattern = `^(https://[^${blank}/?#@\\\\]+|http://${loopback}(:[0-9]{1,5})?)(/[^${blank}?#\\\\]*)?$`;

const baseUrl = text(
  "Base URL of the Management API, for example https://api.example.com. Plain http is accepted on loopback only.",
  {
    max: 2048,
    pattern: baseUrlPattern,
    message:
      "write an https:// URL without user name, query or fragment; http:// is accepted for localhost, 127.0.0.0/8 and [::1] only",
  },
);

const defaultPrefix = "PLATFORM_";

const shared = {
  baseUrl,
  reservedSecretPrefix: text(
    "Prefix of the secret names that the platform keeps for itself; compared with its case. A Secret object that maps to such a name is refused.",
    {
      max: 64,
      pattern: "^[A-Za-z_][A-Za-z0-9_]*$",
      message: "write the beginning of an environment variable's name, such as PLATFORM_",
    },
  ).default(defaultPrefix),
  defaults: z
    .object(inheritableFields)
    .describe("Policies of the objects that use this connection and do not set their own.")
    .optional(),
};

/** Spec of a Connection: everything lives in its own namespace. */
export const connectionSpec = z.object({
  ...shared,
  token: z
    .object({
      secretRef: secretKeySelector(
        "The Secret with a personal access token. It is read when needed and never copied.",
        "token",
      ),
    })
    .describe("The credential: a personal access token from a Secret."),
});

const everything = "*";
const refOrAll = text("A project ref, or * for every ref.", {
  max: 64,
  pattern: "^(\\*|[a-z]{20})$",
  message: "write a project ref (exactly 20 lower-case letters), or * for every project that the token reaches",
});
const organizationOrAll = text("An organization's slug, or * for every organization.", {
  max: 256,
  pattern: "^(\\*|[A-Za-z0-9_-]+)$",
  message:
    "write an organization's slug (letters, digits, '-' and '_'), or * for every organization that the token reaches",
});

const labelSelector = z
  .object({
    matchLabels: z
      .record(z.string(), z.string().max(63))
      .meta({ description: "Labels that must all have exactly these values.", maxProperties: 32 })
      .optional(),
    matchExpressions: list(
      "Conditions on labels that must all hold.",
      z.object({
        key: text("The label's key.", { max: 317 }),
        operator: choice("How the label is compared.", ["In", "NotIn", "Exists", "DoesNotExist"]),
        values: list("The values for In and NotIn; empty for the others.", z.string().max(63), {
          type: "set",
          max: 32,
        }).optional(),
      }),
      { type: "atomic", max: 16 },
    ).optional(),
  })
  .meta({ description: "Labels that a namespace must have.", "x-kubernetes-map-type": "atomic" });

interface AllowedNamespaces {
  readonly from: string;
  readonly names?: readonly string[] | undefined;
  readonly selector?: unknown;
}

const selectedNeedsNames: Rule<AllowedNamespaces> = {
  cel: "self.from == 'All' ? !has(self.names) && !has(self.selector) : has(self.names) || has(self.selector)",
  message: "with from: Selected give names, selector or both; with from: All give neither",
  holds: ({ from, names, selector }) => {
    const given = names !== undefined || selector !== undefined;
    return from === "All" ? !given : given;
  },
};

const allowedNamespaces = ruled(
  z
    .object({
      from: choice("All namespaces, or those Selected by names or selector.", ["All", "Selected"]).default("Selected"),
      names: list("Namespaces that may use this connection.", namespaceName("Name of a namespace."), {
        type: "set",
        max: 256,
      }).optional(),
      selector: labelSelector.optional(),
    })
    .describe(
      "Which namespaces may use this connection. A namespace is admitted if names has it or selector matches its labels.",
    ),
  [selectedNeedsNames],
);

/** Spec of a ClusterConnection: shared by namespaces, within bounds that its owner sets. */
export const clusterConnectionSpec = z.object({
  ...shared,
  token: z
    .object({
      secretRef: z
        .object({
          name: objectName("Name of the Secret."),
          namespace: namespaceName("Namespace of the Secret."),
          key: dataKey("Key in the Secret that holds the token.").default("token"),
        })
        .describe("The Secret with a personal access token. It is read when needed and never copied."),
    })
    .describe("The credential: a personal access token from a Secret."),
  allowedNamespaces,
  allowedOrganizations: list(
    'Organizations in which objects may create and manage projects; ["*"] admits all that the token reaches.',
    organizationOrAll,
    {
      type: "set",
      max: 256,
    },
  ).default([everything]),
  allowedRefs: list(
    'Existing projects that objects may take over (spec.ref, projectRef.ref, adoption by name). Empty admits none, ["*"] all that the token reaches. ' +
      "Projects that an object created itself need no entry.",
    refOrAll,
    { type: "set", max: 1024 },
  ).default([]),
});

export type ConnectionSpec = z.output<typeof connectionSpec>;
export type ClusterConnectionSpec = z.output<typeof clusterConnectionSpec>;
