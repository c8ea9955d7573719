import type { Branch } from "../../api/contract/branches.ts";
import { applyDrift, observeDrift } from "../shared/drift.ts";
import type { BranchContext, BranchRun } from "./context.ts";
import { patchBranch } from "./patch.ts";
import { type BranchPatch, planBranch } from "./plan.ts";

/** Writes the declared fields that differ, in one request with exactly those, and returns the branch as it is after it. */
export async function applyBranch(run: BranchRun, context: BranchContext, remote: Branch): Promise<Branch> {
  const { object, place, policies } = context;
  const changes = planBranch({ spec: object.spec, remote });
  if (policies.managementPolicy.value === "Observe") {
    observeDrift(run, changes);
    return remote;
  }
  const due = applyDrift(run, { object, policies, changes });
  if (due.length === 0) {
    run.status.update({ syncedGeneration: object.metadata.generation });
    return remote;
  }
  await run.protect();
  const fields = due.map(({ field }) => field);
  const body = due.reduce<BranchPatch>((whole, { patch }) => ({ ...whole, ...patch }), {});
  const written = await patchBranch(run, place, { branch: remote, body, doing: "update the branch" });
  for (const change of due) run.environment.convergence.wrote(object, change);
  run.wrote("Updated", "changed the branch", fields);
  run.status.update({ syncedGeneration: object.metadata.generation });
  return written;
}
