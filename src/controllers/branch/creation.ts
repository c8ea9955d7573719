import type { Branch } from "../../api/contract/branches.ts";
import type { Intent } from "../../resources/status.ts";
import { REF_INDEX } from "../indexes.ts";
import { isOthers } from "../shared/ownership.ts";
import { summarizeCreating } from "../shared/ready.ts";
import { connectionInUse, type Session } from "../shared/sessions.ts";
import type { BranchContext, BranchRun } from "./context.ts";

/** What creating the default branch and creating an object's own have in common. */

/** Longest time of a create request, milliseconds. */
export const CREATE_DEADLINE_MS = 60_000;

/** A branch that a look-up found, with the platform's time of its creation. */
export interface FoundBranch {
  readonly branch: Branch;
  readonly createdMs: number | undefined;
  readonly others: boolean;
}

export function foundBranches(
  { environment, raw }: BranchRun,
  session: Session,
  branches: readonly Branch[],
): readonly FoundBranch[] {
  const { uid } = raw.metadata;
  return branches.map((branch) => {
    const { project_ref: ref } = branch;
    const createdMs = Date.parse(branch.created_at);
    const others = isOthers(environment.objects.branches.recordsByIndex(REF_INDEX, ref), { uid, ref, session });
    // The default branch stands for the project: no request for a preview branch is taken to have made it.
    return { branch, createdMs: Number.isNaN(createdMs) ? undefined : createdMs, others: others || branch.is_default };
  });
}

/**
 * Stores an intent under an optimistic lock, with what a deletion needs to find what came of it: the project, and the connection, which is the
 * parent's and may be gone by then (engine.md §5). In another project than before nothing was in force: where nothing comes of the intent, that it lacks the
 * branch is no drift (engine.md §6).
 */
export async function noteIntent(
  run: BranchRun,
  { place, name }: Pick<BranchContext, "place" | "name">,
  intent: Intent,
): Promise<void> {
  const { session, projectRef } = place;
  await run.lockStatus(() => {
    const { parentRef = projectRef } = run.status.current;
    const anew = parentRef === projectRef ? {} : { syncedGeneration: undefined };
    run.status.update({ intent, parentRef: projectRef, connection: connectionInUse(session), ...anew });
    summarizeCreating(run.status, `creating the branch ${name} of the project ${projectRef}`);
  });
}
