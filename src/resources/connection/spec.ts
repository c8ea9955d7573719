import { z } from "zod";
import { choice, dataKey, list, namespaceName, objectName, secretKeySelector, text } from "../fields.ts";
import { inheritableFields } from "../policies.ts";
import type { Rule } from "../rules.ts";
import { exactlyOne, ruled } from "../rules.ts";
import { baseUrl } from "./base-url.ts";

/** Connections: where the Management API is, whose credential is used, and what may be reached through it. */

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

const clientId = text("Client id of the OAuth app. Request budgets are counted by it.", {
  max: 256,
  pattern: "^[!-~]+$",
  message: "write the app's client id as the platform shows it, without blanks",
});

/**
 * The ways to be let in, of which a connection has one.
 *
 * @param secretRef names a key of a Secret, which is what the two kinds do differently
 */
function credentialFields<Ref extends z.ZodObject>(secretRef: (description: string, key: string) => Ref) {
  const held = (description: string, key: string) =>
    z.object({ secretRef: secretRef(`The Secret that holds it.`, key) }).describe(description);
  return {
    token: z
      .object({
        secretRef: secretRef(
          "The Secret with a personal access token. It is read when needed and never copied.",
          "token",
        ),
      })
      .describe("A credential: a personal access token from a Secret.")
      .optional(),
    oauth: z
      .object({
        clientId,
        clientSecret: held("The app's client secret.", "client-secret"),
        refreshToken: held("The refresh token that a user's consent gave the app.", "refresh-token"),
      })
      .describe(
        "A credential: an OAuth app that a user authorized. The platform replaces the refresh token at each use; the newest one is kept in a Secret of " +
          "the operator's own, so that the one named here is used once and an old one put back is not used again. Another one begins anew.",
      )
      .optional(),
    workloadIdentity: z
      .object({
        clientId,
        clientSecret: held("The app's client secret, where the app has to show one.", "client-secret").optional(),
      })
      .describe(
        "A credential: an OAuth app that trusts the operator's ServiceAccount, whose token is exchanged for access tokens. Nothing is stored. " +
          "The operator must be installed with a token for it.",
      )
      .optional(),
  };
}

const oneCredential = exactlyOne(
  ["token", "oauth", "workloadIdentity"],
  "set exactly one of token (a personal access token), oauth (an app's client id, client secret and refresh token) and workloadIdentity " +
    "(an app that trusts the operator's ServiceAccount)",
);

/** Spec of a Connection: everything lives in its own namespace. */
export const connectionSpec = ruled(z.object({ ...shared, ...credentialFields(secretKeySelector) }), [oneCredential]);

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

function anySecretKey(description: string, key: string) {
  return z
    .object({
      name: objectName("Name of the Secret."),
      namespace: namespaceName("Namespace of the Secret."),
      key: dataKey("Key in the Secret that holds the value.").default(key),
    })
    .describe(description);
}

/** Spec of a ClusterConnection: shared by namespaces, within bounds that its owner sets. */
export const clusterConnectionSpec = ruled(
  z.object({
    ...shared,
    ...credentialFields(anySecretKey),
    allowedNamespaces,
    allowedOrganizations: list(
      'Organizations in which objects may create and manage projects; ["*"] admits all that the token reaches.',
      organizationOrAll,
      // Not a set: server-side apply would add to the default what somebody restricts it to, and so leave everything admitted.
      { type: "atomic", max: 256 },
    ).default([everything]),
    allowedRefs: list(
      'Existing projects that objects may take over (spec.ref, projectRef.ref, adoption by name). Empty admits none, ["*"] all that the token reaches. ' +
        "Projects that an object created itself need no entry, unless they go over to this connection from another platform.",
      refOrAll,
      { type: "set", max: 1024 },
    ).default([]),
  }),
  [oneCredential],
);

export type ConnectionSpec = z.output<typeof connectionSpec>;
export type ClusterConnectionSpec = z.output<typeof clusterConnectionSpec>;
