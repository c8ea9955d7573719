import type { Meter } from "../../base/meter.ts";
import type { ObjectMeta } from "../../resources/meta.ts";
import type { Difference } from "./convergence.ts";
import type { EffectivePolicies } from "./policies.ts";
import type { Run } from "./run.ts";
import type { CommonStatus } from "./status-draft.ts";

/** A change that a plan asks for. */
export interface PlannedChange extends Difference {
  /** `edit`: due whatever the drift policy says, since its cause lies in the cluster (a rotated Secret) */
  readonly cause: "declared" | "edit";
  /**
   * told by what was recorded of the last write and not by what was read: that it comes back says that the record was lost, and nothing of what the
   * platform keeps
   */
  readonly remembered?: true;
}

interface DriftStatus extends CommonStatus {
  readonly syncedGeneration?: number | undefined;
}

interface Planned<C> {
  readonly object: { readonly kind: string; readonly metadata: ObjectMeta };
  readonly policies: EffectivePolicies;
  readonly changes: readonly C[];
}

/**
 * Which of the planned changes are made now (engine.md §6): all of them for a spec that was not in force yet, and for one that was,
 * as `driftPolicy` says. Sets `Drifted` and `Converging`, and tells of drift that is about to be repaired. Whoever makes a change says so with
 * `convergence.wrote`.
 */
export function applyDrift<C extends PlannedChange, Status extends DriftStatus>(
  run: Run<Status>,
  { object, policies, changes }: Planned<C>,
): readonly C[] {
  const inForce = run.status.current.syncedGeneration === object.metadata.generation;
  const drifted = inForce ? changes.filter(({ cause }) => cause === "declared") : [];
  const reported = policies.driftPolicy.value === "Correct" ? [] : drifted;
  showDrift(run, policies.driftPolicy.value === "Report" ? reported : []);
  const due = changes.filter((change) => !reported.includes(change));
  const read = due.filter(({ remembered }) => remembered !== true);
  const { stuck } = run.environment.convergence.admit(object, read);
  const write = due.filter((change) => !stuck.includes(change));
  showStuck(run, stuck);
  const repaired = write.filter((change) => drifted.includes(change)).map(({ field }) => field);
  count(run.environment.meter, { kind: object.kind, repaired, drifted });
  if (repaired.length > 0) {
    run.wrote("DriftCorrected", "the remote side differs and is repaired", repaired);
  }
  return write;
}

/** @param fields.repaired those of `drifted` that are about to be written */
function count(
  meter: Meter,
  { kind, repaired, drifted }: { kind: string; repaired: readonly string[]; drifted: readonly Difference[] },
): void {
  const total = meter.counter({
    name: "baas_drift_total",
    help: "Fields that a look found to differ remotely from a spec that was in force, by what was done",
    labels: ["kind", "action"],
  });
  if (repaired.length > 0) total.increment({ kind, action: "corrected" }, repaired.length);
  if (drifted.length > repaired.length) total.increment({ kind, action: "left" }, drifted.length - repaired.length);
}

/** Shows differences that are left alone in the condition Drifted, or takes it away where there are none. */
function showDrift<Status extends CommonStatus>(run: Run<Status>, drifted: readonly Difference[]): void {
  if (drifted.length === 0) run.status.remove("Drifted");
  else run.status.set("Drifted", "True", "DriftDetected", `differs remotely: ${names(drifted)}`);
}

/** Where nothing is to be written (`managementPolicy: Observe`): shows every difference, and that none was written in vain. */
export function observeDrift<Status extends CommonStatus>(run: Run<Status>, differences: readonly Difference[]): void {
  showDrift(run, differences);
  showStuck(run, []);
}

function showStuck<Status extends CommonStatus>(run: Run<Status>, stuck: readonly Difference[]): void {
  if (stuck.length === 0) {
    run.status.remove("Converging");
    return;
  }
  const message = `came back different after three writes and is written no more until the spec changes: ${names(stuck)}`;
  run.status.set("Converging", "False", "NotConverging", message);
}

function names(differences: readonly Difference[]): string {
  return differences.map(({ field }) => field).join(", ");
}
