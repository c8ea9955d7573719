import { isPaused } from "../resources/annotations.ts";
import type { KubeObject } from "../resources/meta.ts";
import { WaitingError } from "../runtime/outcome.ts";
import type { Environment } from "./environment.ts";
import { sessionFor } from "./shared/connection-lookup.ts";
import { type ChildSpec, parentPlace } from "./shared/parents.ts";
import type { ObjectStore } from "./shared/object-store.ts";

/**
 * Whether a new object cannot do anything yet, for want of its parent or connection, and has said nothing yet. Its run would do no more than say so,
 * at once made obsolete by the next one (engine.md §7); what it lacks wakes it by coming, and when that takes long the object says so.
 */
export function isHeldUp(environment: Environment, object: KubeObject): boolean {
  const { metadata } = object;
  if (metadata.deletionTimestamp !== undefined || isPaused(metadata) || hasStatus(object)) return false;
  try {
    requireNeeds(environment, object);
    return false;
  } catch (error) {
    return error instanceof WaitingError; // all else is for its own run to tell
  }
}

function hasStatus({ status }: KubeObject): boolean {
  return typeof status === "object" && status !== null && "conditions" in status;
}

/** @throws WaitingError where the object must wait for another one */
function requireNeeds(environment: Environment, object: KubeObject): void {
  const { projects, branches, functions, secrets } = environment.objects;
  const { namespace = "" } = object.metadata;
  const requirePlace = (children: Pick<ObjectStore<ChildSpec, unknown>, "parse">): void => {
    const parsed = children.parse(object);
    if (parsed.ok) parentPlace(environment, namespace, parsed.object.spec);
  };
  switch (object.kind) {
    case "Project": {
      const parsed = projects.parse(object);
      if (parsed.ok) sessionFor(environment, { namespace, connectionRef: parsed.object.spec.connectionRef });
      return;
    }
    case "Branch":
      return requirePlace(branches);
    case "EdgeFunction":
      return requirePlace(functions);
    case "Secret":
      return requirePlace(secrets);
    default:
  }
}
