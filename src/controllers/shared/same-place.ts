import type { ObjectMeta } from "../../resources/meta.ts";
import type { Environment } from "../environment.ts";
import { type ChildSpec, parentPlace } from "./parents.ts";

/** A remote place, and whose credential reaches it: claims of different accounts do not meet (engine.md §4). */
export interface Place {
  readonly ref: string;
  readonly account: string;
}

interface Child {
  readonly metadata: ObjectMeta;
  readonly spec: ChildSpec;
  readonly status: {
    readonly ref?: string | undefined;
    readonly recordedFor?: string | undefined;
    readonly connection?: { readonly identity: string } | undefined;
  };
}

/** Whether an object is recorded as having something in a place. */
export function isRecordedIn({ metadata, status }: Child, { ref, account }: Place): boolean {
  const { identity = account } = status.connection ?? {};
  return status.ref === ref && status.recordedFor === metadata.uid && identity === account;
}

/**
 * Whether an object has, or may now make, something in a place. Who cannot reach it does not count: else naming somebody's project would
 * be enough to block what lives in it.
 */
export function actsIn(environment: Environment, child: Child, place: Place): boolean {
  if (isRecordedIn(child, place)) return true;
  try {
    const { ref, session } = parentPlace(environment, child.metadata.namespace ?? "", child.spec);
    return ref === place.ref && session.account === place.account;
  } catch {
    return false; // its parent or connection is not there or not up; its own reconcile says so
  }
}
