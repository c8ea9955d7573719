import type { Random } from "../base/random.ts";
import type { StoreHandler } from "../kube/store.ts";
import { annotations, finalizers, isPaused } from "../resources/annotations.ts";
import { durationMs, isDuration } from "../resources/duration.ts";
import { annotationsOf, ignoredAnnotations } from "../resources/known-annotations.ts";
import type { KubeObject } from "../resources/meta.ts";
import { requestAnnotations, type RequestState, verbOf } from "../resources/requests.ts";
import { firstCheck } from "../runtime/first-check.ts";
import type { Key } from "../runtime/key.ts";
import type { Enqueue } from "../runtime/reconciler.ts";
import { type AnyStatus, commonStatusOf } from "./shared/common-status.ts";
import { findCondition, isTrue } from "./shared/conditions.ts";
import { TOLD_AFTER_MS } from "./shared/failures.ts";
import { notedRef } from "./shared/ownership.ts";

/** The facts of an object by which its next run is scheduled. */
interface Glance {
  readonly ready: boolean;
  readonly observedGeneration: number;
  readonly driftIntervalMs: number;
  /** an annotation asks for something that its status does not show yet: it was set while nobody watched */
  readonly asked: boolean;
}

/** Between two drift checks of an object whose status does not say. */
const DEFAULT_INTERVAL_MS = 600_000;

/** Whether an annotation asks for something that the status says nothing of, or something that was asked for has not come to its end. */
function hasOpenRequest(
  { kind, metadata: { annotations: given = {} } }: Pick<KubeObject, "kind" | "metadata">,
  requests: AnyStatus["requests"] = [],
): boolean {
  // What only another kind can be asked for is never answered here.
  const answered = requestAnnotations.filter((name) => annotationsOf(kind).includes(name));
  const isNew = answered.some((name) => {
    const [request, verb] = [given[name], verbOf(name)];
    return request !== undefined && !requests.some((known) => known.verb === verb && known.request === request);
  });
  const open: readonly string[] = ["Waiting", "Sending", "Running"] satisfies readonly RequestState[];
  return isNew || requests.some(({ state }) => open.includes(state));
}

function hasIgnored({ kind, metadata }: KubeObject): boolean {
  return ignoredAnnotations(kind, metadata.annotations).length > 0;
}

function glance(object: KubeObject): Glance {
  const { conditions, observedGeneration, effective, lastHandledReconcileAt, requests } = commonStatusOf(object);
  const { metadata } = object;
  const reconcileAt = metadata.annotations?.[annotations.reconcileAt];
  const interval = effective?.driftInterval?.value;
  const spoken = findCondition(conditions, "Ready")?.observedGeneration ?? observedGeneration;
  return {
    ready: isTrue(conditions, "Ready"),
    // What a run writes before its end tells its generation too: only Ready tells that it came to its end.
    observedGeneration: Math.min(observedGeneration, spoken),
    asked:
      isPaused(metadata) !== isTrue(conditions, "Paused") ||
      reconcileAt !== lastHandledReconcileAt ||
      isTrue(conditions, "AnnotationIgnored") !== hasIgnored(object) ||
      hasOpenRequest(object, requests),
    driftIntervalMs: interval !== undefined && isDuration(interval) ? durationMs(interval) : DEFAULT_INTERVAL_MS,
  };
}

/** Whether what the object says is of its last edit: else a run of it is under way, or to come, and what that finds nobody knows yet. */
export function hasSpoken(object: KubeObject): boolean {
  const { observedGeneration } = glance(object);
  const hasReady = findCondition(commonStatusOf(object).conditions, "Ready") !== undefined;
  return hasReady && observedGeneration === object.metadata.generation;
}

/** Whether what the object says last, of its last edit, is that somebody must act. */
export function isRefused(object: KubeObject): boolean {
  return hasSpoken(object) && isTrue(commonStatusOf(object).conditions, "Stalled");
}

/** Whether the object says Ready; edits of such objects go before first syncs (engine.md §1). */
export function isReadyNow(object: KubeObject): boolean {
  return glance(object).ready;
}

/**
 * Whether an edit of the object is more than its first sync: it was Ready, or has something on the platform. It is not Ready between an edit and what
 * comes of it, when somebody may edit it again.
 */
function hasComeThrough(object: KubeObject): boolean {
  return notedRef(object.metadata) !== undefined || glance(object).ready;
}

export function keyOf({ kind, metadata: { namespace = "", name } }: Pick<KubeObject, "kind" | "metadata">): Key {
  return { kind, namespace, name };
}

/** Annotations by which people steer the operator. */
const STEERING: readonly string[] = [
  annotations.paused,
  annotations.reconcileAt,
  annotations.recreate,
  annotations.release,
  ...requestAnnotations,
];

/** A recorded identity that was taken away or changed by somebody else; what the operator records itself is no news to it. */
function identityTampered(before: KubeObject, now: KubeObject): boolean {
  const [old, text] = [before, now].map(({ metadata }) => metadata.annotations?.[annotations.ref]);
  return text !== old && notedRef(now.metadata) === undefined;
}

/** Another annotation does nothing than before: its author is to be told. */
function ignoresAnother(before: KubeObject, now: KubeObject): boolean {
  const names = ({ kind, metadata }: KubeObject): string => ignoredAnnotations(kind, metadata.annotations).join();
  return names(before) !== names(now);
}

function hasConditions({ status }: KubeObject): boolean {
  const conditions: unknown =
    typeof status === "object" && status !== null ? Reflect.get(status, "conditions") : undefined;
  return Array.isArray(conditions) && conditions.length > 0;
}

/** A status that somebody took away; the operator itself never leaves one without conditions. */
function statusLost(before: KubeObject, now: KubeObject): boolean {
  return hasConditions(before) && !hasConditions(now);
}

/**
 * Whether a new version of an object asks for a run: another spec, a deletion, an annotation that steers or does nothing, our finalizer, record or
 * status taken away.
 * Our own writes (status, finalizer, record) do not.
 */
export function asksForRun(before: KubeObject, now: KubeObject): boolean {
  const { metadata: was } = before;
  const { metadata: is } = now;
  return (
    was.generation !== is.generation ||
    was.deletionTimestamp !== is.deletionTimestamp ||
    STEERING.some((name) => was.annotations?.[name] !== is.annotations?.[name]) ||
    Object.values(finalizers).some((name) => was.finalizers?.includes(name) && !is.finalizers?.includes(name)) ||
    ignoresAnother(before, now) ||
    identityTampered(before, now) ||
    statusLost(before, now)
  );
}

interface Watching {
  readonly enqueue: Enqueue;
  readonly random: Random;
  /** always at once, for kinds whose work is in memory and gone after a start */
  readonly eager?: boolean;
  /** whether something that the object is made of was changed while nobody watched */
  readonly missedChange?: (object: KubeObject) => boolean;
  /** for kinds whose objects may be due at a time of their own: milliseconds until then */
  readonly dueInMs?: (object: KubeObject) => number | undefined;
  /** for kinds whose objects may need another one that is not there yet, and whose coming wakes them */
  readonly heldUp?: (object: KubeObject) => boolean;
}

/** Turns what happens to objects of a kind into runs of their own keys (architecture.md: synchronous, cannot throw). */
export function ownKeys(options: Watching): StoreHandler {
  const { enqueue, random, eager = false, missedChange = () => false, dueInMs = () => undefined } = options;
  const { heldUp = () => false } = options;
  return {
    added: (object) => {
      const { ready, observedGeneration, driftIntervalMs, asked } = glance(object);
      const { generation, deletionTimestamp } = object.metadata;
      const deleting = deletionTimestamp !== undefined;
      const sight = { generation, observedGeneration, ready, deleting, driftIntervalMs };
      const due = eager || asked || missedChange(object);
      // What was looked at before may be all that others wait for, though it is not Ready as long as nothing answers.
      const isKnown = observedGeneration > 0;
      const wasReady = ready || (eager && isKnown);
      const first = due ? ({ lane: "change", wasReady } as const) : firstCheck(sight, random);
      enqueue(keyOf(object), heldUp(object) ? { ...first, afterMs: TOLD_AFTER_MS } : first);
      const afterMs = dueInMs(object);
      if (afterMs !== undefined) enqueue(keyOf(object), { lane: "progress", afterMs }); // the earlier one wins
    },
    updated: (before, now) => {
      if (asksForRun(before, now)) enqueue(keyOf(now), { lane: "change", wasReady: hasComeThrough(before) });
    },
    deleted: (object) => enqueue(keyOf(object), { lane: "change", wasReady: true }),
  };
}

/**
 * Runs of objects that are not as they should be yet: something that they may wait for has changed.
 *
 * @param heldUp of whom it is known that this was not all that they wait for
 */
export function wakeWaiting(
  objects: Iterable<KubeObject>,
  enqueue: Enqueue,
  heldUp: (object: KubeObject) => boolean = () => false,
): void {
  for (const object of objects) {
    const { ready, observedGeneration } = glance(object);
    const settled = ready && observedGeneration === object.metadata.generation;
    if (settled && object.metadata.deletionTimestamp === undefined) continue;
    if (!heldUp(object)) enqueue(keyOf(object), { lane: "change" });
  }
}
