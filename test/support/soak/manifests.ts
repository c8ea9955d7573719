import { configMapType, secretType } from "../../../src/controllers/shared/core-types.ts";
import type { ObjectDraft } from "../../../src/kube/client.ts";
import { branchKind } from "../../../src/resources/branch/kind.ts";
import { clusterConnectionKind, connectionKind } from "../../../src/resources/connection/kind.ts";
import { edgeFunctionKind } from "../../../src/resources/edge-function/kind.ts";
import { apiVersionOf, type ResourceType } from "../../../src/resources/meta.ts";
import { projectKind } from "../../../src/resources/project/kind.ts";
import { secretKind } from "../../../src/resources/secret/kind.ts";
import { sourceText } from "../stage/functions.ts";
import { clientIdOf } from "./consents.ts";
import type { DriftPolicy } from "./drift-policy.ts";
import type { DeclaredBranch, DeclaredFunction, DeclaredSecret, Garden, Watcher } from "./garden.ts";

/** Garden's objects, as they are written. */

export const types = {
  connection: connectionKind.type,
  clusterConnection: clusterConnectionKind.type,
  project: projectKind.type,
  branch: branchKind.type,
  function: edgeFunctionKind.type,
  secret: secretKind.type,
  coreSecret: secretType,
  configMap: configMapType,
} as const;

/** The longest that a spec may say: the operators' time passes quicker than the cluster's, by which deletions are dated. */
const patience = { deletionTimeout: "168h", provisioningTimeout: "168h" };
const inShop = { projectRef: { name: "shop" }, ...patience };

export function draft(
  { namespace }: Pick<Garden, "namespace">,
  type: ResourceType,
  name: string,
  rest: object,
): ObjectDraft {
  return { apiVersion: apiVersionOf(type), kind: type.kind, metadata: { name, namespace }, ...rest };
}

/** Where the password of a project's database lies. */
export const DATABASE = { name: "database", key: "password" } as const;
/** Name of a Project's connection Secret. */
export const OUTPUT = "shop-connection";
const outputKeys = ["ref", "password", "publishable-key"].map((key) => ({ key }));
const branchOutputKeys = ["ref", "publishable-key"].map((key) => ({ key }));

/** By which the ClusterConnection knows the namespaces of its garden. */
export const ADMITTED = "garden";

export const specs = {
  connection: (baseUrl: string, garden: Garden): object => ({ baseUrl, ...credentialOf(garden, {}) }),
  clusterConnection: (baseUrl: string, garden: Garden): object => ({
    baseUrl,
    ...credentialOf(garden, { namespace: garden.credentialNamespace }),
    allowedNamespaces: { selector: { matchLabels: { [ADMITTED]: garden.organization } } },
    allowedOrganizations: [garden.organization],
  }),
  project: (organization: string, name: string, driftPolicy: DriftPolicy): object => ({
    organization,
    name,
    ...policyOf({ driftPolicy }),
    state: "Running",
    databasePassword: { secretKeyRef: DATABASE },
    writeConnectionSecretToRef: { name: OUTPUT, keys: outputKeys },
    deletionPolicy: "Delete",
    ...patience,
  }),
  branch: (object: string, { name, ...policy }: DeclaredBranch): object => ({
    ...inShop,
    name,
    ...policyOf(policy),
    writeConnectionSecretToRef: { name: outputOf(object), keys: branchOutputKeys },
  }),
  secret: (name: string, { redeploys, ...policy }: Omit<DeclaredSecret, "values">): object => ({
    ...inShop,
    from: [{ secretRef: { name: valuesOf(name) } }],
    redeployOnSecretChange: redeploys,
    ...policyOf(policy),
  }),
  function: (name: string, { words, verifyJwt, inConfigMap, ...policy }: DeclaredFunction): object => ({
    ...inShop,
    verifyJwt,
    source: inConfigMap ? { configMapRef: { name: sourceOf(name) } } : { inline: { files: filesOf(words) } },
    ...policyOf(policy),
  }),
  watcher: ({ slug, verifyJwt }: Watcher): object => ({
    ...inShop,
    slug,
    verifyJwt,
    source: { inline: { files: filesOf("nobody deploys this") } },
    managementPolicy: "Observe",
  }),
} as const;

/** The default is left out. */
function policyOf({ driftPolicy }: { readonly driftPolicy: DriftPolicy }): object {
  return driftPolicy === "Correct" ? {} : { driftPolicy };
}

/** Name of a Branch's connection Secret. */
export function outputOf(branch: string): string {
  return `${branch}-connection`;
}

/** @param place of the Secrets, where it is not that of the connection itself */
function credentialOf(garden: Garden, place: { readonly namespace?: string }): object {
  const held = (name: string): object => ({ secretRef: { name, ...place } });
  if (garden.credential === "token") return { token: held("token") };
  return { oauth: { clientId: clientIdOf(garden), clientSecret: held("app"), refreshToken: held("consent") } };
}

/** Name of the Kubernetes Secret with the values of a Secret. */
export function valuesOf(name: string): string {
  return `${name}-values`;
}

/** Name of the ConfigMap with the source of a function. */
export function sourceOf(name: string): string {
  return `${name}-source`;
}

export function filesOf(words: string): Readonly<Record<string, string>> {
  return { "index.ts": sourceText(words) };
}
