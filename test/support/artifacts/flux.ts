import type { Published } from "./server.ts";

/** Source objects of Flux, as its source-controller leaves them. */

export interface FluxState {
  readonly artifact?: Partial<Published> | undefined;
  /** status and reason of the condition Ready; absent: none */
  readonly ready?: readonly [status: string, reason: string] | undefined;
}

export const READY = ["True", "Succeeded"] as const;

/** What the source-controller writes to the status. */
export function fluxStatus({ artifact, ready }: FluxState): object {
  const conditions = ready && [
    { type: "Reconciling", status: "False", reason: "Done", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" },
    {
      type: "Ready",
      status: ready[0],
      reason: ready[1],
      message: "somebody else's words",
      lastTransitionTime: "2026-01-01T00:00:00Z",
    },
  ];
  return {
    ...(conditions === undefined ? {} : { conditions }),
    ...(artifact === undefined
      ? {}
      : { artifact: { path: "a/path", lastUpdateTime: "2026-01-01T00:00:00Z", ...artifact } }),
  };
}

/** Plurals of the kinds. */
export const FLUX_PLURALS = {
  GitRepository: "gitrepositories",
  OCIRepository: "ocirepositories",
  Bucket: "buckets",
  ExternalArtifact: "externalartifacts",
} as const;
export type FluxKind = keyof typeof FLUX_PLURALS;
