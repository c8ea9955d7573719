import { microTime } from "../base/micro-time.ts";
import type { KubeObject, ResourceType } from "../resources/meta.ts";
import type { ObjectDraft } from "./client.ts";

export const eventType: ResourceType = {
  group: "events.k8s.io",
  version: "v1",
  kind: "Event",
  plural: "events",
  namespaced: true,
};

/** What an event speaks of. A KubeObject will do. */
export interface EventSubject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Pick<KubeObject["metadata"], "name"> & Partial<Pick<KubeObject["metadata"], "namespace" | "uid">>;
}

/** One thing that happened. */
export interface EventInput {
  readonly regarding: EventSubject;
  /** A second object that took part. */
  readonly related?: EventSubject;
  readonly type: "Normal" | "Warning";
  /** Why, in CamelCase; the same as the condition's reason. */
  readonly reason: string;
  /** What was done or tried, in CamelCase. */
  readonly action: string;
  /** For people; free of secrets. Cut at 1024 bytes. */
  readonly note: string;
  /** Note of the one event that stands for all those of this kind that the limit keeps back, and counts them; without it nothing does. */
  readonly instead?: string;
}

/** How often the same thing happened. Times are wall time, milliseconds. */
export interface Occurrences {
  readonly count: number;
  readonly firstMs: number;
  readonly lastMs: number;
}

/** Who reports; each at most 128 characters, the controller a qualified name. */
export interface EventReporter {
  readonly controller: string;
  readonly instance: string;
}

/** Limits of the apiserver's validation of events; notes are counted in bytes there. */
const MAX_NOTE_BYTES = 1024;
const MAX_FIELD_LENGTH = 128;
const MAX_NAME_LENGTH = 253;

/**
 * The Event for `input`. It lies in the namespace of its subject; for a cluster-scoped one in `default`, where the apiserver wants it
 * (engine.md §5 relies on that for Namespaces: a Terminating one takes no events).
 *
 * @param suffix makes the name unique; lower-case letters and digits
 */
export function eventBody(
  input: EventInput,
  occurrences: Occurrences,
  context: { readonly reporter: EventReporter; readonly suffix: string },
): ObjectDraft & { readonly metadata: { readonly namespace: string } } {
  const { regarding, related } = input;
  return {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    metadata: {
      namespace: regarding.metadata.namespace ?? "default",
      name: eventName(regarding.metadata.name, context.suffix),
    },
    eventTime: microTime(occurrences.firstMs),
    reportingController: context.reporter.controller.slice(0, MAX_FIELD_LENGTH),
    reportingInstance: context.reporter.instance.slice(0, MAX_FIELD_LENGTH),
    type: input.type,
    reason: input.reason.slice(0, MAX_FIELD_LENGTH),
    action: input.action.slice(0, MAX_FIELD_LENGTH),
    note: cutToBytes(input.note, MAX_NOTE_BYTES),
    regarding: referenceTo(regarding),
    ...(related === undefined ? {} : { related: referenceTo(related) }),
    ...(occurrences.count < 2 ? {} : { series: seriesOf(occurrences) }),
  };
}

/** The series of an event that happened at least twice. */
export function seriesOf({ count, lastMs }: Occurrences): {
  readonly count: number;
  readonly lastObservedTime: string;
} {
  return { count, lastObservedTime: microTime(lastMs) };
}

/** What makes two events the same: everything but the time. */
export function eventKey({ regarding, related, type, reason, action, note }: EventInput): string {
  return JSON.stringify([subjectKey(regarding), related && subjectKey(related), type, reason, action, note]);
}

/** An object as one string. */
export function subjectKey({ apiVersion, kind, metadata }: EventSubject): string {
  return JSON.stringify([apiVersion, kind, metadata.namespace ?? "", metadata.name, metadata.uid ?? ""]);
}

/** The same event without the objects that it speaks of: who keeps it must not keep old versions of these. */
export function withNamesAlone(input: EventInput): EventInput {
  const { regarding, related } = input;
  return { ...input, regarding: named(regarding), ...(related === undefined ? {} : { related: named(related) }) };
}

function named({ apiVersion, kind, metadata: { namespace, name, uid } }: EventSubject): EventSubject {
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }), ...(uid === undefined ? {} : { uid }) };
  return { apiVersion, kind, metadata };
}

/** Without resourceVersion: it would say no more than the time does. */
function referenceTo({ apiVersion, kind, metadata: { namespace, name, uid } }: EventSubject) {
  return { apiVersion, kind, namespace, name, uid };
}

function eventName(subject: string, suffix: string): string {
  const stem = subject.toLowerCase().replaceAll(/[^a-z0-9.-]/g, "-");
  return `${stem.slice(0, MAX_NAME_LENGTH - suffix.length - 1).replace(/[.-]+$/, "")}.${suffix}`;
}

/** The longest beginning of `text` that fits, with an ellipsis when something is missing; never half a character. */
export function cutToBytes(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text.toWellFormed();
  const room = Buffer.from(text).subarray(0, maxBytes - Buffer.byteLength("…"));
  // A decoder in stream mode keeps an incomplete last character to itself.
  return `${new TextDecoder().decode(room, { stream: true })}…`;
}
