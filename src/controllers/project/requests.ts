import type { ProjectDetail } from "../../api/contract/projects.ts";
import { momentOf, projectVerbs } from "../../resources/requests.ts";
import { withoutDatabase } from "../requests/forget-database.ts";
import { type AtRef, onceSettled, progressThrough, requestsOfRef, traceThrough } from "../requests/of-ref.ts";
import {
  ABSENT,
  arrived,
  doneWhenAnswered,
  failed,
  NOW,
  type Recorded,
  type RequestKind,
  running,
  succeeded,
  traceless,
} from "../requests/request.ts";
import { type RequestsOptions, runRequests } from "../requests/run-requests.ts";
import type { ProjectContext, ProjectRun } from "./context.ts";
import { declaredRootKey } from "../shared/root-key.ts";
import type { Session } from "../shared/sessions.ts";
import { calling } from "../shared/failures.ts";
import { readProject } from "./observe.ts";

/** What can be asked of a project, beside what can be asked of any ref. */

interface AtProject extends AtRef {
  /** the spec says that it runs */
  readonly declaredRunning: boolean;
}

/** Verbs that annotations of a Project may ask for. */
export const projectVerbNames: readonly string[] = Object.keys(projectVerbs);

const goingBack = {
  through: "RESTORING",
  doing: "the database is going back",
  done: "the database went back",
} as const;

const restoreTo: RequestKind<AtProject> = {
  verb: "restore-to",
  parameter: "moment",
  doing: "take the database back to a point in time",
  // A second time would lose what was written after the first.
  repeats: false,
  ifUnknown: "compare the data with that time, and ask with another id if the database did not go back",
  admit: (at, { parameter = "" }) => {
    if (momentOf(parameter) <= at.nowMs) return onceSettled(at);
    return { kind: "refuse", message: `${parameter} is yet to come: write a time in the past` };
  },
  send: async ({ client, ref }, { parameter = "" }, { call }) => {
    const body = { recovery_time_target_unix: momentOf(parameter) / 1000 };
    await client.backups.restorePitr({ ref, body }, call);
    return running(`${goingBack.doing} to ${parameter}`);
  },
  trace: (at) => traceThrough(at, goingBack),
  look: async (at, record) => {
    const state = await at.readState();
    if (state === "INACTIVE") return failed("the restoration was cancelled: the project is paused");
    const progress = progressThrough(at, record, { state, passage: goingBack });
    return { ...progress, message: progress.state === "Failed" ? progress.message : wordsOf(progress.message, record) };
  },
};

function wordsOf(message: string, { request }: { readonly request: string }): string {
  return `${message} to ${request.slice(request.indexOf("@") + 1)}`;
}

const cancelRestore: RequestKind<AtProject> = {
  verb: "cancel-restore",
  parameter: "none",
  doing: "cancel the restoration",
  amid: true,
  // Nothing tells one restoration from another, which somebody may have begun by then.
  repeats: false,
  ifUnknown: "ask with another id if the project is still being restored",
  admit: ({ declaredRunning }) => {
    if (!declaredRunning) return NOW;
    return {
      kind: "refuse",
      message: "spec.state: Running would restore the project again at once: remove it, or write Paused",
    };
  },
  send: async ({ client, ref }, _asked, { call }) => {
    await client.projects.cancelRestore({ ref }, call);
    return succeeded("the restoration was cancelled: the project is paused");
  },
  trace: async (at) => {
    const state = await at.readState();
    if (state === "RESTORING") return ABSENT;
    if (state === "INACTIVE") return arrived(succeeded("the restoration was cancelled: the project is paused"));
    return traceless(`the project is ${state ?? "gone"}: the restoration may have ended before`);
  },
  look: doneWhenAnswered,
};

const kinds: readonly RequestKind<AtProject>[] = [...requestsOfRef, restoreTo, cancelRestore];

/** Carries out what annotations ask for. @returns the project as it is after that */
export async function runProjectRequests(
  run: ProjectRun,
  { object, session, policies }: ProjectContext,
  remote: ProjectDetail,
): Promise<ProjectDetail> {
  const { ref } = remote;
  const { client } = session;
  const serverNow = (): number => client.serverNow() ?? run.environment.clock.now();
  const at: AtProject = {
    client,
    ref,
    call: run.call,
    state: remote.status,
    nowMs: serverNow(),
    declaredRunning: object.spec.state === "Running",
    readState: async () => (await calling("read the project", () => client.projects.get({ ref }, run.call))).status,
    rootKey: declaredRootKey(run, object.spec),
  };
  const observes = policies.managementPolicy.value === "Observe";
  const sent = await runRequests(run, { ...asksOf(run), target: { kind: "there", at, observes }, serverNow });
  return (sent ? await readProject(run, session, ref) : undefined) ?? remote;
}

/**
 * Carries out nothing of what annotations ask for, since there is nothing that it may be done to, and says so.
 *
 * @param why for people; what was sent before is not seen any more
 */
export async function refuseProjectRequests(run: ProjectRun, { client }: Session, why: string): Promise<void> {
  const serverNow = (): number => client.serverNow() ?? run.environment.clock.now();
  await runRequests(run, { ...asksOf(run), target: { kind: "nothing", why }, serverNow });
}

/** What may be asked of a project, and what follows in its status from the end of that, whatever came of it. */
function asksOf(run: ProjectRun): Pick<RequestsOptions<AtProject>, "kinds" | "ended"> {
  return {
    kinds,
    ended: ({ verb, sentAt }: Recorded): void => {
      if (verb === restoreTo.verb && sentAt !== undefined) forgetDatabase(run);
    },
  };
}

/** The database is as it was, or may be: a password that was set since is sent again. A generated one never was another. */
function forgetDatabase({ status }: ProjectRun): void {
  const { databasePassword, sections } = status.current;
  status.sections(withoutDatabase(sections));
  if (databasePassword?.generated !== false) return;
  status.update({ databasePassword: { ...databasePassword, sent: undefined } });
}
