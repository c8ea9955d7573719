import type { EventRecorder } from "../../kube/events.ts";

/** Where controllers tell what happened: an event's reason is one of resources/conditions.ts, its note is free of secrets. */
export type EventSink = Pick<EventRecorder, "event">;
