import type { ConditionType } from "../../resources/conditions.ts";
import type { Condition } from "../../resources/meta.ts";

/** What a caller says of a condition; times and generations are the setter's business. */
export interface ConditionClaim {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}

/** When and of which generation a claim is made. */
export interface ConditionMoment {
  /** wall time, milliseconds since the epoch */
  readonly nowMs: number;
  readonly generation: number;
}

/** The longest message that a status carries (metav1.Condition's own limit is 32768; people read a line). */
const MESSAGE_MAX = 1024;

/** Seconds precision, as metav1.Time is written. */
export function kubeTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, "Z");
}

/**
 * Sets one condition. `lastTransitionTime` moves only when the status changes; a claim that says nothing new returns the same
 * array, so that an unchanged status can be told by identity.
 */
export function setCondition(
  conditions: readonly Condition[],
  claim: ConditionClaim,
  moment: ConditionMoment,
): readonly Condition[] {
  const before = conditions.find((condition) => condition.type === claim.type);
  const message = claim.message.slice(0, MESSAGE_MAX).toWellFormed();
  if (
    before !== undefined &&
    before.status === claim.status &&
    before.reason === claim.reason &&
    before.message === message &&
    before.observedGeneration === moment.generation
  ) {
    return conditions;
  }
  const after: Condition = {
    type: claim.type,
    status: claim.status,
    reason: claim.reason,
    message,
    lastTransitionTime: before?.status === claim.status ? before.lastTransitionTime : kubeTime(moment.nowMs),
    observedGeneration: moment.generation,
  };
  return before === undefined
    ? [...conditions, after]
    : conditions.map((condition) => (condition === before ? after : condition));
}

/**
 * Conditions as they are to be written where `stored` ones are there: a run may say one thing and then another, and only what it says at last
 * counts. What has the same status has had it since then, and nothing moves in the list by itself.
 */
export function sinceStored(stored: readonly Condition[], conditions: readonly Condition[]): readonly Condition[] {
  const place = (type: string): number => {
    const at = stored.findIndex((condition) => condition.type === type);
    return at === -1 ? stored.length : at;
  };
  return conditions
    .map((condition) => {
      const before = findCondition(stored, condition.type);
      return before?.status === condition.status
        ? { ...condition, lastTransitionTime: before.lastTransitionTime }
        : condition;
    })
    .toSorted((a, b) => place(a.type) - place(b.type));
}

/** Takes a condition away: what does not apply is absent, as kstatus reads `Reconciling` and `Stalled`. */
export function removeCondition(conditions: readonly Condition[], type: string): readonly Condition[] {
  return conditions.some((condition) => condition.type === type)
    ? conditions.filter((condition) => condition.type !== type)
    : conditions;
}

export function findCondition(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

export function isTrue(conditions: readonly Condition[] | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === "True";
}

/** What each run finds out anew, and Ready sums up: it goes with that. */
const OF_DRIFT: readonly string[] = ["Drifted", "Converging"] satisfies readonly ConditionType[];

/** Conditions of which those of drift are as they are stored, in the places that they have there. */
export function withDriftAsStored(current: readonly Condition[], stored: readonly Condition[]): readonly Condition[] {
  const kept = stored.flatMap((one) => (OF_DRIFT.includes(one.type) ? one : (findCondition(current, one.type) ?? [])));
  const types = new Set([...OF_DRIFT, ...stored.map(({ type }) => type)]);
  return [...kept, ...current.filter(({ type }) => !types.has(type))];
}
