import type { Branch } from "../../api/contract/branches.ts";
import type { BranchObject } from "../environment.ts";
import { type BranchVerb, branchVerbs, type RequestState } from "../../resources/requests.ts";
import { withoutDatabase } from "../requests/forget-database.ts";
import { isSame, isUnderWay, isUnsent, standing } from "../requests/records.ts";
import { requestsOfRef } from "../requests/of-ref.ts";
import {
  ABSENT,
  arrived,
  doneWhenAnswered,
  failed,
  mayHaveComeOf,
  NOW,
  type Recorded,
  type RequestKind,
  succeeded,
  traceless,
} from "../requests/request.ts";
import { type RequestsOptions, runRequests } from "../requests/run-requests.ts";
import { FINAL_ABSENCE_MS } from "../shared/absences.ts";
import { calling } from "../shared/failures.ts";
import { noteFound, noteMissed, requireAbsence } from "../shared/require-absence.ts";
import { declaredRootKey } from "../shared/root-key.ts";
import { soughtBranch } from "../shared/sought.ts";
import { CHANGE_MAX_AGE_MS } from "../shared/snapshot.ts";
import type { AtBranch, AtRuns } from "./at-branch.ts";
import type { BranchContext, BranchRun } from "./context.ts";
import { haveBack, platformNow } from "./expiry.ts";
import { branchesIfThere, type BranchesOf, findBranch, forgetList, listBranches } from "./observe.ts";
import { isGoing } from "./remove.ts";
import { branchWork, workOfLost } from "./work.ts";

/** What can be asked of a branch, beside what can be asked of any ref. */

/** Verbs that annotations of a Branch may ask for. */
export const branchVerbNames: readonly string[] = Object.keys(branchVerbs);

/** Whether an annotation asks for a branch to be kept whose deletion is scheduled, and nothing came of that yet. */
export function asksToRestore({ raw, status }: BranchRun): boolean {
  const request = standing(raw.metadata, "restore");
  const { requests = [] } = status.current;
  if (request === undefined) return false;
  return requests.every((record) => isUnsent(record) || !isSame(record, { verb: "restore", request }));
}

/** Whether what was asked for so is being found out: the branch may be kept already. */
export function isRestoring({ status }: BranchRun): boolean {
  const { requests = [] } = status.current;
  return requests.some((record) => record.verb === ("restore" satisfies BranchVerb) && isUnderWay(record));
}

const GONE = arrived(failed("the branch is gone"));

/** What stands in the place of a time where there is none. */
const NEVER = "never";

const restore: RequestKind<AtBranch> = {
  verb: "restore",
  parameter: "none",
  doing: "cancel the deletion of the branch",
  repeats: true,
  ifUnknown: "ask with another id if its deletion is still scheduled",
  admit: ({ remote }) =>
    isGoing(remote)
      ? NOW
      : { kind: "refuse", message: "no deletion of the branch is scheduled: there is nothing to restore" },
  before: ({ remote }) => Promise.resolve(remote.deletion_scheduled_at ?? NEVER),
  send: async ({ client, ref, parentRef }, _asked, { call }) => {
    await client.branches.restore({ branch_id_or_ref: ref }, { ...call, parentRef });
    return succeeded("the branch is kept");
  },
  trace: async (at, { before }) => {
    const branch = await at.readBranch();
    if (branch === undefined) return GONE;
    if (!isGoing(branch)) return arrived(succeeded("the branch is kept"));
    return branch.deletion_scheduled_at === before ? ABSENT : traceless("its deletion is scheduled for another time");
  },
  look: doneWhenAnswered,
};

const requestReview: RequestKind<AtBranch> = {
  verb: "request-review",
  parameter: "none",
  doing: "ask for a review of the branch",
  repeats: true,
  ifUnknown: "ask with another id if no review was asked for",
  admit: () => NOW,
  before: ({ remote }) => Promise.resolve(remote.review_requested_at ?? NEVER),
  send: async ({ client, ref, parentRef }, _asked, { call }) => {
    const body = { request_review: true };
    await client.branches.update({ branch_id_or_ref: ref, body }, { ...call, parentRef });
    return succeeded("a review was asked for");
  },
  trace: async (at, record) => {
    const branch = await at.readBranch();
    if (branch === undefined) return GONE;
    const asked = branch.review_requested_at ?? NEVER;
    if (asked === record.before) return ABSENT;
    if (mayHaveComeOf(record, Date.parse(asked))) return arrived(succeeded("a review was asked for"));
    return traceless("a review was asked for at another time");
  },
  look: doneWhenAnswered,
};

/** What brings a branch back comes first: nothing else is done to one that is about to go. */
const kinds: readonly RequestKind<AtBranch>[] = [restore, ...requestsOfRef, ...branchWork, requestReview];

/**
 * Carries out what annotations ask for.
 *
 * @param first the only verb of which anything is sent yet; default: none has to wait
 * @returns the branch as it is after that
 */
export async function runBranchRequests(
  run: BranchRun,
  context: BranchContext,
  remote: Branch,
  first?: BranchVerb,
): Promise<Branch> {
  const { place, policies } = context;
  const list = (maxAgeMs: number): ReturnType<typeof listBranches> => listBranches(run, context, maxAgeMs);
  const at = atBranch(run, { object: context.object, place, list }, remote);
  const observes = policies.managementPolicy.value === "Observe";
  const serverNow = (): number => platformNow(run, context);
  const asks = asksOf(run);
  const ended = (record: Recorded): void => {
    asks.ended(record);
    const { verb, state } = record;
    const isKept = verb === ("restore" satisfies BranchVerb) && state === ("Succeeded" satisfies RequestState);
    if (isKept) haveBack(run, context, remote);
  };
  const target = { kind: "there", at, observes, ...(first === undefined ? {} : { first }) } as const;
  if (!(await runRequests(run, { ...asks, target, serverNow, ended }))) return remote;
  forgetAll(run, context, remote);
  forgetList(run, place);
  return findBranch(await list(0), { ref: remote.project_ref, id: remote.id }) ?? remote;
}

/** What may be asked of a branch, and what follows in its status from the end of that, whatever came of it. */
function asksOf({ status }: BranchRun): Pick<RequestsOptions<AtBranch>, "kinds" | "ended"> {
  return {
    kinds,
    ended: ({ verb, sentAt }: Recorded): void => {
      const mayBeReset = verb === ("reset" satisfies BranchVerb) && sentAt !== undefined;
      if (mayBeReset) status.sections(withoutDatabase(status.current.sections));
    },
  };
}

/**
 * Carries out nothing of what annotations ask for, since there is nothing that it may be done to, and says so.
 *
 * @param why for people; what was sent before is not seen any more
 */
export async function refuseRequests(run: BranchRun, serverNow: () => number, why: string): Promise<void> {
  await runRequests(run, { ...asksOf(run), target: { kind: "nothing", why }, serverNow });
}

/**
 * The same where the branch is gone: what came of a merge, push or reset its action run tells, which is the project's.
 *
 * @param branchId undefined where nothing tells it any more
 */
export async function endRequestsOfLost(
  run: BranchRun,
  context: BranchContext,
  { branchId, why }: { readonly branchId: string | undefined; readonly why: string },
): Promise<void> {
  const { object, place } = context;
  const list = (maxAgeMs: number): ReturnType<typeof listBranches> => listBranches(run, context, maxAgeMs);
  const { verb, parameter, ifUnknown } = restore;
  const failedToKeep = {
    verb,
    parameter,
    ifUnknown,
    repeats: false,
    trace: () => Promise.resolve(GONE),
    look: doneWhenAnswered,
  };
  const elsewhere = [failedToKeep, ...workOfLost(atRuns(run, { object, place, list }, branchId))];
  const serverNow = (): number => platformNow(run, context);
  await runRequests(run, { ...asksOf(run), target: { kind: "nothing", why, elsewhere }, serverNow });
}

/** A branch that is to be deleted. */
export interface EndingBranch {
  readonly object: BranchObject;
  readonly place: BranchesOf;
  readonly remote: Branch;
  /** why it is to be deleted, for people */
  readonly why: string;
}

/** Follows what is under way, and sends nothing more. */
export async function endRequests(run: BranchRun, { object, place, remote, why }: EndingBranch): Promise<void> {
  const list = async (maxAgeMs: number) => (await branchesIfThere(run, place, maxAgeMs)) ?? [];
  const at = atBranch(run, { object, place, list }, remote);
  const serverNow = (): number => platformNow(run, { place });
  await runRequests(run, { ...asksOf(run), target: { kind: "ending", at, why }, serverNow });
}

/** How a branch is reached. */
interface Reached extends Pick<EndingBranch, "object" | "place"> {
  /** the branches of its project, at most so old */
  readonly list: (maxAgeMs: number) => Promise<readonly Branch[]>;
}

function atRuns(run: BranchRun, reached: Reached, branchId: string | undefined): AtRuns {
  const { place, list } = reached;
  const { session, projectRef: parentRef } = place;
  return {
    client: session.client,
    call: run.call,
    parentRef,
    branchId,
    nowMs: platformNow(run, reached),
    otherWork: (record) => otherWork(run, place, record),
    readDefaultId: async () => (await list(CHANGE_MAX_AGE_MS)).find((one) => one.is_default)?.id,
    noteMissed: (sought) => (noteMissed(run, sought) >= FINAL_ABSENCE_MS ? "gone" : "perhaps"),
    noteFound: (sought) => noteFound(run, sought),
  };
}

function atBranch(run: BranchRun, reached: Reached, remote: Branch): AtBranch {
  const { object, place, list } = reached;
  const { session, projectRef: parentRef } = place;
  const { client } = session;
  const { project_ref: ref, id } = remote;
  const runs = atRuns(run, reached, id);
  const readConfig = () =>
    calling("read the branch", () => client.branches.get({ branch_id_or_ref: ref }, { ...run.call, parentRef }));
  return {
    ...runs,
    ref,
    remote,
    // Not every platform lists it; what was read of the branch itself stands in the status.
    state: remote.preview_project_status ?? run.status.current.projectState,
    readState: async () => (await readConfig()).status,
    rootKey: declaredRootKey(run, object.spec),
    readBranch: async () => {
      const found = findBranch(await list(0), { ref, id });
      const sought = soughtBranch({ ref, id });
      if (found === undefined) requireAbsence(run, sought, "end");
      else noteFound(run, sought);
      return found;
    },
  };
}

/** What else was asked of branches of the same project: the actions of all of them are in one list. */
function otherWork(
  { environment, raw, status }: BranchRun,
  { projectRef }: BranchesOf,
  record: Recorded,
): readonly Recorded[] {
  const own = (status.current.requests ?? []).filter((one) => !isSame(one, record));
  const others = environment.objects.branches
    .list()
    .filter(({ metadata, status: { parentRef } }) => metadata.uid !== raw.metadata.uid && parentRef === projectRef)
    .flatMap(({ status: { requests = [] } }) => requests);
  return [...own, ...others];
}

/** Work on a branch deploys functions, and may set its password: what is remembered of them, here and in the parent, holds no more. */
function forgetAll({ environment }: BranchRun, { place }: BranchContext, { project_ref: ref }: Branch): void {
  const { session, projectRef } = place;
  for (const one of [ref, projectRef]) {
    const { functions, branchConfig } = environment.snapshots.of(session.client, one);
    functions.wrote();
    branchConfig.wrote();
  }
}
