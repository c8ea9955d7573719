import type { ActionRun } from "../../api/contract/actions.ts";
import { isApiError } from "../../api/errors.ts";
import type { BranchVerb, RequestState } from "../../resources/requests.ts";
import { calling, explain } from "../shared/failures.ts";
import type { Sought } from "../shared/sought.ts";
import {
  ABSENT,
  type Admission,
  arrived,
  failed,
  type Follower,
  mayHaveComeOf,
  NOW,
  type Progress,
  type Recorded,
  type RequestKind,
  running,
  type Trace,
  TRACELESS,
} from "../requests/request.ts";
import type { AtBranch, AtRuns } from "./at-branch.ts";
import { isGoing } from "./remove.ts";
import { isAtWork } from "./status.ts";

/** Merge, push and reset of a branch: an action run carries each out, whose steps the status shows. */

type WorkVerb = Extract<BranchVerb, "merge" | "push" | "reset">;

interface Work {
  readonly verb: WorkVerb;
  readonly doing: string;
  readonly repeats: boolean;
  readonly ifUnknown: string;
}

/** Runs of one page. */
const RUNS_PER_PAGE = 100;
/** Runs that are looked through for one that came of a request: far more than come to be while its answer is waited for. */
const MOST_RUNS_LOOKED_AT = 1000;
/** How long the platform may need to show a run whose id it answered, milliseconds. */
const RUN_SHOWN_LATE_MS = 60_000;

/** What stands before the first run of a project, in the place of the newest run's id. */
const NO_RUN = "none";

const LISTING = "list the action runs of the project";

async function newestRun({ client, parentRef, call }: AtBranch): Promise<string> {
  const [newest] = await calling(LISTING, () => client.actions.list({ ref: parentRef, limit: RUNS_PER_PAGE }, call));
  return newest?.id ?? NO_RUN;
}

/** Runs that came after one, newest first, or all where that one is not among them; undefined where it is further back than is looked. */
function runsSince({ client, parentRef, call }: AtRuns, before?: string): Promise<readonly ActionRun[] | undefined> {
  return calling(LISTING, async () => {
    const since: ActionRun[] = [];
    for await (const run of client.actions.list.each({ ref: parentRef, limit: RUNS_PER_PAGE }, call)) {
      if (run.id === before) return since;
      if (since.length === MOST_RUNS_LOOKED_AT) return undefined;
      since.push(run);
    }
    return since;
  });
}

function onceReady({ remote, state }: AtBranch): Admission {
  if (isGoing(remote)) return { kind: "refuse", message: "the deletion of the branch is scheduled: restore it first" };
  if (isAtWork(remote.status)) return { kind: "wait", message: `waits while the branch is ${remote.status}` };
  if (state === "ACTIVE_HEALTHY" || state === "ACTIVE_UNHEALTHY") return NOW;
  return { kind: "wait", message: `waits while the project of the branch is ${state ?? "of an unknown state"}` };
}

/**
 * The run that came of a request: on the branch or its parent, not there before, made while the request could arrive and no later than it was looked for in
 * vain. Another one on them came of something else, another branch's merge or somebody's push for example; whether this request is behind it nothing
 * tells. Nor is it certain that there is none where not all of them were looked through.
 */
async function findRun(at: AtRuns, record: Recorded): Promise<ActionRun | "other" | undefined> {
  const since = await runsSince(at, record.before);
  if (since === undefined) return "other";
  const branches = [at.branchId, await at.readDefaultId()];
  const candidates = since.filter(({ branch_id: id }) => branches.includes(id));
  if (candidates.length === 0) return undefined;
  const others = at.otherWork(record);
  const isTaken = ({ id, branch_id: branch }: ActionRun): boolean =>
    others.some((other) => other.run?.id === id || (isMergeInDoubt(other) && branch !== at.branchId));
  // The oldest: another one came later.
  const ours = candidates.findLast((run) => mayHaveComeOf(record, Date.parse(run.created_at)) && !isTaken(run));
  return ours ?? "other";
}

/** Whether any run of the parent may have come of it. */
function isMergeInDoubt({ verb, state }: Recorded): boolean {
  return verb === ("merge" satisfies WorkVerb) && state === ("Sending" satisfies RequestState);
}

/** How far an action run is. Step statuses: facts.md §1. */
function progressOf({ id, run_steps: all }: Pick<ActionRun, "id" | "run_steps">): Progress {
  const steps = all.map(({ name, status }) => ({ name, status }));
  const run = { id, steps };
  const dead = steps.find(({ status }) => status === "DEAD");
  if (dead !== undefined) {
    const message = `the step ${dead.name} of the action run failed: its log on the platform says why`;
    return { ...failed(message), run };
  }
  if (steps.length > 0 && steps.every(({ status }) => status === "EXITED")) {
    return { state: "Succeeded", message: "all steps of the action run are done", run };
  }
  return running("the action run is at work", run);
}

async function traceRun(at: AtRuns, record: Recorded): Promise<Trace> {
  const found = await findRun(at, record);
  if (found === "other") return TRACELESS;
  return found === undefined ? ABSENT : arrived(progressOf(found));
}

async function lookAtRun(at: AtRuns, { run, sentAt }: Recorded): Promise<Progress> {
  const id = run?.id ?? "";
  const sought: Sought = { kind: "actionRun", id };
  try {
    const shown = await at.client.actions.get({ ref: at.parentRef, run_id: id }, at.call);
    at.noteFound(sought);
    return progressOf(shown);
  } catch (error) {
    if (!isApiError(error, "GONE")) throw explain(error, "read the action run");
    const isLate = at.nowMs >= Date.parse(sentAt ?? "") + RUN_SHOWN_LATE_MS;
    if (at.noteMissed(sought) === "perhaps" || !isLate) return running("the action run is not shown yet", run);
    const message = "the platform took it and does not show its action run: look at the branch";
    return { state: "Unknown", message, ...(run === undefined ? {} : { run }) };
  }
}

function workKind({ verb, ...rest }: Work): RequestKind<AtBranch> {
  return {
    ...rest,
    verb,
    parameter: "migration",
    admit: onceReady,
    before: newestRun,
    send: async ({ client, ref, parentRef }, { parameter }, { call }) => {
      const body = parameter === undefined ? {} : { migration_version: parameter };
      const options = { ...call, parentRef };
      const { workflow_run_id: id } = await client.branches[verb]({ branch_id_or_ref: ref, body }, options);
      return running("the action run has begun", { id, steps: [] });
    },
    trace: traceRun,
    look: lookAtRun,
  };
}

const ifUnknown = "see the action runs of the branch on the platform, and ask with another id if it was not done";

/** What an action run carries out. A merge or push that was done already has nothing left to do; a reset destroys. */
export const branchWork: readonly RequestKind<AtBranch>[] = [
  workKind({ verb: "merge", doing: "merge the branch into its parent", repeats: true, ifUnknown }),
  workKind({ verb: "push", doing: "push the parent's changes to the branch", repeats: true, ifUnknown }),
  workKind({ verb: "reset", doing: "reset the branch", repeats: false, ifUnknown }),
];

/** What came of them where their branch is gone: the action run is their project's, and nothing is sent again. */
export function workOfLost(at: AtRuns): readonly Follower<undefined>[] {
  return branchWork.map(({ verb, parameter, ifUnknown: advice }) => ({
    verb,
    parameter,
    ifUnknown: advice,
    repeats: false,
    trace: (_, record) => traceRun(at, record),
    look: (_, record) => lookAtRun(at, record),
  }));
}

/** Whether an action run carries a request out. Pure. */
export function isWork({ verb }: Pick<Recorded, "verb">): boolean {
  return branchWork.some((kind) => kind.verb === verb);
}
