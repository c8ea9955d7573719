import { apiGroup } from "../../resources/annotations.ts";
import type { Reason } from "../../resources/conditions.ts";
import type { KubeObject, ObjectMeta } from "../../resources/meta.ts";
import { type ReconcileError, terminal, waiting } from "./failures.ts";

/**
 * What the cluster's garbage collector has still to take away: it belongs to an object of the same kind and name that is gone, and to nobody else. It stands in
 * the place of what is to be made anew, and is never written, used or taken over: the collector may have decided already, and what was put there would go with
 * it.
 */

/** How often it is looked whether it is gone, milliseconds; that it goes may wake its object sooner. */
export const UNCOLLECTED_LOOK_MS = 15_000;
/** How long the garbage collector may take before somebody is told, minutes: on a busy cluster it is seconds. */
const COLLECTED_WITHIN_MIN = 5;
/** How often it is looked at after that, milliseconds: each look is one at all that its object has. */
const LATE_LOOK_MS = 600_000;

/** The object that is there now. */
interface Namesake extends Pick<KubeObject, "apiVersion" | "kind"> {
  readonly metadata: Pick<ObjectMeta, "name" | "uid" | "creationTimestamp">;
}

/** Whether all that something belongs to are former objects of that kind and name. */
export function isFormers(
  { kind, metadata: { name, uid } }: Namesake,
  { ownerReferences = [] }: Pick<ObjectMeta, "ownerReferences">,
): boolean {
  const isFormer = (owner: (typeof ownerReferences)[number]): boolean =>
    owner.apiVersion.startsWith(`${apiGroup}/`) && owner.kind === kind && owner.name === name && owner.uid !== uid;
  return ownerReferences.length > 0 && ownerReferences.every(isFormer);
}

interface Uncollected {
  /** as "Secret" */
  readonly kind: string;
  readonly metadata: ObjectMeta;
  /** the reason once it takes too long */
  readonly notOwned: Reason;
}

/**
 * Waits for what is there to be collected. Since when is known: whom it belongs to was gone when its namesake was made.
 *
 * @param nowMs as `clusterNow`
 */
export function uncollected(
  namesake: Namesake,
  { kind, metadata: found, notOwned }: Uncollected,
  nowMs: number,
): ReconcileError {
  const whose = `the ${kind} ${found.name} is the former ${namesake.kind} ${namesake.metadata.name}'s, which is gone`;
  const isGoing = found.deletionTimestamp !== undefined;
  const began = [namesake.metadata.creationTimestamp, found.creationTimestamp, found.deletionTimestamp];
  const isLate = began.every((time) => time === undefined || nowMs - Date.parse(time) > COLLECTED_WITHIN_MIN * 60_000);
  if (!isLate) {
    const until = isGoing ? "it is gone, which is under way" : "the cluster's garbage collector has taken it";
    return waiting("AwaitingCollection", `${whose}: waiting until ${until}`, UNCOLLECTED_LOOK_MS);
  }
  const why = isGoing
    ? `is being deleted for more than ${COLLECTED_WITHIN_MIN} minutes: see to its finalizers (${found.finalizers?.join(", ") ?? "none"})`
    : `has not been collected within ${COLLECTED_WITHIN_MIN} minutes: the cluster's garbage collector (kube-controller-manager) does not ` +
      `seem to run; see to that, or delete the ${kind}`;
  return terminal(notOwned, `${whose}, and ${why}`, { recheckAfterMs: LATE_LOOK_MS });
}
