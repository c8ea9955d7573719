import type { Labels, Meter } from "../../../src/base/meter.ts";
import { silentMeter } from "../../../src/base/meter.ts";

/** A meter that keeps what counters counted. */
export interface RecordingMeter extends Meter {
  /** The value of the counter with exactly these labels; 0 when it was never incremented. */
  counted(name: string, labels: Labels): number;
}

export function recordingMeter(): RecordingMeter {
  const counts = new Map<string, number>();
  const keyOf = (name: string, labels: Labels): string =>
    `${name} ${JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => a.localeCompare(b)))}`;
  return {
    ...silentMeter,
    counter: ({ name }) => ({
      increment: (labels = {}, by = 1) => {
        const key = keyOf(name, labels);
        counts.set(key, (counts.get(key) ?? 0) + by);
      },
    }),
    counted: (name, labels) => counts.get(keyOf(name, labels)) ?? 0,
  };
}
