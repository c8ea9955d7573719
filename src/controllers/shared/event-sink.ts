import type { KubeObject } from "../../resources/meta.ts";

/** An event to record about an object; reasons are those of resources/conditions.ts. */
export interface EventDraft {
  readonly regarding: KubeObject;
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  /** what was done or tried, as events.k8s.io wants it: "Reconcile", "Delete" */
  readonly action: string;
  /** free of secrets */
  readonly note: string;
}

/** Records events; fire and forget, aggregated by the recorder. */
export interface EventSink {
  event(draft: EventDraft): void;
}
