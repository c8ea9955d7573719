import { parentOf } from "../../resources/references.ts";
import type { BranchObject } from "../environment.ts";
import { hasOpen } from "../requests/records.ts";
import { FINAL_ABSENCE_MS } from "../shared/absences.ts";
import { whyNotGone } from "../shared/believe-gone.ts";
import { type ParentPlace, projectIsGone } from "../shared/parents.ts";
import { noteFound, noteMissed } from "../shared/require-absence.ts";
import type { Sought } from "../shared/sought.ts";
import type { BranchRun } from "./context.ts";
import { platformNow } from "./expiry.ts";
import { refuseRequests } from "./requests.ts";

/** What is asked of a branch whose project is gone: nothing tells of it any more. */
const WHY = "the project does not exist any more";

/** Ends what was asked of it where the Project that it is in is known to have lost its project for good. */
export async function endInMissingProject(run: BranchRun, { spec }: BranchObject): Promise<void> {
  const { environment, key } = run;
  if (projectIsGone(environment, key.namespace, spec)) await refuseRequests(run, () => environment.clock.now(), WHY);
}

/**
 * The same where no object stands for the project: it is believed of looks of this run and others that did not find it, and while the account that the
 * branch was recorded under still reads organizations.
 *
 * @throws as `whyNotGone`
 */
export async function endInUnknownProject(run: BranchRun, { spec }: BranchObject, place: ParentPlace): Promise<void> {
  const { environment, status } = run;
  const { session, projectRef: ref } = place;
  if (!hasOpen(status.current) || parentOf(spec).kind !== "UnmanagedProject") return;
  const sought: Sought = { kind: "project", ref };
  // A look that failed otherwise says nothing: it counts from when the platform said so, whoever asked.
  const goneAtMs = environment.snapshots.goneAtMs({ client: session.client, ref, list: "branches" });
  if (goneAtMs === undefined) return noteFound(run, sought);
  if ((await whyNotGone(run, { session, spec })) !== undefined) return;
  if (noteMissed(run, sought, goneAtMs) < FINAL_ABSENCE_MS) return;
  await refuseRequests(run, () => platformNow(run, { place }), WHY);
}
