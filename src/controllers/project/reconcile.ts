import type { ProjectDetail, ServiceHealth } from "../../api/contract/projects.ts";
import type { Result } from "../../runtime/outcome.ts";
import type { ProjectObject } from "../environment.ts";
import { awaitRunning, tellEdited } from "../sections/await-running.ts";
import { noteRestarting } from "../sections/restart-for.ts";
import { projectSurroundings } from "../sections/circumstances.ts";
import { isConfigured, runSections } from "../sections/run-sections.ts";
import type { SectionsEnd } from "../sections/sum.ts";
import { attempt, endOf, unlessPassing } from "../shared/attempt.ts";
import { requireClaim } from "../shared/claims.ts";
import { requireAllowedOrganization, requireAllowedRef, sessionFor } from "../shared/connection-lookup.ts";
import { requireConnectionGuard } from "../shared/connection-guard.ts";
import { endDoubt, ownIntent } from "../shared/doubt.ts";
import { terminal } from "../shared/failures.ts";
import { madeOtherwise } from "../shared/fixed-fields.ts";
import type { DriftShown } from "../shared/drift.ts";
import { readHealth, unhealthyServices } from "../shared/health.ts";
import { driftIntervalMs, nextDriftCheck, policiesOf } from "../shared/policies.ts";
import { recordIdentity } from "../shared/record-identity.ts";
import { noteFound, requireAbsence } from "../shared/require-absence.ts";
import { summarizeObserved, summarizeReady } from "../shared/ready.ts";
import { isUp } from "../shared/project-states.ts";
import { declaredRootKey } from "../shared/root-key.ts";
import { isElsewhere, type Session } from "../shared/sessions.ts";
import { claimants, CREATE_DEADLINE_MS, requireProjectName, takersOf } from "./claimants.ts";
import { trackUnderway } from "../shared/underway.ts";
import { type AppliedProject, applyProject } from "./apply.ts";
import type { ProjectContext, ProjectRun } from "./context.ts";
import { createProject } from "./create.ts";
import { sightRequests } from "../requests/first-sight.ts";
import { meaningsOf } from "../requests/replace-root-key.ts";
import { identifyProject } from "./identity.ts";
import { missingProject, requireSamePlatform } from "./missing.ts";
import { readProject } from "./observe.ts";
import { publishProject } from "./outputs.ts";
import { projectVerbNames, runProjectRequests } from "./requests.ts";
import { factsOf, phaseOf } from "./status.ts";
import { settleOrganization } from "./transfer.ts";
import { followUpgrade } from "./upgrade.ts";

/** How often something that somebody has to put right on the platform is looked at, milliseconds. */
const UNSEEN_LOOK_MS = 60_000;

/** The steps of a Project, in order: connection, policies, identity, claim, create or read, apply, health, status. */
export async function reconcileProject(run: ProjectRun, object: ProjectObject): Promise<Result> {
  const { environment } = run;
  const { spec, metadata } = object;
  await sightRequests(run, projectVerbNames, meaningsOf(declaredRootKey(run, spec)));
  const session = sessionFor(environment, { namespace: run.key.namespace, connectionRef: spec.connectionRef });
  requireAllowedOrganization(session, spec.organization);
  const policies = policiesOf(environment, session, spec);
  run.status.update({ effective: policies });
  const context: ProjectContext = { object, session, policies, name: spec.name ?? metadata.name };
  const ref = await settleIdentity(run, context);
  const remote = await readProject(run, session, ref);
  if (remote === undefined) throw await missingProject(run, context, ref);
  noteFound(run, { kind: "project", ref });
  const nowMs = session.client.serverNow() ?? environment.clock.now();
  endDoubt(run, { requestDeadlineMs: CREATE_DEADLINE_MS, nowMs });
  return follow(run, context, remote);
}

/** Finds out which project it is, creating it where it is to be made, and records that. */
async function settleIdentity(run: ProjectRun, context: ProjectContext): Promise<string> {
  const { object, session } = context;
  const identity = identifyProject(object, session, run.environment.cluster);
  if (identity.kind === "new") return create(run, context);
  const { ref } = identity;
  const claiming = identity.kind === "adopt" ? takersOf : claimants;
  requireClaim(object, claiming(run, object, { ref, here: session.server }), `project ${ref}`);
  switch (identity.kind) {
    case "adopt":
      return adopt(run, context, ref);
    case "recreate":
      if ((await readRecorded(run, context, ref)) !== undefined) return record(run, session, ref);
      requireAbsence(run, { kind: "project", ref }, "end");
      return recreate(run, context, ref);
    case "recorded":
      if (isElsewhere(run.status.current.connection, session)) await readRecorded(run, context, ref);
      return record(run, session, ref);
    case "unconfirmed": {
      const remote = await readProject(run, session, ref);
      if (remote !== undefined) requireOrganization(object, remote);
      return record(run, session, ref);
    }
    default:
      return identity satisfies never;
  }
}

/**
 * The recorded project, where the connection leads now. A platform that moved to another address has it still; what another connection shows on another
 * platform is that one's, for all that is known, and is taken over as that connection allows, or not at all.
 *
 * @throws TerminalError CredentialChanged, as `requireSamePlatform`; NotAllowed; InvalidSpec
 */
async function readRecorded(
  run: ProjectRun,
  { object, session }: ProjectContext,
  ref: string,
): Promise<ProjectDetail | undefined> {
  const { connection } = run.status.current;
  const found = await readProject(run, session, ref);
  if (!isElsewhere(connection, session)) return found;
  if (found === undefined) requireSamePlatform(run, session, `the project ${ref}`);
  else if (connection?.kind !== session.kind || connection.name !== session.name) {
    requireAllowedRef(session, ref);
    requireOrganization(object, found);
  }
  return found;
}

async function recreate(run: ProjectRun, context: ProjectContext, gone: string): Promise<string> {
  const ref = await create(run, context);
  noteFound(run, { kind: "project", ref: gone }); // another one is in its place
  return ref;
}

async function record(run: ProjectRun, session: Session, ref: string): Promise<string> {
  await recordIdentity(run, session, { ref });
  return ref;
}

async function adopt(run: ProjectRun, { object, session, policies }: ProjectContext, ref: string): Promise<string> {
  const remote = await readProject(run, session, ref);
  if (remote === undefined) {
    throw terminal("Rejected", `spec.ref: the token reads no project ${ref}: write the ref of one that it reads`, {
      recheckAfterMs: UNSEEN_LOOK_MS,
    });
  }
  requireOrganization(object, remote);
  if (policies.managementPolicy.value === "Manage") await run.protect();
  // What a project was to be created with is not known to be this one's.
  const noting = ownIntent(run) !== undefined ? { databasePassword: undefined } : {};
  await recordIdentity(run, session, { ref, noting });
  run.wrote("Adopted", `adopted the project ${ref}${elsewhere(object, remote)}`);
  return ref;
}

/** What the connection allows is told by organization. @throws TerminalError InvalidSpec */
function requireOrganization({ spec }: ProjectObject, { ref, organization_slug: slug }: ProjectDetail): void {
  if (slug === spec.organization) return;
  throw terminal("InvalidSpec", `spec.organization: the project ${ref} is in ${slug}: write that slug`);
}

/** Where a project is that was taken over, if that is not where the object would have made it. */
function elsewhere({ spec: { region } }: ProjectObject, { region: found }: { readonly region: string }): string {
  return madeOtherwise([{ field: "spec.region.code", declared: region?.code, found }]);
}

async function create(run: ProjectRun, context: ProjectContext): Promise<string> {
  const { object, session, policies, name } = context;
  const { organization } = object.spec;
  if (policies.managementPolicy.value === "Observe") {
    throw terminal("InvalidSpec", "managementPolicy Observe creates nothing: set spec.ref to the project to observe");
  }
  if (ownIntent(run) !== undefined) {
    requireSamePlatform(run, session, `a project ${name} that was asked for and may exist`);
  } else {
    requireProjectName(run, object, session, name); // who lost begins nothing
  }
  requireConnectionGuard(run, session);
  await run.protect();
  const created = await createProject(run, object, session, name);
  const { ref } = created;
  if (created.how === "adopted") {
    // A name asks for no less than spec.ref does: what the connection lets be taken over, and what no other object has.
    requireAllowedRef(session, ref);
    // Of two that find it at the same time the one that asks for it by its ref goes first, which does not see that this one wants it.
    const others = takersOf(run, object, { ref, here: session.server }).filter(
      ({ metadata }) => metadata.uid !== object.metadata.uid,
    );
    requireClaim(object, others, `project ${ref}`);
  }
  await recordIdentity(run, session, { ref, noting: { intent: undefined, organization } });
  if (created.how === "adopted") {
    run.wrote("Adopted", `adopted the project ${ref}, which has the declared name${elsewhere(object, created)}`);
  } else run.wrote("Created", `created the project ${name} as ${ref}`);
  return ref;
}

/** An existing project after all that is not a setting of it was looked at. */
interface BroughtInLine extends Pick<AppliedProject, "stateLeft" | "drift"> {
  readonly remote: ProjectDetail;
  /** what could not be done; settings and outputs go on all the same */
  readonly failures: readonly (Error | undefined)[];
  /** why the version is not as declared */
  readonly pending: Error | undefined;
}

/** Brings an existing project in line, but for its settings and outputs. */
async function bringInLine(run: ProjectRun, context: ProjectContext, found: ProjectDetail): Promise<BroughtInLine> {
  const settled = await settleOrganization(run, context, found);
  const asked = await attempt(() => runProjectRequests(run, context, settled.remote));
  // Some of what was asked of it may have been sent before another one failed.
  const after = asked.ok ? asked.value : await readProject(run, context.session, found.ref);
  const { stateLeft, drift, ...applied } = await applyProject(run, context, after ?? settled.remote);
  const { remote, pending } = await followUpgrade(run, context, applied.remote);
  const failures = [settled.pending, asked.ok ? undefined : asked.failure, ...applied.failures];
  return { remote, stateLeft, drift, failures, pending };
}

/** Brings an existing project in line and says how it is. */
async function follow(run: ProjectRun, context: ProjectContext, found: ProjectDetail): Promise<Result> {
  const { object, session, policies } = context;
  const { remote, stateLeft, drift, failures, pending } = await bringInLine(run, context, found);
  const health = await attempt(() => healthOf(run, session, remote));
  if (!health.ok) throw endOf([health.failure, ...failures, await keepOutputs(run, context, remote)], undefined);
  const { services, unhealthy } = health.value;
  run.status.update(factsOf(remote, services));
  const { upgrade } = run.status.current;
  const declared = stateLeft ? undefined : object.spec.state;
  const phase = phaseOf({ state: remote.status, declared, unhealthy, upgrade });
  tellEdited(run, phase, { object, policies, others: drift });
  switch (phase.kind) {
    case "failed":
      throw endOf([terminal(phase.reason, phase.message, { recheckAfterMs: UNSEEN_LOOK_MS }), ...failures], undefined);
    case "underway": {
      if (phase.operation === "Restarting") noteRestarting(run);
      const tended = phase.reason === "Unhealthy" ? await tend(run, context, { remote, drift }) : undefined;
      const awaited = trackUnderway(run, { ...phase, timeout: object.spec.provisioningTimeout });
      throw endOf([awaited, ...failures, tended], undefined);
    }
    case "ready": {
      const ended = await configure(run, context, { remote, drift });
      const published = await publishProject(run, context, { remote, isWell: true });
      const dueInMs = ended.dueInMs ?? driftIntervalMs(policies);
      // Sections have said by themselves when they are looked at: sooner, what the platform takes thrice a day would be tried every ten minutes.
      const others = endOf([...failures, published, pending], dueInMs);
      const error = endOf([others, ended.error], others === undefined ? ended.dueInMs : dueInMs);
      if (error !== undefined) throw error;
      if (policies.managementPolicy.value === "Observe") summarizeObserved(run.status);
      else summarizeReady(run.status, phase.reason, phase.message);
      return ended.dueInMs === undefined ? nextDriftCheck(policies) : { requeueAfterMs: ended.dueInMs, lane: "drift" };
    }
    default:
      return phase satisfies never;
  }
}

interface Health {
  readonly services: readonly ServiceHealth[] | undefined;
  readonly unhealthy: readonly string[];
}

async function healthOf(run: ProjectRun, session: Session, { ref, status: state }: ProjectDetail): Promise<Health> {
  if (state !== "ACTIVE_HEALTHY") return { services: undefined, unhealthy: [] };
  const services = await readHealth(run, session, ref);
  return { services, unhealthy: await unhealthyServices(run, session, { ref, services }) };
}

/**
 * Sees to what is up and unwell: what was configured once may be what makes it so, and an edit must be able to put that right.
 *
 * @returns as `keepOutputs`
 */
async function tend(
  run: ProjectRun,
  context: ProjectContext,
  { remote, drift }: SettingsDue,
): Promise<Error | undefined> {
  if (isConfigured(run.status.current)) await configure(run, context, { remote, drift });
  return keepOutputs(run, context, remote);
}

/** What programs connect by may be another since this very run, however the project is. @returns what is to be told of it */
async function keepOutputs(
  run: ProjectRun,
  context: ProjectContext,
  remote: ProjectDetail,
): Promise<Error | undefined> {
  const failure = await publishProject(run, context, { remote, isWell: false });
  return unlessPassing(failure, run.signal);
}

interface SettingsDue {
  readonly remote: ProjectDetail;
  readonly drift: DriftShown;
}

/** Makes the sections as declared, however a project is that is up; those of one that is not wait until it is. */
function configure(
  run: ProjectRun,
  { object, session, policies }: ProjectContext,
  { remote, drift }: SettingsDue,
): Promise<SectionsEnd> {
  if (!isUp(remote.status)) return Promise.resolve(awaitRunning(run, { object, policies, others: drift }));
  const { ref } = remote;
  const surroundings = projectSurroundings({ client: session.client, call: run.call }, remote);
  return runSections(run, { object, session, ref, policies, surroundings, others: drift });
}
