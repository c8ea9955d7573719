import type { Meter } from "../base/meter.ts";
import { onceATick } from "../base/once-a-tick.ts";
import { type Lane, lanes } from "./lane.ts";

/** What one lane holds now. */
export interface LaneDepth {
  /** Keys whose time has not come. */
  readonly waiting: number;
  /** Keys that could run: they lack a worker, or an earlier run of the key has not ended. */
  readonly ready: number;
  /** Milliseconds that the oldest ready key has been so; 0 when there is none. */
  readonly oldestMs: number;
}

/** What the metrics read of a queue. */
export interface Measured {
  /** Keys that are locked by a run. */
  readonly running: number;
  /** By the lane that was asked for. */
  depths(): Readonly<Record<Lane, LaneDepth>>;
}

/** Registers depth and age of each lane (engine.md §1); read when scraped, since they change with every key and with time. */
export function observeQueue(meter: Meter, queue: Measured): void {
  const read = onceATick(() => queue.depths());
  const gauge = (name: string, help: string, value: (depth: LaneDepth) => number): void =>
    meter.observableGauge({ name, help, labels: ["lane"] }, () => {
      const depths = read();
      return lanes.map((lane) => ({ labels: { lane }, value: value(depths[lane]) }));
    });
  gauge("baas_workqueue_ready", "Keys that could run and wait for a worker", (depth) => depth.ready);
  gauge("baas_workqueue_waiting", "Keys whose time has not come", (depth) => depth.waiting);
  gauge("baas_workqueue_oldest_seconds", "Age of the key that waits longest", (depth) => depth.oldestMs / 1000);
  meter.observableGauge({ name: "baas_workqueue_running", help: "Keys that are locked by a run" }, () => [
    { value: queue.running },
  ]);
}
