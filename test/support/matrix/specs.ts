import { requestAnnotation } from "../../../src/resources/requests.ts";
import { sourceText } from "../stage/functions.ts";

/** What a family declares, as it is applied first and as it is edited. */

/**
 * What a family is made of. `plain`: a Connection, a Branch of the least that there is, a function that is written into its object. `full`: a
 * ClusterConnection in the Connection's place, a Branch with settings, an output, and something that it is asked for, a function that Flux publishes.
 */
export const forms = ["plain", "full"] as const;
export type Form = (typeof forms)[number];

/** How often an object was edited. */
export type Edition = "first" | "second" | "third";

/** Where a family is: its namespace is called as its organization, and as its ClusterConnection. */
interface Place {
  readonly namespace: string;
  readonly platformUrl: string;
  readonly form: Form;
}

/** Kinds that are configured, put out Secrets and are asked for things. */
export const configurable = ["Project", "Branch"] as const;
export type Configurable = (typeof configurable)[number];

/** Secrets of what programs need to connect. */
export const outputs: Readonly<Record<Configurable, string>> = {
  Project: "shop-connection",
  Branch: "preview-connection",
};

/** What is asked for once. Whoever is in doubt whether it was done may not do it again; of the first nothing on the platform tells. */
export const requests = {
  Project: { verb: "shut-down-realtime", operation: "realtime.shutdown" },
  Branch: { verb: "restart", operation: "projects.restart" },
} as const satisfies Readonly<Record<Configurable, object>>;

/** What Flux publishes the function of. */
export const REPOSITORY = "app";

/** As an artifact has them. */
export function publishedFiles(edition: Edition): Readonly<Record<string, string>> {
  return { "hello/index.ts": sourceText(edition) };
}

/** Of the project's Storage, MiB. */
export const fileSizeLimits: Readonly<Record<Edition, number>> = { first: 20, second: 30, third: 40 };
/** Of the branch's Data API. */
export const maxRows: Readonly<Record<Edition, number>> = { first: 200, second: 300, third: 400 };

/** Of one section whose answer to a write tells everything, and of one whose answer tells nothing. */
function settingsOf(edition: Edition): object {
  const clientSecret = { secretKeyRef: { name: "values", key: "TURNED" } };
  return {
    auth: {
      siteUrl: `https://${edition}.example.com`,
      providers: { github: { enabled: true, clientId: "shop", clientSecret } },
    },
    storage: { fileSizeLimit: `${fileSizeLimits[edition]}Mi` },
  };
}

/** The keys that no password is needed for. */
const branchKeys = ["ref", "publishable-key"].map((key) => ({ key }));

/** Of a section that its Project does not have, so that requests about it are known for the Branch's. */
function branchSettingsOf(edition: Edition): object {
  return { dataApi: { maxRows: maxRows[edition] } };
}

/** Annotation that asks for it once more. */
export function askedWith(kind: Configurable, id: string): Readonly<Record<string, string>> {
  return { [requestAnnotation(requests[kind].verb)]: id };
}

const inline = (words: string): object => ({ source: { inline: { files: { "index.ts": sourceText(words) } } } });
const published = { source: { artifactRef: { kind: "GitRepository", name: REPOSITORY, path: "hello" } } };
const inShop = { projectRef: { name: "shop" } };

/** The specs as they are applied first. Names are declared, so that a copied manifest asks for the very same things. */
export function specOf(kind: string, { namespace, platformUrl, form }: Place): object {
  const isFull = form === "full";
  switch (kind) {
    case "Connection":
      return { baseUrl: platformUrl, token: { secretRef: { name: "token" } } };
    case "ClusterConnection":
      return {
        baseUrl: platformUrl,
        token: { secretRef: { name: "token", namespace } },
        allowedNamespaces: { names: [namespace] },
        allowedRefs: ["*"],
      };
    case "Project":
      return {
        organization: namespace,
        name: "shop",
        ...(isFull ? { connectionRef: { kind: "ClusterConnection", name: namespace } } : {}),
        deletionPolicy: "Delete",
        ...settingsOf("first"),
        writeConnectionSecretToRef: { name: outputs.Project },
      };
    case "Branch":
      return {
        ...inShop,
        name: "preview",
        ...(isFull
          ? {
              ...branchSettingsOf("first"),
              writeConnectionSecretToRef: { name: outputs.Branch, keys: branchKeys },
            }
          : {}),
      };
    case "EdgeFunction":
      return { ...inShop, slug: "hello", ...(isFull ? published : inline("first")) };
    default:
      return { ...inShop, from: [{ secretRef: { name: "values" } }], redeployOnSecretChange: true };
  }
}

/** What of a spec is edited. */
export function editOf(kind: string, edition: Edition, form: Form): object | undefined {
  const settings = form === "full" ? branchSettingsOf(edition) : {};
  const edits = new Map<string, object>([
    ["Project", { name: nameIn("shop", edition), ...settingsOf(edition) }],
    ["Branch", { name: nameIn("preview", edition), notifyUrl: `https://example.com/${edition}`, ...settings }],
    ["EdgeFunction", { ...(form === "full" ? {} : inline(edition)), verifyJwt: false }],
  ]);
  return edits.get(kind);
}

/** Which of its objects is asked for something with an edit. */
export function isAsked(kind: string, form: Form): kind is Configurable {
  return kind === "Project" || (kind === "Branch" && form === "full");
}

export function nameIn(name: string, edition: Edition): string {
  return edition === "first" ? name : `${name}-${edition}`;
}

/** Values of the Secret: one stays, one changes, one goes with the first edit. */
export function valuesIn(edition: Edition): Readonly<Record<string, string>> {
  return { KEPT: "kept", TURNED: edition, ...(edition === "first" ? { DROPPED: "dropped" } : {}) };
}
