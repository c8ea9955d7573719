import type { KubeClient } from "../../kube/client.ts";
import { isKubeError } from "../../kube/errors.ts";
import { finalizers } from "../../resources/annotations.ts";
import type { KubeObject } from "../../resources/meta.ts";
import { secretType } from "../shared/core-types.ts";
import { removeFinalizer } from "../shared/finalizers.ts";

interface UnprotectScope {
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
export async function unprotectAll(kube: KubeClient, { namespaces, signal }: UnprotectScope): Promise<number> {
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

/** Looks again where the list of finalizers changed meanwhile; a Secret that is gone by then has none. */
async function unprotect(kube: KubeClient, secret: KubeObject, signal: AbortSignal): Promise<void> {
  const { namespace = "", name } = secret.metadata;
  try {
    for (let current = secret; !(await removed(kube, current, signal));) {
      current = await kube.get(secretType, { namespace, name }, { metadataOnly: true, signal });
    }
  } catch (error) {
    if (!isKubeError(error, "NotFound")) throw error;
  }
}

/** @returns false when the object is another version by now */
async function removed(kube: KubeClient, secret: KubeObject, signal: AbortSignal): Promise<boolean> {
  try {
    await removeFinalizer(kube, { type: secretType, object: secret }, finalizers.credential, signal);
    return true;
  } catch (error) {
    if (isKubeError(error, "Conflict")) return false;
    throw error;
  }
}
