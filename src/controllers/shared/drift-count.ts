import type { Meter } from "../../base/meter.ts";

/** What is done with a field that differs: `corrected`: written back; `left`: not written, as the drift policy says or since it was written in vain. */
export const driftActions = ["corrected", "left"] as const;

interface Counted {
  readonly kind: string;
  readonly action: (typeof driftActions)[number];
  /** how many fields */
  readonly fields: number;
}

/** Counts fields that were found to differ remotely from a spec that was in force. */
export function countDrift(meter: Meter, { kind, action, fields }: Counted): void {
  const total = meter.counter({
    name: "baas_drift_total",
    help: "Fields that a look found to differ remotely from a spec that was in force, by what was done",
    labels: ["kind", "action"],
  });
  if (fields > 0) total.increment({ kind, action }, fields);
}
