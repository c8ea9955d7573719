import { parse } from "yaml";
import { FIELD_MANAGER } from "../controllers/shared/finalizers.ts";
import type { KubeClient } from "../kube/client.ts";
import { clusterConnectionKind } from "../resources/connection/kind.ts";
import { z } from "zod";

/** Only what makes it one: the apiserver checks the rest. */
const manifestSchema = z.looseObject({
  apiVersion: z.literal("baas.dev/v1alpha1"),
  kind: z.literal("ClusterConnection"),
  metadata: z.looseObject({ name: z.string().min(1) }),
});

/**
 * Applies the ClusterConnection that an installation brings with it (server-side apply), so that a chart needs no custom resource among its
 * templates, which Helm could not create in the same release as its definition.
 *
 * @throws ZodError for another kind of manifest; KubeError with the apiserver's words
 */
export async function applyClusterConnection(kube: KubeClient, text: string, signal: AbortSignal): Promise<void> {
  const manifest = manifestSchema.parse(parse(text));
  await kube.apply(clusterConnectionKind.type, manifest, { fieldManager: `${FIELD_MANAGER}-install`, signal });
}
