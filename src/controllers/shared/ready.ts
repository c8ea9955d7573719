import type { ConditionType, Reason } from "../../resources/conditions.ts";
import type { Condition } from "../../resources/meta.ts";
import type { Disposition } from "../../runtime/outcome.ts";
import type { CommonStatus, StatusDraft } from "./status-draft.ts";

/** What of a disposition shows in conditions. */
type Shown = Pick<Disposition, "condition" | "metric">;

/** Failures that say nothing about the remote side: what was seen last still holds. */
const SAYS_NOTHING: ReadonlySet<Disposition["metric"]> = new Set([
  "transient",
  "rateLimited",
  "deadline",
  "unexpected",
]);

function speaksOf(condition: Condition | undefined, generation: number): boolean {
  return condition?.status === "True" && condition.observedGeneration === generation;
}

/**
 * Sums up a run in Ready, Reconciling and Stalled as kstatus reads them (engine.md §7).
 *
 * - done: Ready=True, the others absent
 * - under way: Reconciling=True and Ready=Unknown, so that Argo CD and Flux wait instead of failing; a failure that says nothing about
 *   the remote side leaves a Ready that was seen at this generation as it is
 * - terminal: Stalled=True and Ready=False
 */
export function summarizeFailure<Status extends CommonStatus>(
  draft: StatusDraft<Status>,
  { condition, metric }: Shown,
  generation: number,
): void {
  if (condition === undefined) return;
  const claim = { reason: condition.reason, message: condition.message };
  switch (condition.type) {
    case "Stalled":
      draft.setRaw({ type: "Stalled", status: "True", ...claim });
      draft.setRaw({ type: "Ready", status: "False", ...claim });
      draft.remove("Reconciling");
      return;
    case "Reconciling":
      draft.setRaw({ type: "Reconciling", status: "True", ...claim });
      draft.remove("Stalled");
      if (SAYS_NOTHING.has(metric) && speaksOf(draft.condition("Ready"), generation)) return;
      draft.setRaw({ type: "Ready", status: "Unknown", ...claim });
      return;
    default:
      condition.type satisfies never;
  }
}

/** The remote side is as declared. */
export function summarizeReady<Status extends CommonStatus>(
  draft: StatusDraft<Status>,
  reason: Reason,
  message: string,
): void {
  const ended: readonly ConditionType[] = ["Reconciling", "Stalled", "Paused"];
  for (const type of ended) draft.remove(type);
  draft.set("Ready", "True", reason, message);
}
