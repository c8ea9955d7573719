import type { KubeClient } from "../../kube/client.ts";
import { isKubeError } from "../../kube/errors.ts";
import { finalizers } from "../../resources/annotations.ts";
import type { KubeObject } from "../../resources/meta.ts";
import { secretType } from "../shared/core-types.ts";
import { removeFinalizer } from "../shared/finalizers.ts";

interface Scope {
  /** none: all */
  readonly namespaces: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * Takes our finalizer off every Secret in scope: uninstalling must not leave a Secret that nobody can delete (engine.md §5). Reads
 * metadata alone.
 *
 * @returns how many Secrets carried it
 */
export async function unprotectAll(kube: KubeClient, { namespaces, signal }: Scope): Promise<number> {
  let released = 0;
  const scopes = namespaces.length === 0 ? [{}] : namespaces.map((namespace) => ({ namespace }));
  for (const scope of scopes) {
    for await (const { items } of kube.list(secretType, { ...scope, metadataOnly: true, signal })) {
      for (const secret of items.filter(({ metadata }) => metadata.finalizers?.includes(finalizers.credential))) {
        await unprotect(kube, secret, signal);
        released += 1;
      }
    }
  }
  return released;
}

/** Looks again where the list of finalizers changed meanwhile. */
async function unprotect(kube: KubeClient, secret: KubeObject, signal: AbortSignal): Promise<void> {
  const { namespace = "", name } = secret.metadata;
  for (let current = secret; ;) {
    try {
      return await removeFinalizer(kube, { type: secretType, object: current }, finalizers.credential, signal);
    } catch (error) {
      if (isKubeError(error, "NotFound")) return;
      if (!isKubeError(error, "Conflict")) throw error;
      current = await kube.get(secretType, { namespace, name }, { metadataOnly: true, signal });
    }
  }
}
