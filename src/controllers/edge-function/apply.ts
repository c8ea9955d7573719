import type { DeployMetadata, EdgeFunction } from "../../api/contract/functions.ts";
import { isApiError } from "../../api/errors.ts";
import { annotations } from "../../resources/annotations.ts";
import { FUNCTION_DEFAULTS } from "../../resources/edge-function/spec.ts";
import { applyDrift } from "../shared/drift.ts";
import { declaredIn, nameFrom } from "../shared/asked-for-by.ts";
import { explain, waiting } from "../shared/failures.ts";
import { trackUnderway } from "../shared/underway.ts";
import type { StandingRevision } from "../shared/revisions.ts";
import type { FunctionContext, FunctionRun } from "./context.ts";
import { sendRecorded } from "../shared/send-recorded.ts";
import { writing } from "../shared/shared-write.ts";
import { configure, type ConfigureStep } from "./configure.ts";
import { listedFunction, liveFunction, noteWritten } from "./observe.ts";
import {
  ENVIRONMENT,
  type FunctionChange,
  planFunction,
  settingsLeft,
  sparingDrift,
  type WantedFunction,
} from "./plan.ts";
import { DEPLOY_DEADLINE_MS } from "./redeploy-rules.ts";
import { causesOf, environmentNow, redeploymentOf } from "./redeploy.ts";
import { requireGathered } from "./settings-wish.ts";
import type { DeploySource } from "./complete-source.ts";
import { factsOf } from "./status.ts";

/** When what was written and does not show yet is looked at again, milliseconds. */
const UNSEEN_LOOK_MS = 3000;

/** Members of the spec that a deployment carries, beside the slug. */
const CARRIED = [
  "source",
  "entrypoint",
  "importMap",
  "inlineImportMap",
  "staticPatterns",
  "verifyJwt",
  "name",
] as const;

/** A function as declared, its source, and the function as the platform has it. */
export interface FunctionStep {
  readonly wanted: WantedFunction;
  readonly source: DeploySource;
  readonly remote: EdgeFunction | undefined;
  /** the revisions for which it is to be deployed again now; undefined: for none */
  readonly redeployFor: readonly StandingRevision[] | undefined;
}

/**
 * Makes the requests that the plan says, reads the function after them, and returns it as it is now; undefined where it is missing and
 * the drift policy leaves that so.
 *
 * @throws WaitingError when the read does not show what was written: nothing is called Ready that was not seen
 */
export async function applyFunction(
  run: FunctionRun,
  context: FunctionContext,
  step: FunctionStep,
): Promise<EdgeFunction | undefined> {
  const { object, policies } = context;
  const { wanted, remote, redeployFor } = step;
  const { syncedGeneration, sourceHash, bundleHash } = run.status.current;
  const outdated = redeployFor !== undefined;
  const leavesDrift = syncedGeneration === object.metadata.generation && policies.driftPolicy.value !== "Correct";
  const changes = sparingDrift(planFunction(wanted, remote, { sourceHash, bundleHash, outdated }), leavesDrift);
  await requireGathered(run, context, { wanted, changes, remote });
  const due = applyDrift(run, { object, policies, changes });
  if (due.length === 0) {
    context.memory.gathering.settle(object.metadata.uid);
    return remote;
  }
  await run.protect();
  const deploy = due.find(({ kind }) => kind === "deploy");
  const written = deploy === undefined ? remote : await deployInTurn(run, context, { ...step, due, deploy });
  const together = written !== undefined && (await configure(run, context, { wanted, due, remote: written }));
  if (context.isCrowded()) throw seeLater(context);
  return verify(run, context, { wanted, due, together });
}

/** While others wait for their turn, what was deployed is looked for in one list with theirs, and holds up nobody meanwhile. */
function seeLater({ object, list, memory }: FunctionContext): Error {
  memory.unseen.set(object.metadata.uid, list.mark());
  return waiting("Deploying", "deployed, and looked for when others that wait were deployed too", UNSEEN_LOOK_MS);
}

interface DeployStep extends FunctionStep {
  readonly due: readonly FunctionChange[];
  readonly deploy: FunctionChange;
}

/** Deploys when it is this project's turn, unless the platform has refused the very same thing before. */
async function deployInTurn(run: FunctionRun, context: FunctionContext, step: DeployStep): Promise<EdgeFunction> {
  const { object, memory, inTurn } = context;
  const { refusals } = memory;
  const { uid } = object.metadata;
  recallRefusal(context, step);
  const fingerprint = fingerprintOf(context, step);
  const written = await inTurn(async () => {
    try {
      return await deploy(run, context, step);
    } catch (error) {
      refusals.note(uid, fingerprint, error);
      throw error;
    }
  });
  refusals.forget(uid);
  run.environment.convergence.wrote(object, step.deploy);
  return written;
}

type DeployAttempt = Pick<FunctionStep, "wanted" | "redeployFor">;

/** @throws TerminalError as the platform refused the very same deployment before (refusals.ts) */
export function recallRefusal(context: FunctionContext, attempt: DeployAttempt): void {
  context.memory.refusals.recall(context.object.metadata.uid, fingerprintOf(context, attempt));
}

/** Everything that another attempt could differ in; a reconcile that somebody asks for is one. */
function fingerprintOf({ object, place }: FunctionContext, { wanted, redeployFor = [] }: DeployAttempt): string {
  const { name, verifyJwt, sourceHash } = wanted;
  const asked = object.metadata.annotations?.[annotations.reconcileAt];
  const environment = redeployFor.map(({ uid, revision }) => [uid, revision]);
  return JSON.stringify([place.ref, sourceHash, verifyJwt, name, asked, environment]);
}

async function deploy(run: FunctionRun, context: FunctionContext, step: DeployStep): Promise<EdgeFunction> {
  const { place, slug, list } = context;
  const { source } = step;
  const files = await source.files(); // before anything is recorded: what cannot be read leaves nothing in doubt
  const environment = environmentNow(run, context); // what it reads is what is there when the request arrives, or newer
  const { redeployment, sourceHash } = run.status.current;
  let made: EdgeFunction;
  try {
    const input = { ref: place.ref, slug, body: { metadata: metadataOf(context, step), files } };
    const { answer } = await sendRecorded(run, {
      what: "deployment",
      record: () => recordDeployment(run, context, step),
      takeBack: ({ message }) => {
        run.status.update({ redeployment, sourceHash });
        return message;
      },
      send: (call) => {
        const options = { ...call, deadlineMs: DEPLOY_DEADLINE_MS };
        return writing(list, () => place.session.client.functions.deploy(input, options));
      },
    });
    made = answer;
  } catch (error) {
    throw notDeployed(run, context, error);
  }
  noteWritten(context, made);
  context.memory.noticed.delete(context.object.metadata.uid); // what comes from now on is gathered anew
  tellDeployed(run, context, { ...step, made });
  const bundleHash = made.ezbr_sha256 ?? undefined;
  const known = { ...factsOf(made), sourceHash: source.hash, bundleHash, environment };
  run.status.update({ ...known, redeployment: undefined, underway: undefined });
  return made;
}

/**
 * What an answer that is lost leaves in doubt: a deployment for the environment, and which source is in force once another one is sent. What is declared
 * by the next look may be the former one again: it is deployed then, whatever the drift policy.
 */
function recordDeployment(
  run: FunctionRun,
  context: FunctionContext,
  { source, remote, redeployFor }: DeployStep,
): void {
  const { status } = run;
  if (redeployFor !== undefined && remote !== undefined) {
    status.update({ redeployment: redeploymentOf(run, context, { remote, standing: redeployFor }) });
  }
  const { sourceHash } = status.current;
  if (sourceHash !== undefined && sourceHash !== source.hash) status.update({ sourceHash: undefined });
}

function metadataOf({ object, slug }: FunctionContext, { wanted, remote }: DeployStep): DeployMetadata {
  const { entrypoint, staticPatterns = [] } = object.spec;
  const { importMap } = wanted;
  const name = wanted.name ?? (remote === undefined ? slug : undefined);
  return {
    entrypoint_path: entrypoint,
    ...(importMap === undefined ? {} : { import_map_path: importMap }),
    // What is left out keeps its old value (facts.md §6.7): what has a default is always said.
    static_patterns: [...staticPatterns],
    verify_jwt: wanted.verifyJwt,
    ...(name === undefined ? {} : { name }),
  };
}

function tellDeployed(
  run: FunctionRun,
  { object, slug, memory }: FunctionContext,
  { deploy: { field }, due, wanted, remote, redeployFor = [], made }: DeployStep & { readonly made: EdgeFunction },
): void {
  const left = new Set(settingsLeft(due, wanted, made).map((change) => change.field)); // those have an update of their own
  const fields = due.map((change) => change.field).filter((one) => !left.has(one));
  if (field !== ENVIRONMENT) {
    run.wrote(remote === undefined ? "Created" : "Updated", `deployed ${slug} as version ${made.version}`, fields);
    return;
  }
  run.noteDone(fields); // the event names what the environment is made of in its place
  const causes = causesOf(run.status.current.environment, redeployFor);
  const others = fields.filter((other) => other !== ENVIRONMENT);
  memory.tellOnce(object.metadata.uid, made.version, () => {
    const note = `deployed ${slug} again as version ${made.version} for its environment`;
    run.wrote("Redeployed", note, [...causes, ...others]);
  });
}

function notDeployed(run: FunctionRun, { object, slug }: FunctionContext, error: unknown): unknown {
  if (!isApiError(error, "CONFLICT")) {
    const carried = declaredIn(object.spec, CARRIED, FUNCTION_DEFAULTS);
    return explain(error, `deploy the function ${slug}`, [nameFrom(object.spec, "slug"), ...carried]);
  }
  // Ours go one at a time, so this is somebody else's.
  return trackUnderway(run, {
    operation: "Deploying",
    reason: "Deploying",
    message: "another client is deploying to this project",
    timeout: object.spec.provisioningTimeout,
  });
}

async function verify(
  run: FunctionRun,
  context: FunctionContext,
  { wanted, due, together }: Omit<ConfigureStep, "remote"> & { readonly together: boolean },
): Promise<EdgeFunction> {
  const look = together ? listedFunction(run, context) : liveFunction(run, context);
  const seen = await look.catch((error: unknown) => {
    context.list.wrote(); // what it shows of this function was answered to a write, not read: the next run reads anew
    throw error;
  });
  if (seen === undefined) {
    context.list.wrote();
    throw waiting("Deploying", "deployed, and the platform does not show it yet", UNSEEN_LOOK_MS);
  }
  noteWritten(context, seen);
  const written = new Set(due.map(({ field }) => field));
  const left = planFunction(wanted, seen, run.status.current).filter(({ field }) => written.has(field));
  if (left.length === 0) return seen;
  const fields = left.map(({ field }) => field).join(", ");
  throw waiting("Updating", `written, and different still: ${fields}`, UNSEEN_LOOK_MS);
}
