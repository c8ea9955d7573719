import { requestAnnotation } from "../../../src/resources/requests.ts";
import { sourceText } from "../stage/functions.ts";

/** What a family declares, as it is applied first and as it is edited. */

/** How often an object was edited. */
export type Edition = "first" | "second" | "third";

/** Where a family is: its namespace is called as its organization. */
interface Place {
  readonly namespace: string;
  readonly platformUrl: string;
}

/** Secret of what programs need to connect. */
export const OUTPUT = "shop-connection";
/** Nothing on the platform tells whether it was done: whoever is in doubt may not do it again. */
export const ASKED = "shut-down-realtime";
/** Operation that carries it out. */
export const ASKED_OPERATION = "realtime.shutdown";

/** In MiB. */
export const fileSizeLimits: Readonly<Record<Edition, number>> = { first: 20, second: 30, third: 40 };

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

const outputsOf = { writeConnectionSecretToRef: { name: OUTPUT } };

/** Annotation that asks for it once more. */
export function askedWith(edition: Edition): Readonly<Record<string, string>> {
  return { [requestAnnotation(ASKED)]: edition };
}

const source = (words: string): object => ({ inline: { files: { "index.ts": sourceText(words) } } });
/** The longest that a spec may say: driven time passes quickly. */
const patience = { deletionTimeout: "168h", provisioningTimeout: "168h" };
const inShop = { projectRef: { name: "shop" }, ...patience };

/** The specs as they are applied first. Names are declared, so that a copied manifest asks for the very same things. */
export function specOf(kind: string, { namespace, platformUrl }: Place): object {
  switch (kind) {
    case "Connection":
      return { baseUrl: platformUrl, token: { secretRef: { name: "token" } } };
    case "Project":
      return {
        organization: namespace,
        name: "shop",
        deletionPolicy: "Delete",
        ...patience,
        ...settingsOf("first"),
        ...outputsOf,
      };
    case "Branch":
      return { ...inShop, name: "preview" };
    case "EdgeFunction":
      return { ...inShop, slug: "hello", source: source("first") };
    default:
      return { ...inShop, from: [{ secretRef: { name: "values" } }], redeployOnSecretChange: true };
  }
}

/** What of a spec is edited. */
export function editOf(kind: string, edition: Edition): object | undefined {
  const edits = new Map<string, object>([
    ["Project", { name: nameIn("shop", edition), ...settingsOf(edition) }],
    ["Branch", { name: nameIn("preview", edition), notifyUrl: `https://example.com/${edition}` }],
    ["EdgeFunction", { source: source(edition), verifyJwt: false }],
  ]);
  return edits.get(kind);
}

export function nameIn(name: string, edition: Edition): string {
  return edition === "first" ? name : `${name}-${edition}`;
}

/** Values of the Secret: one stays, one changes, one goes with the first edit. */
export function valuesIn(edition: Edition): Readonly<Record<string, string>> {
  return { KEPT: "kept", TURNED: edition, ...(edition === "first" ? { DROPPED: "dropped" } : {}) };
}
