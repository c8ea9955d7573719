import type { ProjectDetail } from "../../api/contract/projects.ts";
import { type Attempted, attempt } from "../shared/attempt.ts";
import { calling, waiting } from "../shared/failures.ts";
import { decideDrift, type DriftShown, isInForce, observedDrift, showDrift } from "../shared/drift.ts";
import { REFUSED_LOOK_MS } from "../shared/drift-checks.ts";
import { driftIntervalMs } from "../shared/policies.ts";
import { driftOf } from "../sections/entries.ts";
import type { SecretValue } from "../shared/core-objects.ts";
import type { SentValue } from "../../resources/status.ts";
import { seenAgain } from "../shared/key-ring.ts";
import { sameJson } from "../shared/merge-patch.ts";
import { declaredPassword } from "./password.ts";
import { awaitsState, planProject, type ProjectChange } from "./plan.ts";
import type { ProjectContext, ProjectRun } from "./context.ts";
import { TerminalError } from "../../runtime/outcome.ts";
import { readProject } from "./observe.ts";
import { sendRecorded } from "../shared/send-recorded.ts";
import { versionDifference } from "./upgrade-plan.ts";

/** A declared password that is not what was last sent. */
interface NewPassword {
  readonly secretName: string;
  readonly key: string;
  readonly secret: SecretValue;
}

/** The password of the Secret that the spec names, if it must be sent (engine.md §6: a rotated Secret makes exactly one write). */
async function passwordToSend(run: ProjectRun, { object }: ProjectContext): Promise<NewPassword | undefined> {
  const declared = object.spec.databasePassword?.secretKeyRef;
  if (declared === undefined) return undefined;
  const { environment, status, signal } = run;
  const secret = await declaredPassword(run, declared);
  const password: NewPassword = { secretName: declared.name, key: declared.key, secret };
  const { databasePassword: known } = status.current;
  const verdict = await environment.keyRing.compare(known?.sent, secret, signal);
  switch (verdict.kind) {
    case "same":
      // The version that it was seen in: by it the value is known still when the key of the hash is gone. It goes with the next write.
      if (known?.sent !== undefined && !isPlaceOf(password, known)) {
        recordSent(run, password, seenAgain(known.sent, secret));
      }
      status.leaveVersion("databasePassword", "secretResourceVersion");
      return undefined;
    case "takeOver":
      await rememberSent(run, password);
      return undefined;
    case "changed":
      return password;
    default:
      return verdict satisfies never;
  }
}

/** Whether the status says where the password is, to the version of its Secret. */
function isPlaceOf(
  { secretName, key, secret: { uid, resourceVersion } }: NewPassword,
  known: ProjectRun["status"]["current"]["databasePassword"],
): boolean {
  const place = [known?.secretName, known?.key, known?.sent?.secretUid, known?.sent?.secretResourceVersion];
  return known?.generated === false && sameJson(place, [secretName, key, uid, resourceVersion]);
}

async function rememberSent(run: ProjectRun, password: NewPassword): Promise<void> {
  recordSent(run, password, await run.environment.keyRing.remember(password.secret, run.signal));
}

function recordSent({ status }: ProjectRun, { secretName, key }: NewPassword, sent: SentValue): void {
  status.update({ databasePassword: { secretName, key, generated: false, sent } });
}

/**
 * Sends a password. Until that is answered nobody knows which one is in force, and the status says so before it is sent: whichever is declared by then
 * is sent, the one before too. What certainly had no effect leaves the one before in force.
 */
async function setPassword(
  run: ProjectRun,
  { updatePassword }: ProjectContext["session"]["client"]["projects"],
  { ref, password, field }: { readonly ref: string; readonly password: NewPassword; readonly field: string },
): Promise<void> {
  const { status } = run;
  const { databasePassword: before } = status.current;
  const body = { password: password.secret.value };
  const set = (): Promise<unknown> =>
    sendRecorded(run, {
      what: "databasePassword",
      record: () => {
        if (before?.sent !== undefined) status.update({ databasePassword: { ...before, sent: undefined } });
      },
      takeBack: ({ message }) => {
        status.update({ databasePassword: before });
        return message;
      },
      send: (call) => updatePassword({ ref, body }, call),
    });
  await calling("set the database password", set, [field]);
  await rememberSent(run, password);
}

/** The project after the requests that were made. */
export interface AppliedProject {
  readonly remote: ProjectDetail;
  /** the declared state differs and is left so: by the drift policy, or since it did not converge */
  readonly stateLeft: boolean;
  /** what differs and is not written */
  readonly drift: DriftShown;
  /** what was due and could not be done; all else of the project goes on */
  readonly failures: readonly Error[];
}

/** Makes the requests that the plan says, each by itself, and returns the project as it is after them. */
export async function applyProject(
  run: ProjectRun,
  context: ProjectContext,
  remote: ProjectDetail,
): Promise<AppliedProject> {
  const { object, policies } = context;
  const { name, state } = object.spec;
  if (policies.managementPolicy.value === "Observe") {
    const planned = planProject({ name, state, remote, passwordChanged: false });
    const drift = observedDrift([...planned, ...versionDifference(object.spec, remote)]);
    showDrift(run, drift, driftOf(run.status.current.sections));
    return { remote, stateLeft: true, drift, failures: [] };
  }
  const declared = await attempt(() => passwordToSend(run, context));
  const password = declared.ok ? declared.value : undefined;
  const changes = planProject({ name, state, remote, passwordChanged: password !== undefined });
  const drift = decideDrift(run, { object, policies, changes }, { inForce: isInForce(run, object) });
  showDrift(run, drift, driftOf(run.status.current.sections));
  const due = drift.write;
  if (due.length > 0) await run.protect();
  const made = await makeAll(run, context, { due, remote, password });
  const failures = [declared, ...made.attempts.values()].flatMap((one) => (one.ok ? [] : [one.failure]));
  if (failures.length === 0 && !awaitsState({ state, remote })) {
    run.status.update({ syncedGeneration: object.metadata.generation });
  }
  const awaited = password !== undefined && made.remote.status === "INACTIVE" ? [passwordAwaited(policies)] : [];
  const isLeft = (change: ProjectChange): boolean => made.attempts.get(change)?.ok !== true;
  return {
    remote: made.remote,
    stateLeft: changes.some((change) => change.field === "spec.state" && isLeft(change)),
    drift,
    failures: [...failures, ...awaited],
  };
}

/** A project that is paused takes none. */
function passwordAwaited(policies: ProjectContext["policies"]): Error {
  const message = "the database password is set from its Secret once the project runs";
  return waiting("Updating", message, driftIntervalMs(policies) ?? REFUSED_LOOK_MS);
}

interface AppliedChanges {
  readonly remote: ProjectDetail;
  readonly attempts: ReadonlyMap<ProjectChange, Attempted<ProjectDetail>>;
}

async function makeAll(
  run: ProjectRun,
  context: ProjectContext,
  { due, remote, password }: Omit<ApplyStep, "change"> & { readonly due: readonly ProjectChange[] },
): Promise<AppliedChanges> {
  const attempts = new Map<ProjectChange, Attempted<ProjectDetail>>();
  let current = remote;
  for (const change of due) {
    const attempted = await attempt(() => make(run, context, { change, remote: current, password }));
    attempts.set(change, attempted);
    if (!attempted.ok) continue;
    current = attempted.value;
    run.environment.convergence.wrote(context.object, change);
  }
  const isCertain = [...attempts.values()].every((one) => one.ok || one.failure instanceof TerminalError);
  if (isCertain) return { remote: current, attempts };
  // A request whose answer was lost may have set the project on its way.
  return { remote: (await readProject(run, context.session, remote.ref)) ?? current, attempts };
}

interface ApplyStep {
  readonly change: ProjectChange;
  readonly remote: ProjectDetail;
  readonly password: NewPassword | undefined;
}

async function make(run: ProjectRun, { session }: ProjectContext, step: ApplyStep): Promise<ProjectDetail> {
  const { change, remote, password } = step;
  const { projects } = session.client;
  const { ref } = remote;
  switch (change.kind) {
    case "rename": {
      const { name } = change;
      await calling("rename the project", () => projects.update({ ref, body: { name } }, run.call), [change.field]);
      run.wrote("Updated", `renamed the project to ${name}`, [change.field]);
      return { ...remote, name };
    }
    case "setPassword": {
      if (password === undefined) return remote;
      await setPassword(run, projects, { ref, password, field: change.field });
      run.wrote("Updated", "set the database password from its Secret", [change.field]);
      return remote;
    }
    case "pause":
      await calling("pause the project", () => projects.pause({ ref }, run.call), [change.field]);
      run.wrote("Pausing", "asked for the project to be paused", [change.field]);
      return { ...remote, status: "PAUSING" };
    case "resume":
      await calling("resume the project", () => projects.restore({ ref }, run.call), [change.field]);
      run.wrote("Resuming", "asked for the project to be resumed", [change.field]);
      return { ...remote, status: "RESTORING" };
    default:
      return change satisfies never;
  }
}
