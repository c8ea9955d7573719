import type { Branch } from "../../api/contract/branches.ts";
import { driftOf } from "../sections/entries.ts";
import { attempt } from "../shared/attempt.ts";
import { decideDrift, type DriftShown, isInForce, observedDrift, showDrift } from "../shared/drift.ts";
import type { BranchContext, BranchRun } from "./context.ts";
import { patchBranch } from "./patch.ts";
import { type BranchPatch, planBranch } from "./plan.ts";

/** The branch after the request that was made. */
export interface AppliedBranch {
  readonly remote: Branch;
  /** what differs and is not written */
  readonly drift: DriftShown;
  /** why what was due could not be written; all else of the branch goes on */
  readonly failure?: Error;
}

/** Writes the declared fields that differ, in one request with exactly those, and returns the branch as it is after it. */
export async function applyBranch(run: BranchRun, context: BranchContext, remote: Branch): Promise<AppliedBranch> {
  const { object, place, policies } = context;
  const changes = planBranch({ spec: object.spec, remote });
  if (policies.managementPolicy.value === "Observe") {
    const drift = observedDrift(changes);
    showDrift(run, drift, driftOf(run.status.current.sections));
    return { remote, drift };
  }
  const drift = decideDrift(run, { object, policies, changes }, { inForce: isInForce(run, object) });
  showDrift(run, drift, driftOf(run.status.current.sections));
  const due = drift.write;
  if (due.length === 0) {
    run.status.update({ syncedGeneration: object.metadata.generation });
    return { remote, drift };
  }
  await run.protect();
  const fields = due.map(({ field }) => field);
  const body = due.reduce<BranchPatch>((whole, { patch }) => ({ ...whole, ...patch }), {});
  const patch = { branch: remote, body, doing: "update the branch", fields };
  const written = await attempt(() => patchBranch(run, place, patch));
  if (!written.ok) return { remote, drift, failure: written.failure };
  for (const change of due) run.environment.convergence.wrote(object, change);
  run.wrote("Updated", "changed the branch", fields);
  run.status.update({ syncedGeneration: object.metadata.generation });
  return { remote: written.value, drift };
}
