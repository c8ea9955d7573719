import { parentOf } from "../../resources/references.ts";
import type { BranchObject } from "../environment.ts";
import { isUnderWay, isUnsent } from "../requests/records.ts";
import { whyNotGone } from "../shared/believe-gone.ts";
import { type ParentPlace, projectIsMissing } from "../shared/parents.ts";
import type { BranchRun } from "./context.ts";
import { platformNow } from "./expiry.ts";
import { refuseRequests } from "./requests.ts";

/** What is asked of a branch whose project is gone: nothing tells of it any more. */
const WHY = "the project does not exist any more";

/** Ends what was asked of it where the Project that it is in is known to have lost its project. */
export async function endInMissingProject(run: BranchRun, { spec }: BranchObject): Promise<void> {
  const { environment, key } = run;
  if (projectIsMissing(environment, key.namespace, spec)) await refuseRequests(run, () => environment.clock.now(), WHY);
}

/** How often the platform has said that it does not know the project, of late. */
export function timesUnknown({ environment }: BranchRun, { session, projectRef: ref }: ParentPlace): number {
  return environment.snapshots.timesGone({ client: session.client, ref, list: "branches" });
}

/**
 * The same where no object stands for the project: it is believed of two looks, and while the account that the branch was recorded under still reads
 * organizations.
 *
 * @param known `timesUnknown` before this look: one that failed otherwise did not find it missing
 * @throws as `whyNotGone`
 */
export async function endInUnknownProject(
  run: BranchRun,
  { spec }: BranchObject,
  { place, known }: { readonly place: ParentPlace; readonly known: number },
): Promise<void> {
  const { environment, raw, status } = run;
  const { session, projectRef: ref } = place;
  const { requests = [] } = status.current;
  const isAsked = requests.some((record) => isUnderWay(record) || isUnsent(record));
  if (!isAsked || parentOf(spec).kind !== "UnmanagedProject") return;
  const what = `project ${ref}`;
  const times = timesUnknown(run, place);
  if (times === 0) environment.absences.found(raw.metadata.uid, what);
  if (times <= known) return;
  if ((await whyNotGone(run, { session, spec })) !== undefined) return;
  if (!environment.absences.missed(raw.metadata.uid, what)) return;
  await refuseRequests(run, () => platformNow(run, { place }), WHY);
}
