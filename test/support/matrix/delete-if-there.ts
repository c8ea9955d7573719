import type { KubeClient } from "../../../src/kube/client.ts";
import { isKubeError } from "../../../src/kube/errors.ts";
import type { ResourceType } from "../../../src/resources/meta.ts";

/** Deletes an object unless it is gone already. */
export async function deleteIfThere(
  kube: KubeClient,
  type: ResourceType,
  id: { readonly namespace: string; readonly name: string },
): Promise<void> {
  try {
    await kube.delete(type, id);
  } catch (error) {
    if (!isKubeError(error, "NotFound")) throw error;
  }
}
