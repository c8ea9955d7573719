import { stringify } from "yaml";

/** Objects of our kinds as tests write them. */

export type KindName = "Connection" | "ClusterConnection" | "Project" | "Branch" | "EdgeFunction" | "Secret";

export type Spec = Readonly<Record<string, unknown>>;

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: KindName;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec: Spec;
}

export const plurals: Readonly<Record<KindName, string>> = {
  Connection: "connections",
  ClusterConnection: "clusterconnections",
  Project: "projects",
  Branch: "branches",
  EdgeFunction: "edgefunctions",
  Secret: "secrets",
};

/** An object in a namespace; a ClusterConnection is in none. */
export function manifest(kind: KindName, name: string, namespace: string, spec: Spec): Manifest {
  const metadata = kind === "ClusterConnection" ? { name } : { name, namespace };
  return { apiVersion: "baas.dev/v1alpha1", kind, metadata, spec };
}

/** Several objects as one stream, as kubectl reads it. */
export function stream(manifests: readonly Manifest[]): string {
  return manifests.map((object) => stringify(object)).join("---\n");
}

/** A ref that a platform could have given. */
export const someRef = "abcdefghijklmnopqrst";

/** The least that each kind needs. */
export const least: Readonly<Record<KindName, Spec>> = {
  Connection: { baseUrl: "https://api.example.com", token: { secretRef: { name: "token" } } },
  ClusterConnection: {
    baseUrl: "https://api.example.com",
    token: { secretRef: { name: "token", namespace: "baas-system" } },
    allowedNamespaces: { from: "All" },
  },
  Project: { organization: "acme" },
  Branch: { projectRef: { name: "shop" } },
  EdgeFunction: {
    projectRef: { name: "shop" },
    source: { inline: { files: { "index.ts": "Deno.serve(() => new Response())" } } },
  },
  Secret: { projectRef: { name: "shop" }, from: [{ secretRef: { name: "app" } }] },
};
