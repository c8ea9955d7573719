import { type ConditionType, isReason, type Reason } from "../../resources/conditions.ts";
import type { Condition } from "../../resources/meta.ts";
import type { Disposition } from "../../runtime/outcome.ts";
import { ignoredMessage } from "./drift-words.ts";
import type { CommonStatus, StatusDraft } from "./status-draft.ts";

/** What a run that failed was about. */
interface Failed {
  /** of the object; undefined: it is being deleted, and nothing that was seen before is called Ready any more */
  readonly generation: number | undefined;
  /** the run found something that is not as declared, and did not write it */
  readonly isDue: boolean;
}

/** The part of a disposition from which conditions are made. */
type Shown = Pick<Disposition, "condition" | "metric">;

/** Failures that say nothing about the remote side: what was seen last still holds. */
const SAYS_NOTHING: ReadonlySet<Disposition["metric"]> = new Set([
  "transient",
  "rateLimited",
  "deadline",
  "unexpected",
]);

/** Whether a failure leaves what was seen last: not where this run saw otherwise, unless it waits for budget, which comes within moments. */
function saysNothing(metric: Disposition["metric"], isDue: boolean): boolean {
  return SAYS_NOTHING.has(metric) && (!isDue || metric === "rateLimited");
}

function speaksOf(condition: Condition | undefined, generation: number | undefined): boolean {
  return condition?.status === "True" && generation !== undefined && condition.observedGeneration === generation;
}

/** The reason that an outcome gives, where it is one of ours: nothing else may invent one. */
export function reasonOf(given: string): Reason {
  return isReason(given) ? given : "UnexpectedError";
}

/**
 * Sums up a run in Ready, Reconciling and Stalled as kstatus reads them (engine.md §7).
 *
 * - done: Ready=True, the others absent
 * - under way: Reconciling=True and Ready=Unknown, so that Argo CD and Flux wait instead of failing; a failure that says nothing about
 *   the remote side leaves a Ready that was seen at this generation as it is, but where the run found something to write before it failed
 * - terminal: Stalled=True and Ready=False
 */
export function summarizeFailure<Status extends CommonStatus>(
  draft: StatusDraft<Status>,
  { condition, metric }: Shown,
  { generation, isDue }: Failed,
): void {
  if (condition === undefined) return;
  const { message } = condition;
  const reason = reasonOf(condition.reason);
  switch (condition.type) {
    case "Stalled":
      draft.set("Stalled", "True", reason, message);
      draft.set("Ready", "False", reason, message);
      draft.remove("Reconciling");
      return;
    case "Reconciling":
      showUnderway(draft, reason, message);
      if (saysNothing(metric, isDue) && speaksOf(draft.condition("Ready"), generation)) return;
      draft.set("Ready", "Unknown", reason, message);
      return;
    default:
      condition.type satisfies never;
  }
}

function showUnderway<Status extends CommonStatus>(draft: StatusDraft<Status>, reason: Reason, message: string): void {
  draft.set("Reconciling", "True", reason, message);
  draft.remove("Stalled");
}

/** The remote side is being made, and said so before it is asked for: whatever stood in the way does so no more. */
export function summarizeCreating<Status extends CommonStatus>(draft: StatusDraft<Status>, message: string): void {
  showUnderway(draft, "Creating", message);
  draft.set("Ready", "Unknown", "Creating", message);
}

/** What Ready must not hide: the remote side is up, and not as declared. */
const BUT: readonly ConditionType[] = ["Drifted", "Converging", "OutputsComplete", "RequestFailed"];

/**
 * The remote side is up.
 *
 * @param message says that it is as declared; where a condition says otherwise, that one is named in its place, and what is ignored stands beside it
 */
export function summarizeReady<Status extends CommonStatus>(
  draft: StatusDraft<Status>,
  reason: Reason,
  message: string,
): void {
  const ended: readonly ConditionType[] = ["Reconciling", "Stalled", "Paused"];
  for (const type of ended) draft.remove(type);
  const but = BUT.filter((type) => draft.condition(type) !== undefined);
  const { ignored } = draft;
  const isClaim = reason === "Available" && but.length === 0;
  const except = ignored.length === 0 ? "" : `${isClaim ? ", but for what" : ";"} ${ignoredMessage(ignored)}`;
  draft.set("Ready", "True", reason, `${but.length === 0 ? message : `see condition ${but.join(" and ")}`}${except}`);
}

/** The remote side was read, and nothing is ever written (`managementPolicy: Observe`). */
export function summarizeObserved<Status extends CommonStatus>(draft: StatusDraft<Status>): void {
  summarizeReady(draft, "Observed", "only observed: managementPolicy is Observe");
}
