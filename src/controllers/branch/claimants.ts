import type { Intent } from "../../resources/status.ts";
import { type ClaimedName, type NameClaimants, requireName, requireNobodyAsks } from "../shared/claims.ts";
import { inDoubtForMs } from "../shared/create-once.ts";
import { CLAIM_INDEX } from "../indexes.ts";
import { actsIn, claimsAt } from "../shared/same-place.ts";
import type { BranchContext, BranchRun } from "./context.ts";
import { CREATE_DEADLINE_MS } from "./creation.ts";
import { isForDefault } from "./default-branch.ts";
import { platformNow } from "./expiry.ts";

/** Who has to do with a name in the same project, whether the other object has its branch yet or not. */
function claimantsOf({ environment }: BranchRun, { place, name }: BranchContext): NameClaimants {
  const { projectRef, session } = place;
  const { branches } = environment.objects;
  const found = claimsAt(environment, projectRef, name).flatMap((claim) => branches.recordsByIndex(CLAIM_INDEX, claim));
  const all = [...new Set(found)]; // one may be found by what is recorded and by what it declares
  const declaring = all.filter(({ metadata, spec, status }) => {
    if (spec === undefined || (status.name !== name && (spec.name ?? metadata.name) !== name)) return false;
    const recordedHere = status.parentRef === projectRef && status.recordedFor === metadata.uid;
    return (
      recordedHere || actsIn(environment, { metadata, spec, status }, { ref: projectRef, account: session.account })
    );
  });
  return { declaring, asking: all.filter(({ status }) => status.parentRef === projectRef) };
}

function claimedName(run: BranchRun, context: BranchContext): ClaimedName {
  const nowMs = platformNow(run, context);
  const isInDoubt = (intent: Intent): boolean =>
    !isForDefault(intent) && inDoubtForMs(intent, CREATE_DEADLINE_MS, nowMs) > 0;
  const { name, place } = context;
  return { name, thing: `branch ${name} of project ${place.projectRef}`, isInDoubt };
}

/**
 * No other Branch has that name before this one, nor may have made something of it.
 *
 * @throws TerminalError Conflict; WaitingError as `requireAnswered`
 */
export function requireBranchName(run: BranchRun, context: BranchContext): void {
  requireName(context.object, claimantsOf(run, context), claimedName(run, context));
}

/** @throws WaitingError ConfirmingAbsence: another Branch asked for one of that name and got no answer */
export function requireAnswered(run: BranchRun, context: BranchContext): void {
  requireNobodyAsks(context.object, claimantsOf(run, context).asking, claimedName(run, context));
}
