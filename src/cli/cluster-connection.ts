import { parse } from "yaml";
import { FIELD_MANAGER } from "../controllers/shared/finalizers.ts";
import type { KubeClient } from "../kube/client.ts";
import { clusterConnectionKind } from "../resources/connection/kind.ts";
import { z } from "zod";
import { UsageError } from "./flags.ts";

/** Only what makes it one: the apiserver checks the rest. */
const manifestSchema = z.looseObject({
  apiVersion: z.literal("baas.dev/v1alpha1"),
  kind: z.literal("ClusterConnection"),
  metadata: z.looseObject({ name: z.string().min(1) }),
});

export type ClusterConnectionManifest = z.output<typeof manifestSchema>;

/** @throws UsageError with the flag, for what is no manifest of one */
export function parseClusterConnection(text: string, flag: string): ClusterConnectionManifest {
  const { success, data } = manifestSchema.safeParse(yamlOf(text));
  if (success) return data;
  throw new UsageError(
    `--${flag}: expected the manifest of a ClusterConnection, with apiVersion: baas.dev/v1alpha1, kind: ClusterConnection and metadata.name`,
  );
}

/** undefined for what is no YAML: the parser's words quote lines. */
function yamlOf(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Applies the ClusterConnection that an installation brings with it (server-side apply), so that a chart needs no custom resource among its
 * templates, which Helm could not create in the same release as its definition.
 *
 * @throws KubeError with the apiserver's words
 */
export async function applyClusterConnection(
  kube: KubeClient,
  manifest: ClusterConnectionManifest,
  signal: AbortSignal,
): Promise<void> {
  await kube.apply(clusterConnectionKind.type, manifest, { fieldManager: `${FIELD_MANAGER}-install`, signal });
}
