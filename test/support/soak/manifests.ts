import { configMapType, secretType } from "../../../src/controllers/shared/core-types.ts";
import type { ObjectDraft } from "../../../src/kube/client.ts";
import { branchKind } from "../../../src/resources/branch/kind.ts";
import { connectionKind } from "../../../src/resources/connection/kind.ts";
import { edgeFunctionKind } from "../../../src/resources/edge-function/kind.ts";
import { apiVersionOf, type ResourceType } from "../../../src/resources/meta.ts";
import { projectKind } from "../../../src/resources/project/kind.ts";
import { secretKind } from "../../../src/resources/secret/kind.ts";
import { sourceText } from "../stage/functions.ts";
import { clientIdOf } from "./consents.ts";
import type { DeclaredFunction, Garden } from "./garden.ts";

/** Garden's objects, as they are written. */

export const types = {
  connection: connectionKind.type,
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

export const specs = {
  connection: (baseUrl: string, garden: Garden): object => ({
    baseUrl,
    ...(garden.credential === "token" ? { token: { secretRef: { name: "token" } } } : { oauth: oauthOf(garden) }),
  }),
  project: (organization: string, name: string): object => ({
    organization,
    name,
    deletionPolicy: "Delete",
    ...patience,
  }),
  branch: (name: string): object => ({ ...inShop, name }),
  secret: (name: string): object => ({ ...inShop, from: [{ secretRef: { name: valuesOf(name) } }] }),
  function: (name: string, { words, verifyJwt, inConfigMap, reports }: DeclaredFunction): object => ({
    ...inShop,
    verifyJwt,
    source: inConfigMap ? { configMapRef: { name: sourceOf(name) } } : { inline: { files: filesOf(words) } },
    ...(reports ? { driftPolicy: "Report" } : {}),
  }),
} as const;

function oauthOf(garden: Garden): object {
  return {
    clientId: clientIdOf(garden),
    clientSecret: { secretRef: { name: "app" } },
    refreshToken: { secretRef: { name: "consent" } },
  };
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
