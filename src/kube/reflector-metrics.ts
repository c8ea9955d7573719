import type { Counter, Meter } from "../base/meter.ts";
import type { WatchEvent } from "./client.ts";

/** What watches deliver; a bookmark tells how far one is. */
const eventTypes = {
  ADDED: true,
  MODIFIED: true,
  DELETED: true,
  BOOKMARK: true,
  UNREADABLE: true,
} as const satisfies Readonly<Record<WatchEvent["type"], true>>;
export const watchEventTypes: readonly string[] = Object.keys(eventTypes);

export interface ReflectorMetrics {
  readonly lists: Counter;
  readonly events: Counter;
  readonly restarts: Counter;
}

/** The counters that all reflectors of a meter share. */
export function reflectorMetrics(meter: Meter): ReflectorMetrics {
  return {
    lists: meter.counter({
      name: "baas_kube_lists_total",
      help: "Complete lists made to fill or repair a store",
      labels: ["resource"],
    }),
    events: meter.counter({
      name: "baas_kube_watch_events_total",
      help: "Events that watches delivered",
      labels: ["resource", "type"],
    }),
    restarts: meter.counter({
      name: "baas_kube_watch_restarts_total",
      help: "Watches that were started again, by why the one before ended",
      labels: ["resource", "reason"],
    }),
  };
}
