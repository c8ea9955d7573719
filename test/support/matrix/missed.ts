import type { Case } from "./disturbances.ts";
import { isEvent } from "./gate.ts";
import type { Point } from "./points.ts";

/** Points that did not come. */

/** Read only by who finds the service unwell (health.ts), which it is for a moment after its connections were ended. */
const WHILE_UNWELL = "GET /v1/projects/*/config/realtime";

/**
 * Whether a run may do without a point: not every recorded family came to it, or how often something is asked again, and what is found unwell, time
 * decides, and nothing depends on an event (engine.md §7).
 */
export function mayBeMissed({ label, nth, isCommon }: Pick<Point, "label" | "nth" | "isCommon">): boolean {
  return !isCommon || nth > 1 || isEvent(label) || label === WHILE_UNWELL;
}

/** How many there are of each request, the most first. */
export function counted(cases: readonly Case[]): string {
  const counts = new Map<string, number>();
  for (const { point } of cases) counts.set(point.label, (counts.get(point.label) ?? 0) + 1);
  const told = [...counts].toSorted(([, a], [, b]) => b - a).map(([label, count]) => `${label} ${count}`);
  return told.length === 0 ? "none" : told.join(", ");
}
