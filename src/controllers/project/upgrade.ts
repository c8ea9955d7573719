import type { ProjectDetail } from "../../api/contract/projects.ts";
import { UPGRADE_STATUS, type UpgradeEligibility, type UpgradeStatus } from "../../api/contract/upgrades.ts";
import { isApiError } from "../../api/errors.ts";
import type { DeepReadonly } from "../../resources/kind.ts";
import { untilWindowMs } from "../../resources/maintenance-window.ts";
import type { StepState, UpgradeRecord } from "../../resources/project/lifecycle.ts";
import type { projectVerbs, RequestState } from "../../resources/requests.ts";
import { attempt } from "../shared/attempt.ts";
import { askedForBy } from "../shared/asked-for-by.ts";
import { DOUBT_LOOK_MS, inDoubtForMs, INTENT_MARGIN_MS } from "../shared/create-once.ts";
import { calling, explain, terminal, waiting } from "../shared/failures.ts";
import { driftIntervalMs } from "../shared/policies.ts";
import { isUp } from "../shared/project-states.ts";
import { sendRecorded } from "../shared/send-recorded.ts";
import type { ProjectContext, ProjectRun } from "./context.ts";
import { isAskedFor, REFUSED } from "./steps.ts";
import { blockersOf, versionStep, warningsOf } from "./upgrade-plan.ts";

/** `spec.database.version`: an upgrade is asked for once, where nothing stands in its way and the window is open, and watched until it ends. */

type Recorded = DeepReadonly<UpgradeRecord>;
type Status = NonNullable<UpgradeStatus["databaseUpgradeStatus"]>;

/** What asks for it. */
const FIELD = "spec.database.version";

/** Longest time of the request, milliseconds. */
const UPGRADE_DEADLINE_MS = 60_000;
/** How long after it was asked for an upgrade may be over, and the version before it be shown still, milliseconds. */
const SHOWN_LATE_MS = 86_400_000;
/** How often what stands in the way is looked at, milliseconds: it is put right where no watch sees it. */
const BLOCKED_LOOK_MS = 600_000;

/** What came of the declared version. */
export interface AfterUpgrade {
  readonly remote: ProjectDetail;
  /** why the version is not as declared; everything else of the project goes on */
  readonly pending: Error | undefined;
}

/** The upgrade that this very object meant, of the project that it has now. */
function ownUpgrade({ status, raw }: ProjectRun, { ref }: ProjectDetail): Recorded | undefined {
  const { upgrade } = status.current;
  return upgrade?.uid === raw.metadata.uid && upgrade.ref === ref ? upgrade : undefined;
}

/** Watches an upgrade that is under way, and begins the one that is declared. What of it fails is why the version is not as declared. */
export async function followUpgrade(
  run: ProjectRun,
  context: ProjectContext,
  remote: ProjectDetail,
): Promise<AfterUpgrade> {
  const followed = await attempt(() => followDeclared(run, context, remote));
  return followed.ok ? followed.value : { remote, pending: followed.failure };
}

async function followDeclared(run: ProjectRun, context: ProjectContext, remote: ProjectDetail): Promise<AfterUpgrade> {
  const { object, policies } = context;
  const earlier = ownUpgrade(run, remote);
  if (earlier !== undefined && isAskedFor(earlier)) await lookAt(run, context, { record: earlier, remote });
  forgetOutdated(run, remote, object.spec.database?.version);
  const record = ownUpgrade(run, remote);
  if (record !== undefined && isAskedFor(record)) return { remote, pending: isBeing(record) };
  const step = versionStep(object.spec, remote);
  if (step === undefined || policies.managementPolicy.value === "Observe") return { remote, pending: undefined };
  switch (step.kind) {
    case "same":
      return { remote, pending: undefined };
    case "lower":
      return { remote, pending: lowered(step) };
    case "other": {
      if (!isUp(remote.status)) return { remote, pending: onceRunning(remote, step.to, driftIntervalMs(policies)) };
      const ended = record === undefined ? undefined : endOf(run, context, { record, from: step.from });
      return ended === undefined ? begin(run, context, { remote, step }) : { remote, pending: ended };
    }
    default:
      return step.kind satisfies never;
  }
}

/** What became of a version that is declared no more says nothing of the one that is; what was done stays to be read. */
function forgetOutdated(run: ProjectRun, remote: ProjectDetail, declared: string | undefined): void {
  const record = ownUpgrade(run, remote);
  if (record === undefined) return run.status.update({ upgrade: undefined });
  if (isAskedFor(record) || record.state === ("Succeeded" satisfies StepState)) return;
  if (record.to !== declared) run.status.update({ upgrade: undefined });
}

/** Why an upgrade that came to its end is not asked for again, though the platform shows another version than the declared one. */
function endOf(
  run: ProjectRun,
  context: ProjectContext,
  { record, from }: { readonly record: Recorded; readonly from: string },
): Error | undefined {
  if (record.state === ("Failed" satisfies StepState)) return hasFailed(record);
  if (record.state !== ("Succeeded" satisfies StepState)) return undefined;
  const { sentAt = "" } = record;
  const mayBeShownYet = nowOf(run, context) < Date.parse(sentAt) + SHOWN_LATE_MS;
  if (mayBeShownYet && !wasTakenBack(run, sentAt)) return isBeing(record);
  return hasFailed(fail(run, record, `it was done, and the database has version ${from} again`));
}

/** Whether the database went back to a point in time since. */
function wasTakenBack({ status }: ProjectRun, sentAt: string): boolean {
  const { requests = [] } = status.current;
  return requests.some(
    ({ verb, state, endedAt = "" }) =>
      verb === ("restore-to" satisfies keyof typeof projectVerbs) &&
      state === ("Succeeded" satisfies RequestState) &&
      Date.parse(endedAt) > Date.parse(sentAt),
  );
}

/** A project that is on its way says so itself; one that is paused would seem to be as declared. */
function onceRunning({ status }: ProjectDetail, to: string, lookMs: number = BLOCKED_LOOK_MS): Error | undefined {
  if (status !== "INACTIVE") return undefined;
  return waiting("Updating", `the database is upgraded to version ${to} once the project runs`, lookMs);
}

function lowered({ from, to }: { readonly from: string; readonly to: string }): Error {
  const message = `spec.database.version: the database has version ${from} and is never brought down to ${to}: write ${from}, or remove it`;
  return terminal("InvalidSpec", message, { recheckAfterMs: BLOCKED_LOOK_MS });
}

function isBeing({ to, progress, blockers }: Pick<Recorded, "to" | "progress" | "blockers">): Error {
  const far = progress === undefined ? "" : `: ${progress}`;
  const refused = blockers === undefined ? "" : `, or that is refused as it was before: ${blockers.join("; ")}`;
  return waiting("Upgrading", `the database is being upgraded to version ${to}${far}${refused}`, DOUBT_LOOK_MS);
}

function hasFailed({ to, error = "" }: Recorded): Error {
  const message =
    `the upgrade of the database to version ${to} failed: ${error}; it is not tried again by itself: see the project on the platform, and to ` +
    "have it tried again remove spec.database.version and write it again";
  return terminal("UpgradeFailed", message, { recheckAfterMs: BLOCKED_LOOK_MS });
}

function nowOf(run: ProjectRun, { session }: ProjectContext): number {
  return session.client.serverNow() ?? run.environment.clock.now();
}

interface Looked {
  readonly record: Recorded;
  readonly remote: ProjectDetail;
}

/** Reads how far an upgrade is, or whether one came of a request whose answer was lost, and notes it: whatever refused an earlier one is no more then. */
async function lookAt(run: ProjectRun, context: ProjectContext, { record: sent, remote }: Looked): Promise<void> {
  const { blockers: _former, ...record } = sent;
  const { ref } = remote;
  const { trackingId, sentAt = "" } = record;
  const query = trackingId === undefined ? {} : { tracking_id: trackingId };
  const { databaseUpgradeStatus: status } = await calling("read how far the upgrade is", () =>
    context.session.client.upgrades.status({ ref, ...query }, run.call),
  );
  const isOurs =
    status !== null &&
    (trackingId !== undefined || Date.parse(status.initiated_at) >= Date.parse(sentAt) - INTENT_MARGIN_MS);
  if (isOurs) return note(run, record, status);
  if (remote.database?.postgres_engine === record.to) return end(run, record, {});
  if (remote.status === "UPGRADING") return;
  if (inDoubtForMs({ time: sentAt }, UPGRADE_DEADLINE_MS, nowOf(run, context)) > 0) return;
  // Sent and taken, an upgrade is known to the platform: one whose answer was lost was not taken.
  const isUntaken = trackingId === undefined && record.state === ("Sending" satisfies StepState);
  if (isUntaken) return run.status.update({ upgrade: undefined });
  fail(run, record, "the platform took it and shows nothing of it any more");
}

function note(run: ProjectRun, record: Recorded, { status, progress, error }: Status): void {
  const seen = progress === null || progress === undefined ? {} : { progress };
  const state: StepState = status === UPGRADE_STATUS.failed ? "Failed" : "Running";
  if (status === UPGRADE_STATUS.upgraded) return end(run, record, seen);
  if (state === "Running") return run.status.update({ upgrade: { ...record, ...seen, state } });
  fail(run, { ...record, ...seen }, error ?? "the platform does not say why");
}

/** Notes that it is not as declared, and tells of it. @returns the record of that */
function fail(run: ProjectRun, record: Recorded, error: string): Recorded {
  const state: StepState = "Failed";
  const failed: Recorded = { ...record, state, error, message: "failed" };
  run.status.update({ upgrade: failed });
  run.wrote("UpgradeFailed", `the upgrade to version ${record.to} failed: ${error}`);
  return failed;
}

function end(run: ProjectRun, record: Recorded, seen: Pick<UpgradeRecord, "progress">): void {
  const state: StepState = "Succeeded";
  run.status.update({ upgrade: { ...record, ...seen, state, message: "the database was upgraded" } });
  run.wrote("Upgraded", `the database was upgraded from version ${record.from} to ${record.to}`);
}

interface Begun {
  readonly remote: ProjectDetail;
  readonly step: { readonly from: string; readonly to: string };
}

async function begin(run: ProjectRun, context: ProjectContext, { remote, step }: Begun): Promise<AfterUpgrade> {
  const { session, object, policies } = context;
  const { ref } = remote;
  const asking = (): Promise<UpgradeEligibility> => session.client.upgrades.eligibility({ ref }, run.call);
  const eligibility = await calling("read whether the database can be upgraded", asking, [FIELD]);
  const warnings = warningsOf(eligibility);
  const wanted: UpgradeRecord = {
    ref,
    from: step.from,
    to: step.to,
    uid: run.raw.metadata.uid,
    state: "Waiting",
    ...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
  };
  const blockers = blockersOf(eligibility, step.to);
  if (blockers.length > 0) {
    noteBlocked(run, wanted, blockers);
    return { remote, pending: blocked(wanted, blockers) };
  }
  const window = object.spec.maintenanceWindow;
  const untilMs = window === undefined ? 0 : untilWindowMs(window, nowOf(run, context));
  if (untilMs === 0) return start(run, context, { remote, wanted });
  const days = window?.days === undefined ? "every day" : window.days.join(", ");
  const message = `the database is upgraded to version ${step.to} when the maintenance window opens: ${days} at ${window?.start ?? ""} UTC`;
  run.status.update({ upgrade: { ...wanted, message } });
  const lookMs = Math.min(untilMs, driftIntervalMs(policies) ?? untilMs);
  return { remote, pending: waiting("AwaitingWindow", message, lookMs) };
}

function noteBlocked({ status }: ProjectRun, wanted: UpgradeRecord, blockers: readonly string[]): void {
  const state: StepState = "Blocked";
  status.update({ upgrade: { ...wanted, state, blockers: [...blockers] } });
}

function blocked({ from, to }: UpgradeRecord, blockers: readonly string[]): Error {
  const message = `the database cannot be upgraded from version ${from} to ${to}: ${blockers.join("; ")}`;
  return terminal("UpgradeBlocked", askedForBy(message, [FIELD]), { recheckAfterMs: BLOCKED_LOOK_MS });
}

/** What may have been asked for is looked for, and not asked for again meanwhile. */
async function start(
  run: ProjectRun,
  context: ProjectContext,
  { remote, wanted }: { readonly remote: ProjectDetail; readonly wanted: UpgradeRecord },
): Promise<AfterUpgrade> {
  const { client } = context.session;
  const { from, to } = wanted;
  const { status } = run;
  const input = { ref: remote.ref, body: { target_version: to } };
  // The record of a try that is refused as the one before stays as it is.
  const { blockers } = ownUpgrade(run, remote) ?? {};
  await run.protect();
  try {
    const { answer, record } = await sendRecorded(run, {
      what: "upgrade",
      record: () => {
        const sentAt = new Date(nowOf(run, context)).toISOString();
        const record = { ...wanted, state: "Sending" satisfies StepState, sentAt };
        status.update({ upgrade: { ...record, ...(blockers === undefined ? {} : { blockers: [...blockers] }) } });
        return record;
      },
      takeBack: (error) => {
        if (isApiError(error, ...REFUSED)) noteBlocked(run, wanted, [error.message]);
        else status.update({ upgrade: undefined });
        return error.message;
      },
      send: (call) => client.upgrades.start(input, { ...call, deadlineMs: UPGRADE_DEADLINE_MS }),
    });
    status.update({ upgrade: { ...wanted, ...record, state: "Running", trackingId: answer.tracking_id } });
  } catch (error) {
    if (!isApiError(error)) throw error;
    if (error.effect !== "none") return { remote, pending: isBeing(wanted) };
    if (isApiError(error, ...REFUSED)) return { remote, pending: blocked(wanted, [error.message]) };
    throw explain(error, "upgrade the database", [FIELD]);
  }
  run.wrote("Upgrading", `asked for the database to be upgraded from version ${from} to ${to}`, [FIELD]);
  await run.writeStatus();
  return { remote: { ...remote, status: "UPGRADING" }, pending: undefined };
}
