import type { ObjectMeta } from "../../resources/meta.ts";
import type { Difference } from "./convergence.ts";
import { countDrift } from "./drift-count.ts";
import { reportedMessage, stuckMessage } from "./drift-words.ts";
import type { EffectivePolicies } from "./policies.ts";
import type { Run } from "./run.ts";
import type { CommonStatus } from "./status-draft.ts";

/** A change that a plan asks for. */
export interface PlannedChange extends Difference {
  /** `edit`: due whatever the drift policy says, since its cause lies in the cluster (a rotated Secret) */
  readonly cause: "declared" | "edit";
}

interface DriftStatus extends CommonStatus {
  readonly syncedGeneration?: number | undefined;
}

interface Planned<C> {
  readonly object: { readonly kind: string; readonly metadata: ObjectMeta };
  readonly policies: EffectivePolicies;
  readonly changes: readonly C[];
}

/** What the conditions of drift tell: dotted paths of fields. */
export interface DriftShown {
  /** differ and are reported */
  readonly reported: readonly string[];
  /** came back different after three writes, or one that interrupts what is served, or were written too often */
  readonly stuck: readonly string[];
  /** differ and are left without a condition, under `driftPolicy: Ignore`: nothing may call them as declared */
  readonly ignored: readonly string[];
}

/** Which planned changes are made now, and which drift is shown. */
export interface DriftDecision<C> extends DriftShown {
  /** those to make now */
  readonly write: readonly C[];
}

/**
 * Which of the planned changes are made now (engine.md §6): all of them for a spec that was not in force yet, and for one that was, as
 * `driftPolicy` says. Whoever makes a change says so with `convergence.wrote`, and with `run.wrote`, which then tells of the drift that it repaired.
 *
 * @param at.inForce whether what is declared was in force before, so that a difference is drift and no edit
 * @param at.part of the object, where it is looked at in parts
 */
export function decideDrift<C extends PlannedChange, Status extends CommonStatus>(
  run: Run<Status>,
  { object, policies, changes }: Planned<C>,
  { inForce, part }: { readonly inForce: boolean; readonly part?: string },
): DriftDecision<C> {
  const drifted = inForce ? changes.filter(({ cause }) => cause === "declared") : [];
  const left = policies.driftPolicy.value === "Correct" ? [] : drifted;
  const due = changes.filter((change) => !left.includes(change));
  const { environment } = run;
  const { stuck, againInMs } = environment.convergence.admit(object, due, part);
  // No drift check may come.
  if (againInMs !== undefined) environment.enqueue(run.key, { lane: "progress", afterMs: againInMs });
  const write = due.filter((change) => !stuck.includes(change));
  const repairs = drifted.filter((change) => write.includes(change));
  run.repairs(fieldsOf(repairs));
  run.noteDue(fieldsOf(write));
  countDrift(environment.meter, { kind: object.kind, action: "left", fields: drifted.length - repairs.length });
  const isReported = policies.driftPolicy.value === "Report";
  const [reported, ignored] = isReported ? [fieldsOf(left), []] : [[], fieldsOf(left)];
  return { write, reported, stuck: fieldsOf(stuck), ignored };
}

/** As `decideDrift`, for an object that is looked at as a whole: sets `Drifted` and `Converging` too, and returns what is to be written. */
export function applyDrift<C extends PlannedChange, Status extends DriftStatus>(
  run: Run<Status>,
  planned: Planned<C>,
): readonly C[] {
  const decision = decideDrift(run, planned, { inForce: isInForce(run, planned.object) });
  showDrift(run, decision);
  return decision.write;
}

/** Whether the declared fields of this very generation were in force before. */
export function isInForce<Status extends DriftStatus>(
  run: Run<Status>,
  { metadata }: { readonly metadata: ObjectMeta },
): boolean {
  return run.status.current.syncedGeneration === metadata.generation;
}

/** Shows in `Drifted` and `Converging` what is left as it is, or takes them away where nothing is; and notes for Ready what is ignored. */
export function showDrift<Status extends CommonStatus>(run: Run<Status>, ...shown: readonly DriftShown[]): void {
  run.status.ignore(shown.flatMap((one) => one.ignored));
  const reported = shown.flatMap((one) => one.reported);
  if (reported.length === 0) run.status.remove("Drifted");
  else run.status.set("Drifted", "True", "DriftDetected", reportedMessage(reported));
  const stuck = shown.flatMap((one) => one.stuck);
  if (stuck.length === 0) {
    run.status.remove("Converging");
    return;
  }
  run.status.set("Converging", "False", "NotConverging", stuckMessage(stuck));
}

/** Where nothing is to be written (`managementPolicy: Observe`): every difference, and none that was written in vain. */
export function observedDrift(differences: readonly Difference[]): DriftShown {
  return { reported: fieldsOf(differences), stuck: [], ignored: [] };
}

/** Shows that, of an object that is looked at as a whole. */
export function observeDrift<Status extends CommonStatus>(run: Run<Status>, differences: readonly Difference[]): void {
  showDrift(run, observedDrift(differences));
}

function fieldsOf(differences: readonly Difference[]): readonly string[] {
  return differences.map(({ field }) => field);
}
